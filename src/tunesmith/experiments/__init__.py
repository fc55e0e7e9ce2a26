"""Experiments: resumable comparisons of complete systems, such as the tables of papers."""
