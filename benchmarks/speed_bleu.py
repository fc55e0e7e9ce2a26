"""BLEU statistics against sacrebleu's own: references cached on both sides, same strings in, one thread.

Two cases: 500 sentences × 400 candidates that share their references, and 200,000 different lines. Text: English
of the phrasebook and, where ../shared is there, of zh-en; candidates are references with words moved or lost.

Then training lists, 5,000 sentences × 200 candidates held as word ids: counted from ids, and by way of texts.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import measure
import numpy as np
from sacrebleu.metrics.bleu import BLEU
from scipy.sparse import csr_matrix

from tunesmith.metrics import Bleu, Prepared
from tunesmith.metrics.base import Floats, Integers
from tunesmith.search import CandidateSet, PlainMatrix, WordLists


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


class ByTexts(Prepared):
    """A metric that knows texts only: the slow twin of counting ids."""

    def __init__(self, prepared: Prepared) -> None:
        self.counts, self._prepared = prepared.counts, prepared

    def rows(self, hypotheses: Sequence[str], sentences: Integers, threads: int) -> Floats:
        return self._prepared.rows(hypotheses, sentences, threads)


def list_statistics(words: WordLists, references: list[str], texts: bool, threads: int) -> dict[str, Any]:
    """Seconds and the summed statistics of lists that are all of the same length."""
    offsets = np.linspace(0, len(words), len(references) + 1, dtype=np.int64)
    lists = CandidateSet(PlainMatrix.from_csr(csr_matrix((len(words), 1))), offsets, words=words)
    prepared: Prepared = Bleu().prepare([(reference,) for reference in references])
    prepared = ByTexts(prepared) if texts else prepared
    seconds = measure.median_seconds(lambda: lists.with_statistics(prepared, threads=threads), repeat=5)
    found = lists.with_statistics(prepared, threads=threads).statistics
    assert found is not None
    return {"seconds": seconds, "totals": found.sum(axis=0).tolist()}


def training_lists(text: str, lines: list[str]) -> None:
    """Ids and texts, on one thread and on two, each in its own process."""
    rng = random.Random(2)
    references = [line for line in lines if len(line.split()) > 2][:5000]
    words = WordLists.from_texts([damaged(line, rng) for line in references for _ in range(200)])
    for threads in (1, 2):
        ids, texts = (
            measure.in_child(partial(list_statistics, words, references, side, threads)) for side in (False, True)
        )
        if ids["totals"] != texts["totals"]:
            raise SystemExit("ids and texts have different statistics")
        measure.report(
            "list_statistics",
            {
                "case": f"{len(references)} sentences × 200 candidates",
                "text": text,
                "threads": threads,
                "words_per_line": round(len(words.ids) / len(words), 1),
                "vocabulary": len(words.vocabulary),
                "seconds": round(ids["seconds"], 3),
                "texts_seconds": round(texts["seconds"], 3),
                "ratio": round(texts["seconds"] / ids["seconds"], 1),
                "wanted_ratio": 2,
                "added_mb": ids["added_mb"],
                "texts_added_mb": texts["added_mb"],
            },
        )


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
    corpora = {"phrasebook": phrasebook()} | ({"zh-en": zh_en()} if measure.SHARED.is_dir() else {})
    for name, (references, lines) in corpora.items():
        cases(name, references, lines)
        training_lists(name, lines)
