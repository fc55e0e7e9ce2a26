"""Small candidate sets, search graphs and parts of tuners."""
