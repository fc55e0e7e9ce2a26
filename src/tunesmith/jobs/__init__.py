"""Descriptions of tuning jobs: what `tune` reads its options into and what experiments build."""
