"""What search leaves behind: candidates with their features and statistics."""

from tunesmith.search.candidates import CandidateSet
from tunesmith.search.plain import PlainMatrix
from tunesmith.search.words import WordLists

__all__ = ["CandidateSet", "PlainMatrix", "WordLists"]
