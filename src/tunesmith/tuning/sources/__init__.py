"""Sources of translations: a decoder, a file, an external decoder."""
