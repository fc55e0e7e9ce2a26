"""Parallel text: reading, vocabularies, tokenisation, cleaning, and the built-in phrasebook corpus."""
