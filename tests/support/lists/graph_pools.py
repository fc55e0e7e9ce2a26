"""The same translations as lists and as search graphs."""

import itertools

import numpy as np
from reference.graph_envelope import all_derivations

from support.lists.large_graphs import WORDS, large_graph
from tunesmith.features.index import FeatureIndex
from tunesmith.metrics import Bleu
from tunesmith.search import CandidateSet, SearchGraph
from tunesmith.tuning import ListPool
from tunesmith.tuning.pools.graph_model import GraphModel
from tunesmith.tuning.pools.graphs import GraphPool
from tunesmith.tuning.pools.growing_words import GrowingWords

NAMES = ["a", "b", "c"]
VOCABULARY = ["the", "cat", "sat", "on", "mat", "dog"]


def lists(sentences=12, rows=15, seed=1):
    """Random translations of random references, with features."""
    random = np.random.default_rng(seed)
    references, records, features = [], [], []
    for _ in range(sentences):
        reference = random.integers(0, 5, size=8)
        references.append([" ".join(VOCABULARY[word] for word in reference)])
        for _ in range(rows):
            words = np.where(random.random(8) < 0.6, reference, random.integers(0, 6, size=8))[
                : random.integers(5, 9)
            ]
            records.append(words)
            features.append(random.normal(size=3).astype(np.float32))
    return references, records, np.array(features), np.arange(0, sentences * rows + 1, rows)


def pools(seed=1):
    """The same translations as lists and as graphs of one node, with an edge for each."""
    references, records, features, offsets = lists(seed=seed)
    metric = Bleu().prepare(references)
    texts = [" ".join(VOCABULARY[word] for word in words) for words in records]
    sentences = np.repeat(np.arange(len(references)), np.diff(offsets))
    rows = metric.statistics(texts, sentences)
    candidates = CandidateSet.from_matrix(features, offsets, statistics=rows, names=NAMES)
    made = []
    for begin, end in itertools.pairwise(offsets.tolist()):
        some = records[begin:end]
        made.append(
            SearchGraph.from_arrays(
                node_edges=[0, len(some)],
                tail_offsets=[0] * (len(some) + 1),
                symbol_offsets=np.cumsum([0, *map(len, some)]),
                symbols=np.concatenate(some),
                edge_application=[0] * len(some),
                dense_ids=[0, 1, 2],
                dense=features[begin:end].ravel(),
                application_rules=[0],
                application_begins=[0],
                application_ends=[1],
                vocabulary=len(VOCABULARY),
            )
        )
    model = GraphModel(FeatureIndex(NAMES), None, GrowingWords(VOCABULARY), references)
    return ListPool(candidates), GraphPool(made, model).measured(metric, source="dev", first=0)


def forest_pool(sentences=7, first_seed=0, kind="forest"):
    """Graphs of some sentences with references that they nearly reach."""
    made = [large_graph(first_seed + seed, kind, most=300) for seed in range(sentences)]
    texts = [[" ".join(WORDS[word] for word in all_derivations(graph.arrays)[-1][1]) or "w0"] for graph in made]
    model = GraphModel(FeatureIndex(["a", "b"]), None, GrowingWords(WORDS), texts)
    return GraphPool(made, model).measured(Bleu().prepare(texts), source="dev", first=0)
