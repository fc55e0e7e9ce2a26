"""Where candidates come from: a decoder, a file, an external decoder."""
