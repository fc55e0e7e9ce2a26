"""Candidate sets: lists of translations as matrices, merged, chosen from, and on disk."""
