"""Groups of features: learning groups, and tuning groups instead of features."""
