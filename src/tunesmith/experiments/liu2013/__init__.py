"""Table 1 of Liu et al. (2013), with additional rows."""
