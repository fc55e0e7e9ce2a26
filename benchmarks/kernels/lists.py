"""Lists of candidates read, merged, opened; their statistics."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

import numpy as np

from kernels.common import Measured, bench, cpu, digest, kernel, prepares, shared


@prepares
def candidate_folder(folder: Path) -> None:
    """Lists and weights of speed_check.py."""
    check = bench("speed_check")
    check.candidates(folder / "candidates")
    values = np.random.default_rng(1).normal(size=check.NAMES).tolist()
    named = {f"word_pair:{at}_{at * 7 % 1000}": value for at, value in enumerate(values)}
    check.Weights.from_mapping(named, "tuned|version:1").write(folder / "weights.tsv")


@prepares
def lists(folder: Path) -> None:
    """n-best lists of speed_nbest.py, made part by part."""
    nbest = bench("speed_nbest")
    for dialect in ("moses", "json", "cdec", "moses-dat"):
        nbest.made(folder, 50_000, dialect)


@kernel
def nbest(folder: Path) -> Measured:
    from tunesmith.search import CandidateSet, read_kbest, write_kbest

    CandidateSet.from_records([{"id": 0, "hypothesis": "a", "lm": 1.0}])
    measured, found = {}, []
    for dialect in ("moses", "json", "cdec", "moses-dat"):
        path = folder / f"{dialect}.50000"
        seconds, read = cpu(functools.partial(read_kbest, path, dialect))
        measured[f"{dialect}, reading"] = seconds
        measured[f"{dialect}, writing"] = cpu(functools.partial(write_kbest, read, folder / "again", dialect))[0]
        found.append(hashlib.blake2b((folder / "again").read_bytes()).hexdigest())
    return {**measured, "digest": digest(found)}


@kernel
def candidates(folder: Path) -> Measured:
    speed = bench("speed_candidates")
    runs = shared() / "reference/tune"
    files = [(runs / f"run{i}.features.dat.gz", runs / f"run{i}.scores.dat.gz") for i in range(1, 6)]
    loading, read = cpu(lambda: [speed.read_moses_run(*pair) for pair in files])
    merging, merged = cpu(lambda: speed.merge(read), 3)
    w = np.random.default_rng(1).normal(size=merged.columns)
    scoring, scores = cpu(lambda: merged.scores(w), 21)
    opening, _ = cpu(lambda: speed.CandidateSet.load(folder / "candidates"), 5)
    return {"runs of Moses, loading": loading, "merging": merging, "X·w": scoring, "folder, opening": opening,
            "digest": digest(scores)}  # fmt: skip


@kernel
def candidates_on_disk(folder: Path) -> Measured:
    import shutil

    (folder / "disk").mkdir()
    found = bench("speed_candidates").on_disk(folder / "disk", 200)
    shutil.rmtree(folder / "disk")
    return {"merging on disk": found["merge_cpu_seconds"], "X·w on disk": found["scores_cpu_seconds"],
            "digest": digest(found["candidates"], found["rule_uses"])}  # fmt: skip


@kernel
def check(folder: Path) -> Measured:
    from tunesmith.decoding import TranslationModel
    from tunesmith.weights import Weights

    reading, weights = cpu(lambda: Weights.read(folder / "weights.tsv"), 3)
    measured = {"a million weights": reading}
    for kind in ("hiero", "phrase"):
        measured[f"{kind} model"] = cpu(functools.partial(TranslationModel.open, folder / kind), 21)[0]
    return {**measured, "digest": digest(len(weights))}


@kernel
def bleu(folder: Path) -> Measured:
    import random

    from tunesmith.metrics import Bleu

    speed = bench("speed_bleu")
    references, lines = speed.zh_en()
    chance = random.Random(1)
    made = [(speed.damaged(references[s][0], chance), s) for s in range(500) for _ in range(200)]
    prepared = Bleu().prepare(references[:500])
    hypotheses, sentences = [h for h, _ in made], np.array([s for _, s in made])
    texts, found = cpu(lambda: prepared.statistics(hypotheses, sentences), 5)
    few = [line for line in lines if len(line.split()) > 2][:500]
    words = speed.WordLists.from_texts([speed.damaged(line, chance) for line in few for _ in range(200)])
    ids = speed.list_statistics(words, few, False, 1)
    return {"texts": texts, "ids": ids["seconds"], "digest": digest(found, ids["totals"])}
