"""Slow, obvious twins of the native kernels. They follow the papers and are never optimised."""
