"""Decoding as work for another process: descriptions of decoders, what travels, and models that stay open."""
