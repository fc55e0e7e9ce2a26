"""Verbs on text: the built-in corpus, tokens, cleaning, selection, vocabulary."""
