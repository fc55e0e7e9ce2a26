"""Metrics of translation quality: sufficient statistics → sum → score."""
