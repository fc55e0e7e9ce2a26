r"""Pairwise ranking on long sentences, with and without guards, round by round: the figures of monsters.md.

Tunes with `pro --plain` (the published sampler; ψ = 0.1 and ψ = 1), with `pro`, and with `pro` and the filters of
Nakov et al. (2013), from several seeds: a model on the longest share of its development sentences, where the
weights of every round translate the test set as well; or, without a model, pools of candidates
(`monster_pools.py`).
One JSON line a run with BLEU and length ratio by round, and the picture of the page:

python benchmarks/quality_monsters.py > pools.jsonl
python benchmarks/quality_monsters.py --name zh-en -m model/ --dev dev.zh --refs dev.en.* --test test.zh \
    --test-refs test.en.* > zh-en.jsonl
python benchmarks/quality_monsters.py --drawn pools.jsonl zh-en.jsonl --picture docs/pictures/monsters.svg
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import measure
import monsters_picture
import numpy as np
from monster_pools import Pools

from tunesmith.decoding import ListDecoder, TranslationModel
from tunesmith.io import read_lines
from tunesmith.metrics import Bleu
from tunesmith.tuning import KBestSource, recipes
from tunesmith.tuning.recipe import Recipe
from tunesmith.weights import Weights

METRIC = Bleu(lowercase=True)
Sentences = tuple[list[str], list[list[str]]]


def tuners() -> dict[str, Recipe]:
    """The published sampler, all new weights at once or a tenth of them; ours, and ours with filters."""
    plain = recipes.pro(plain=True)
    return {
        "plain, ψ = 1": plain.with_settings("interpolation=1.0"),
        "plain, ψ = 0.1": plain,
        "filtered": recipes.pro().with_settings("outliers=2,max_length_difference=10"),
        "pro": recipes.pro(),
    }


def sentences(source: str, references: Sequence[str]) -> Sentences:
    """Lines with the references of each."""
    columns = [read_lines(path) for path in references]
    return read_lines(source), [list(row) for row in zip(*columns, strict=True)]


def longest(data: Sentences, share: float, most: int | None) -> Sentences:
    """The share with most source words, in the order of the file; `most`: of the first sentences only."""
    lines, references = data[0][:most], data[1][:most]
    lengths = np.array([len(line.split()) for line in lines])
    chosen = np.sort(np.argsort(-lengths, kind="stable")[: round(share * len(lines))])
    return [lines[i] for i in chosen], [references[i] for i in chosen]


def run_pools(words: int, recipe: Recipe, seed: int) -> dict[str, list[float]]:
    """BLEU and length ratio of every round on pools of candidates, new ones for each seed."""
    history = recipe.fit(Pools(words, seed=seed), seed=seed).history_
    return {
        "dev": [round(row.score, 2) for row in history],
        "dev_length": [round(row.length_ratio or 0.0, 3) for row in history],
    }


def run(model: Path, recipe: Recipe, seed: int, dev: Sentences, test: Sentences) -> dict[str, list[float]]:
    """BLEU and length ratio of every round on both sets."""
    opened = TranslationModel.open(model)
    decoder = ListDecoder(opened.decoder())
    prepared = METRIC.prepare(test[1])
    with tempfile.TemporaryDirectory() as folder:
        history = recipe.fit(KBestSource(decoder, *dev, recipe.k), seed=seed, output=folder).history_
        weights = [Weights.read(Path(folder) / "rounds" / f"{row.round:02}" / "weights.tsv") for row in history]
    totals = []
    for each in weights:
        decoder.set_weights(np.array([each.get(name, 0.0) for name in decoder.features]))
        found = decoder.k_best(test[0], 1)
        totals.append(prepared.statistics([found.text(i) for i in range(len(found))]).sum(axis=0))
    return {
        "dev": [round(row.score, 2) for row in history],
        "dev_length": [round(row.length_ratio or 0.0, 3) for row in history],
        "test": [round(float(METRIC.score(row)), 2) for row in totals],
        "test_length": [round(float(row[0] / row[1]), 3) for row in totals],
    }


def arguments() -> argparse.Namespace:
    """What was typed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-m", "--model", type=Path)
    parser.add_argument("--dev")
    parser.add_argument("--refs", nargs="+", default=[])
    parser.add_argument("--test")
    parser.add_argument("--test-refs", nargs="+", default=[])
    parser.add_argument("--share", type=float, default=0.5, help="of the development sentences, the longest")
    parser.add_argument("--most", type=int, help="of the first N development sentences")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--words", type=int, default=40, help="a sentence, where there is no model")
    parser.add_argument("--only", nargs="+", help="tuners by name")
    parser.add_argument("--name", default="", help="what the line calls the data")
    parser.add_argument("--drawn", nargs="+", help="lines of earlier runs to draw; nothing is tuned")
    parser.add_argument("--picture", type=Path, default=Path("docs/pictures/monsters.svg"))
    return parser.parse_args()


def tuned(typed: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A line for each tuner and seed."""
    if typed.model is not None:
        dev = longest(sentences(typed.dev, typed.refs), typed.share, typed.most)
        test = sentences(typed.test, typed.test_refs)
        words = sum(len(line.split()) for line in dev[0]) / len(dev[0])
        told = {"data": typed.name, "sentences": len(dev[0]), "words_a_sentence": round(words, 1)}
    for name, recipe in tuners().items():
        if typed.only is not None and name not in typed.only:
            continue
        plan = recipe.plan.with_rounds(typed.rounds)
        chosen = dataclasses.replace(recipe, metric=METRIC, plan=plan)
        for seed in typed.seeds:
            if typed.model is not None:
                yield {"tuner": name, "seed": seed, **told, **run(typed.model, chosen, seed, dev, test)}
            else:
                told = {"data": "pools", "words_a_sentence": typed.words}
                yield {"tuner": name, "seed": seed, **told, **run_pools(typed.words, chosen, seed)}


def main() -> None:
    """Run and report, or draw what was reported."""
    typed = arguments()
    if typed.drawn:
        lines = [json.loads(line) for path in typed.drawn for line in read_lines(path)]
        monsters_picture.draw(lines, typed.picture)
        return
    for line in tuned(typed):
        measure.report("quality monsters", line)


if __name__ == "__main__":
    main()
