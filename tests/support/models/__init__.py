"""Small models and decoders."""
