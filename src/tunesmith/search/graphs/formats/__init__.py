"""Search graphs of other toolkits, one file for each format."""

from tunesmith.search.graphs.formats.base import GraphFormat, graph_formats
from tunesmith.search.graphs.formats.cdec_json import CdecJson
from tunesmith.search.graphs.formats.moses_hypergraph import MosesHypergraph
from tunesmith.search.graphs.formats.openfst import OpenFst
from tunesmith.search.graphs.formats.plf import Plf
from tunesmith.search.graphs.formats.reading import NamedGraphs, graph_paths, read_graphs
from tunesmith.search.graphs.formats.search_graph import MosesSearchGraph
from tunesmith.search.graphs.formats.slf import Slf

__all__ = [
    "CdecJson",
    "GraphFormat",
    "MosesHypergraph",
    "MosesSearchGraph",
    "NamedGraphs",
    "OpenFst",
    "Plf",
    "Slf",
    "graph_formats",
    "graph_paths",
    "read_graphs",
]
