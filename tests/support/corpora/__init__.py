"""Small corpora and files of text."""
