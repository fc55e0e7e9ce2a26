"""Formats of candidate lists, one file each."""

from tunesmith.search.dialects.base import Dialect, dialects
from tunesmith.search.dialects.moses import MosesDialect

__all__ = ["Dialect", "MosesDialect", "dialects"]
