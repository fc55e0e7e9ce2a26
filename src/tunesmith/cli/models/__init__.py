"""Verbs that make models and look at them."""
