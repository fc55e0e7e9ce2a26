"""What search leaves behind: the search graph and what can be read off it."""

from tunesmith.search.derivations import Derivation, DerivationList, Rows
from tunesmith.search.graph import Expectations, Pruned, SearchGraph
from tunesmith.search.graph_file import GraphSet, GraphWriter, write_graphs
from tunesmith.search.lattice import Lattice
from tunesmith.search.oracle import OracleOptions, Oracles

__all__ = [
    "Derivation",
    "DerivationList",
    "Expectations",
    "GraphSet",
    "GraphWriter",
    "Lattice",
    "OracleOptions",
    "Oracles",
    "Pruned",
    "Rows",
    "SearchGraph",
    "write_graphs",
]
