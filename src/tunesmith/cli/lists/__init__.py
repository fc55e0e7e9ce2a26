"""Verbs on n-best lists."""
