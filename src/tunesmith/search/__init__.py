"""Results of search: search graphs, and candidates with their features and statistics."""

from typing import TYPE_CHECKING

from tunesmith.lazy import names_of

if TYPE_CHECKING:
    from tunesmith.search.dialects import ListFile
    from tunesmith.search.graphs.derivations import Derivation, DerivationList, Rows
    from tunesmith.search.graphs.graph import Expectations, Pruned, SearchGraph
    from tunesmith.search.graphs.graph_file import GraphSet, GraphWriter, write_graphs
    from tunesmith.search.graphs.kbest import ListStream, read_kbest, read_list, write_kbest, write_parts
    from tunesmith.search.graphs.lattice import Lattice
    from tunesmith.search.graphs.oracle import OracleOptions, Oracles
    from tunesmith.search.lists.candidate_writer import CandidateWriter
    from tunesmith.search.lists.candidates import CandidateSet
    from tunesmith.search.lists.factored import FactoredMatrix
    from tunesmith.search.lists.merging import concatenate, merge
    from tunesmith.search.lists.moses_files import read_moses_run
    from tunesmith.search.lists.plain import PlainMatrix
    from tunesmith.search.lists.words import WordLists

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

__getattr__ = names_of(__name__)
