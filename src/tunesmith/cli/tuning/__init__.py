"""Verbs that tune, and look at runs."""
