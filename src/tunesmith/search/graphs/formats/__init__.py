"""Search graphs of other toolkits, one file for each format."""

from tunesmith.search.graphs.formats.base import GraphFormat, graph_formats
from tunesmith.search.graphs.formats.moses_hypergraph import MosesHypergraph
from tunesmith.search.graphs.formats.reading import NamedGraphs, graph_paths, read_graphs

__all__ = ["GraphFormat", "MosesHypergraph", "NamedGraphs", "graph_formats", "graph_paths", "read_graphs"]
