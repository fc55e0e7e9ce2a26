"""Runs on disk: the folder, saved positions, and tables for users."""
