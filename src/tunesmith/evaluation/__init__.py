"""Comparing systems: confidence intervals, significance, reference variance, reports."""
