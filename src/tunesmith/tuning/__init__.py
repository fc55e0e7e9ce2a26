"""Weights for features: losses, regularizers, optimizers, and the recipes that join them."""
