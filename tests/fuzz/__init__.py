"""Damaged input for every reader, kills for every verb that writes, faults of the machine (CONTRIBUTING.md)."""
