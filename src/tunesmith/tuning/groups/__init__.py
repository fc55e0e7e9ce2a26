"""Groups of features: how they are learnt, and how they are tuned instead of features."""
