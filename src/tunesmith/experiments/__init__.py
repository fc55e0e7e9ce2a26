"""Comparisons of whole systems that are run, killed, continued and published: the tables of papers."""
