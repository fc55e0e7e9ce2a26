"""Sums over sentences or pairs that are cut into parts, and done here or on workers with the same bytes."""
