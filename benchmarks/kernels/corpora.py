"""From text to rules and language models; search graphs; starting."""

from __future__ import annotations

import functools
import time
from pathlib import Path
from typing import Any

import numpy as np

from kernels.common import Measured, bench, cpu, digest, kernel, pairs, prepares, text


@prepares
def rules(folder: Path) -> None:
    """A hierarchical table of 10,000 pairs of multi30k."""
    from tunesmith.grammar import ExtractOptions, extract_rules

    bitext, links = pairs(10_000)
    extract_rules(bitext, links, folder / "rules", ExtractOptions.moses("hiero"), threads=2)


@prepares
def arpa(folder: Path) -> None:
    """A language model of zh-en."""
    from tunesmith.lm import LmOptions, estimate

    estimate(text("zh-en/train.en.gz"), LmOptions(order=5)).write_arpa(folder / "lm.arpa")


@kernel
def align(folder: Path) -> Measured:
    """Wall seconds: the sampler runs in processes of its own."""
    from tunesmith.alignment import align as aligned
    from tunesmith.corpus.bitext import Bitext

    some = Bitext(text("zh-en/train.zh.gz", 10_000), text("zh-en/train.en.gz", 10_000))
    start = time.perf_counter()
    result = aligned(some, threads=2)
    seconds = time.perf_counter() - start
    return {"wall": seconds, "digest": digest(result.joined.source, result.joined.target)}


@kernel
def extract(folder: Path) -> Measured:
    from tunesmith.grammar import ExtractOptions, extract_rules

    measured, sizes = {}, []
    for kind, most in (("phrase", 29_000), ("hiero", 5_000)):
        bitext, links = pairs(most)
        path = folder / f"extracted-{kind}"
        seconds, table = cpu(
            functools.partial(extract_rules, bitext, links, path, ExtractOptions.moses(kind), threads=1)
        )
        measured[kind] = seconds
        sizes.append((len(table), table.manifest["totals"]["occurrences"]))
        import shutil

        shutil.rmtree(path)
    return {**measured, "digest": digest(sizes)}


@kernel
def features(folder: Path) -> Measured:
    from tunesmith.features import FeatureSet
    from tunesmith.grammar import RuleTable

    table, chosen = RuleTable.open(folder / "rules"), FeatureSet.parse("default,id,big")
    building, matrix = cpu(lambda: chosen.compile(table, threads=1))
    w = np.random.default_rng(1).normal(size=matrix.columns)
    scoring, scores = cpu(lambda: matrix.scores(w), 3)
    reading = bench("speed_features").weights_read(str(folder / "rules"), "shuffled", str(folder))
    return {"building F": building, "F·w": scoring, "weights read": reading["cpu_s"], "digest": digest(scores)}


@kernel
def graph(folder: Path) -> Measured:
    speed = bench("speed_graph")
    made, scores = speed.made_up_graph(1)
    timed = {
        "best": (lambda: made.best(scores), 15),
        "k-best": (lambda: made.k_best(scores, speed.K), 15),
        "distinct": (lambda: made.k_best(scores, speed.K, distinct=True), 15),
        "posteriors": (lambda: made.posteriors(scores), 15),
        "pruning": (lambda: made.prune_to_density(scores, speed.WORDS), 15),
    }
    found = {name: cpu(work, repeat)[0] for name, (work, repeat) in timed.items()}
    pruned = made.prune_to_density(scores, speed.WORDS)
    few = scores[pruned.edges]
    references = [" ".join(map(str, made.k_best(scores, speed.K, distinct=True)[-1].words.tolist()))]
    oracle, best = cpu(lambda: pruned.graph.oracle(few, references, str), 3)
    found["oracle"] = oracle
    listed = made.k_best(scores, speed.K)
    return {**found, "digest": digest(listed.scores, made.posteriors(scores), best.metric[0])}


@kernel
def lm_query(folder: Path) -> Measured:
    from tunesmith.lm import NgramModel

    loading, model = cpu(lambda: NgramModel.load(folder / "lm.arpa"))
    lines = text("zh-en/train.en.gz")
    scoring = cpu(lambda: model.score(lines), 3)[0]
    rows = np.random.default_rng(1).integers(0, len(model), size=(500_000, 5), dtype=np.int32)
    asking, found = cpu(lambda: model.score_ngrams(rows), 3)
    ids = model.ids(" ".join(lines[:5000]).split()).tolist()
    stepping = cpu(lambda: by_number(model, ids), 3)[0]
    return {"loading ARPA": loading, "lines": scoring, "random 5-grams": asking, "steps": stepping,
            "digest": digest(model.score(lines).log10, found)}  # fmt: skip


def by_number(model: Any, ids: list[int]) -> None:
    """One step a word, each with the state of the one before."""
    state, step = model.begin(), model.step
    for number in ids:
        state = step(state, number)[2]


@kernel
def lm_train(folder: Path) -> Measured:
    from tunesmith.lm import LmOptions, estimate

    lines = text("zh-en/train.en.gz")
    seconds, model = cpu(lambda: estimate(lines, LmOptions(order=5)), 3)
    path = folder / "trained.arpa"
    model.write_arpa(path)
    return {"estimation": seconds, "digest": digest(path.read_bytes())}


@kernel
def vocab(folder: Path) -> Measured:
    speed = bench("speed_vocab")
    lines = speed.zipf_text()
    building, words = cpu(lambda: speed.Vocabulary.build(lines), 3)
    encoding, found = cpu(lambda: words.encode(lines), 3)
    return {"building": building, "encoding": encoding, "digest": digest(words.words[:1000], found)}


@kernel
def start(folder: Path) -> Measured:
    """Wall seconds of new processes."""
    speed = bench("speed_import")
    seconds = bench("measure").median_seconds
    names = ("import_tunesmith", "import_metrics", "version")
    return {name: seconds(functools.partial(speed.start, speed.COMMANDS[name]), 11) for name in names}
