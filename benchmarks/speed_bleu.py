"""BLEU statistics against sacrebleu's own: references cached on both sides, same strings in, one thread.

Two cases: 500 sentences × 400 candidates that share their references, and 200,000 different lines. Text: English
of the phrasebook and, where ../shared is there, of zh-en; candidates are references with words moved or lost.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import measure
import numpy as np
from sacrebleu.metrics.bleu import BLEU

from tunesmith.metrics import Bleu


def damaged(line: str, rng: random.Random) -> str:
    """The line with two edits."""
    words = line.split()
    for _ in range(2):
        at, to = rng.randrange(len(words)), rng.randrange(len(words))
        edit = rng.random()
        if edit < 0.4:
            words.insert(to, words.pop(at))
        elif edit < 0.7 and len(words) > 2:
            words.pop(at)
        else:
            words[at] = words[to]
    return " ".join(words)


def ours(hypotheses: list[str], sentences: list[int], references: list[tuple[str, ...]]) -> dict[str, Any]:
    """Seconds and the summed statistics."""
    prepared, numbers = Bleu().prepare(references), np.array(sentences)
    seconds = measure.median_seconds(lambda: prepared.statistics(hypotheses, numbers))
    return {"seconds": seconds, "totals": prepared.statistics(hypotheses, numbers).sum(axis=0).tolist()}


def theirs(hypotheses: list[str], sentences: list[int], references: list[tuple[str, ...]]) -> dict[str, Any]:
    """The same by the methods that sacrebleu's corpus_score uses, line by line."""
    judge = BLEU(tokenize="none", force=True)
    cache = judge._cache_references(list(zip(*references, strict=True)))

    def statistics() -> list[list[int]]:
        return [
            judge._compute_segment_statistics(judge._preprocess_segment(hypothesis), cache[sentence])
            for hypothesis, sentence in zip(hypotheses, sentences, strict=True)
        ]

    seconds = measure.median_seconds(statistics, repeat=3)
    return {"seconds": seconds, "totals": np.sum(statistics(), axis=0).tolist()}


def run(
    case: str, text: str, hypotheses: list[str], sentences: list[int], references: list[tuple[str, ...]]
) -> None:
    """Both sides, each in its own process."""
    sides: dict[str, Callable[..., dict[str, Any]]] = {"ours": ours, "sacrebleu": theirs}
    results = {
        name: measure.in_child(partial(side, hypotheses, sentences, references)) for name, side in sides.items()
    }
    measure.report(
        "bleu_statistics",
        {
            "case": case,
            "text": text,
            "words_per_line": round(results["ours"]["totals"][0] / len(hypotheses), 1),
            "seconds": round(results["ours"]["seconds"], 4),
            "sacrebleu_seconds": round(results["sacrebleu"]["seconds"], 3),
            "ratio": round(results["sacrebleu"]["seconds"] / results["ours"]["seconds"], 1),
            "wanted_ratio": 30,
            "added_mb": results["ours"]["added_mb"],
            "sacrebleu_added_mb": results["sacrebleu"]["added_mb"],
            "equal": results["ours"]["totals"] == results["sacrebleu"]["totals"],
        },
    )


def cases(text: str, references: list[tuple[str, ...]], lines: list[str]) -> None:
    """Shared references first, then different lines."""
    rng = random.Random(1)
    shared = [(damaged(references[s][0], rng), s) for s in range(500) for _ in range(400)]
    run("500 sentences × 400 candidates", text, [h for h, _ in shared], [s for _, s in shared], references[:500])
    many = different_lines(lines, 200_000, rng)
    run(
        "200000 different lines",
        text,
        [damaged(x, rng) for x in many],
        list(range(len(many))),
        [(x,) for x in many],
    )


def different_lines(lines: list[str], size: int, rng: random.Random) -> list[str]:
    """All different lines, and as many more as are needed: lines with a word taken from another one."""
    found = dict.fromkeys(lines)
    while len(found) < size:
        words, others = rng.choice(lines).split(), rng.choice(lines).split()
        words[rng.randrange(len(words))] = rng.choice(others)
        found[" ".join(words)] = None
    return list(found)[:size]


def phrasebook() -> tuple[list[tuple[str, ...]], list[str]]:
    """References and training lines of the built-in corpus."""
    from tunesmith.corpus.phrasebook import PhrasebookOptions, generate

    corpus = generate(PhrasebookOptions(pairs=20_000, seed=1))
    padded = [(*s.references, *[s.references[0]] * (16 - len(s.references))) for s in corpus.dev]
    return padded, [pair.target for pair in corpus.train]


def zh_en() -> tuple[list[tuple[str, ...]], list[str]]:
    """References and training lines of zh-en."""
    folder = measure.SHARED / "data/zh-en"
    streams = [(folder / f"dev.en.{i}").read_text(encoding="utf-8").split("\n")[:-1] for i in range(8)]
    with gzip.open(folder / "train.en.gz", "rt", encoding="utf-8") as file:
        return list(zip(*streams, strict=True)), file.read().split("\n")[:-1]


if __name__ == "__main__":
    cases("phrasebook", *phrasebook())
    if measure.SHARED.is_dir():
        cases("zh-en", *zh_en())
