"""Ranked pairs of real k-best lists: the training data of a model decoded, sampled as in pairwise ranking."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import measure
import numpy as np

from tunesmith.decoding import load_decoder
from tunesmith.decoding.candidates import ListDecoder
from tunesmith.io import read_lines
from tunesmith.metrics import Bleu
from tunesmith.search import CandidateSet
from tunesmith.tuning.constraints import columns_named
from tunesmith.tuning.losses import PairwiseRanking
from tunesmith.tuning.losses.differences import Differences, Ranked
from tunesmith.tuning.pools.lists import ListPool

DATA = measure.SHARED / "data/zh-en"


def training_lists(model: Path, sentences: int, threads: int = 1) -> tuple[CandidateSet, np.ndarray]:
    """100-best lists with BLEU statistics of the first sentences of the training data, and the weights used."""
    sources = list(islice(iter(read_lines(DATA / "train.zh.gz")), sentences))
    references = [[line] for line in islice(iter(read_lines(DATA / "train.en.gz")), sentences)]
    decoder = load_decoder(model)
    lists = ListDecoder(decoder).k_best(sources, 100, threads=threads)
    return lists.with_statistics(Bleu().prepare(references)), np.array(decoder.weights)


def training_pairs(model: Path, sentences: int, threads: int = 1) -> tuple[Differences, np.ndarray]:
    """Their pairs as published (largest gain first) and the start weights."""
    lists, weights = training_lists(model, sentences, threads)
    objective = PairwiseRanking.plain().prepare(ListPool(lists), Bleu(), seed=1)
    assert isinstance(objective, Ranked)
    penalised = columns_named(lists.features, lists.columns, ["id:*"])
    start = np.zeros(lists.columns)
    start[: len(weights)] = weights[: lists.columns]
    return objective.pairs(penalised, threads=threads), start
