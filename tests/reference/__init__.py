"""Slow, obvious twins of the native kernels. They are read beside the papers and never optimised."""
