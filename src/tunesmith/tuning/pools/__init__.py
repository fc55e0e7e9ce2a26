"""Pools: all translations of a data set that a run has seen, as lists or graphs."""
