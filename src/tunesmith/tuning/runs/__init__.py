"""Runs on disk: the folder, positions in it, and the tables that people read."""
