"""Verbs and options about more than one machine."""
