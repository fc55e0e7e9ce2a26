"""Search graphs: what a decoder found, and algorithms over it."""
