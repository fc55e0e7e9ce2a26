"""Verbs that run the comparisons of papers."""
