"""What search produces: the search graph, and candidates with their features and statistics."""

from tunesmith.search.candidate_writer import CandidateWriter
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.derivations import Derivation, DerivationList, Rows
from tunesmith.search.dialects import ListFile
from tunesmith.search.factored import FactoredMatrix
from tunesmith.search.graph import Expectations, Pruned, SearchGraph
from tunesmith.search.graph_file import GraphSet, GraphWriter, write_graphs
from tunesmith.search.kbest import ListStream, read_kbest, read_list, write_kbest, write_parts
from tunesmith.search.lattice import Lattice
from tunesmith.search.merging import concatenate, merge
from tunesmith.search.moses_files import read_moses_run
from tunesmith.search.oracle import OracleOptions, Oracles
from tunesmith.search.plain import PlainMatrix
from tunesmith.search.words import WordLists

__all__ = [
    "CandidateSet",
    "CandidateWriter",
    "Derivation",
    "DerivationList",
    "Expectations",
    "FactoredMatrix",
    "GraphSet",
    "GraphWriter",
    "Lattice",
    "ListFile",
    "ListStream",
    "OracleOptions",
    "Oracles",
    "PlainMatrix",
    "Pruned",
    "Rows",
    "SearchGraph",
    "WordLists",
    "concatenate",
    "merge",
    "read_kbest",
    "read_list",
    "read_moses_run",
    "write_graphs",
    "write_kbest",
    "write_parts",
]
