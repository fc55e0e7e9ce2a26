"""The verb `translate`."""
