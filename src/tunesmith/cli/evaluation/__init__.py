"""Verbs that score outputs and compare them."""
