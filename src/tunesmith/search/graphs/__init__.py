"""Search graphs of decoders, and algorithms over them."""
