"""Candidate folders, plain and factored."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from support.lists.candidate_sets import random_factored, random_rule_features

from fuzz.kind import OUT, Files, Kind, files_of
from fuzz.memory import scratch
from fuzz.reseal import reseal_manifests
from tunesmith.search import CandidateSet, write_kbest
from tunesmith.tuning.losses.expected_gain import ExpectedGain
from tunesmith.tuning.pools.lists import ListPool


def _rule_features() -> Any:
    return random_rule_features(np.random.default_rng(1), rules=12, sparse=5)


@cache
def _saved(factored: bool) -> Files:
    random = np.random.default_rng(2)
    if factored:
        found = random_factored(random, _rule_features(), rows=8, sentences=3)
    else:
        matrix = np.where(random.random((7, 6)) < 0.4, random.normal(size=(7, 6)), 0.0)
        matrix[:, :2] = random.normal(size=(7, 2))
        statistics = random.integers(1, 9, size=(7, 10))
        texts = ["a b", "", "我 茶", "c", "a", "a a a", "b"]
        found = CandidateSet.from_matrix(matrix, [0, 3, 3, 7], texts=texts, statistics=statistics)
    with scratch("tunesmith-seed-") as name:
        found.save(Path(name) / "lists")
        return {f"lists/{path}": data for path, data in files_of(Path(name) / "lists").items()}


def _use(found: CandidateSet) -> None:
    found.scores(np.ones(found.columns))
    found.rows()
    if found.words is not None:
        for at in range(len(found)):
            found.text(at)


def _plain(folder: Path) -> None:
    found = CandidateSet.load(folder / "lists")
    _use(found)
    (folder / OUT).mkdir()
    if found.words is not None:
        write_kbest(found, folder / OUT / "list", "json", lossy=True)


def _factored(folder: Path) -> None:
    found = CandidateSet.load(folder / "lists", _rule_features())
    _use(found)


def _objective(folder: Path) -> None:
    from tunesmith.metrics import Bleu

    found = CandidateSet.load(folder / "lists")
    if found.statistics is not None and found.statistics.shape[1] == Bleu().width:
        objective = ExpectedGain().prepare(ListPool(found), Bleu(), 1)
        objective.value_and_grad(np.zeros(found.columns))


def kinds() -> list[Kind]:
    return [
        Kind("candidates", lambda: [dict(_saved(False))], _plain, reseal=reseal_manifests),
        Kind("candidates-factored", lambda: [dict(_saved(True))], _factored, reseal=reseal_manifests),
        Kind("candidates-objective", lambda: [dict(_saved(False))], _objective, reseal=reseal_manifests),
    ]
