"""Serving: a model behind HTTP with JSON, and a page to try it. Needs the extra `serve`."""

from tunesmith.serving.client import Client
from tunesmith.serving.limits import Limits

__all__ = ["Client", "Limits"]
