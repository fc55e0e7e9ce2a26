"""Table 1 of Liu et al. (2013), with the rows it lacks."""
