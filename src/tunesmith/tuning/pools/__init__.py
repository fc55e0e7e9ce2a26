"""Pools: the translations known so far of a data set, whatever holds them."""
