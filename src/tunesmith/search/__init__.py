"""What search leaves behind: candidates with their features and statistics."""

from tunesmith.search.candidate_writer import CandidateWriter
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.factored import FactoredMatrix
from tunesmith.search.kbest import read_kbest, write_kbest
from tunesmith.search.merging import concatenate, merge
from tunesmith.search.moses_files import read_moses_run
from tunesmith.search.plain import PlainMatrix
from tunesmith.search.words import WordLists

__all__ = [
    "CandidateSet",
    "CandidateWriter",
    "FactoredMatrix",
    "PlainMatrix",
    "WordLists",
    "concatenate",
    "merge",
    "read_kbest",
    "read_moses_run",
    "write_kbest",
]
