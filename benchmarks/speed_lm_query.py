"""Queries against KenLM on the same ARPA file, one thread: whole lines, and single 5-grams by word number.

KenLM's Python module takes words by string only, one call a query. `step_ns` is that for both: one call from
Python for each word, the state handed on.

Text: English of zh-en (the phrasebook where ../shared is missing); the model is our order-5 model of its training
text. Loading is listed apart: the ARPA file in both, and our binary file.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import measure
import numpy as np

from tunesmith.io import read_lines
from tunesmith.lm import LmOptions, NgramModel, estimate

measure.needs("kenlm")
import kenlm  # noqa: E402

QUERIES = 1_000_000


def texts() -> tuple[str, list[str], list[str]]:
    """Name, training lines, evaluation lines."""
    if measure.SHARED.is_dir():
        folder = measure.SHARED / "data/zh-en"
        sets = [f"{name}.en.{i}" for name in ("dev", "devtest", "test") for i in range(8)]
        return "zh-en", read_lines(folder / "train.en.gz"), [x for name in sets for x in read_lines(folder / name)]
    from tunesmith.corpus.phrasebook import PhrasebookOptions, generate

    corpus = generate(PhrasebookOptions(pairs=50_000, seed=1))
    references = [reference for sentence in corpus.test for reference in sentence.references]
    return "phrasebook", [pair.target for pair in corpus.train], references


def load_kenlm(path: Path) -> kenlm.Model:
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    return kenlm.Model(str(path), config)


def by_number(model: NgramModel, ids: list[int]) -> None:
    """One `step` a word, each with the state of the one before: the twin of `by_string`."""
    state, step = model.begin(), model.step
    for id in ids:
        state = step(state, id)[2]


def ours(path: Path, sets: dict[str, list[str]]) -> dict[str, Any]:
    """Loading from both files, lines, random 5-grams and 5-grams of the text."""
    loading = measure.median_seconds(lambda: NgramModel.load(path), repeat=3)
    model = NgramModel.load(path)
    binary = path.with_suffix(".bin")
    model.save(binary)
    fields: dict[str, Any] = {
        "load_arpa_seconds": loading,
        "load_binary_seconds": measure.median_seconds(lambda: NgramModel.load(binary)),
        **{name: measure.median_seconds(lambda: model.score(lines)) for name, lines in sets.items()},  # noqa: B023
    }
    rows = np.random.default_rng(1).integers(0, len(model), size=(QUERIES, 5), dtype=np.int32)
    ids = model.ids(" ".join(sets["training"]).split())
    seen = np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(ids, 5))
    fields["random_5gram_ns"] = measure.median_seconds(lambda: model.score_ngrams(rows)) / len(rows) * 1e9
    fields["text_5gram_ns"] = measure.median_seconds(lambda: model.score_ngrams(seen)) / len(seen) * 1e9
    numbers = ids.tolist()
    fields["text_step_ns"] = measure.median_seconds(lambda: by_number(model, numbers), repeat=3) / len(ids) * 1e9
    fields["sums"] = [float(model.score(lines).log10.sum()) for lines in sets.values()]
    return fields


def by_string(model: kenlm.Model, words: list[str]) -> None:
    """One `BaseScore` a word, each with the state of the one before."""
    state, out, score = kenlm.State(), kenlm.State(), model.BaseScore
    model.BeginSentenceWrite(state)
    for word in words:
        score(state, word, out)
        state, out = out, state


def theirs(path: Path, sets: dict[str, list[str]]) -> dict[str, Any]:
    """The same by KenLM's Python module, line by line as it offers it."""
    loading = measure.median_seconds(lambda: load_kenlm(path), repeat=3)
    model = load_kenlm(path)
    score = model.score
    words = " ".join(sets["training"]).split()
    return {
        "load_arpa_seconds": loading,
        "text_step_ns": measure.median_seconds(lambda: by_string(model, words), repeat=3) / len(words) * 1e9,
        **{name: measure.median_seconds(lambda: [score(x) for x in lines]) for name, lines in sets.items()},  # noqa: B023
        "sums": [sum(map(score, lines)) for lines in sets.values()],
    }


def main() -> None:
    text, training, evaluation = texts()
    sets = {"evaluation": evaluation, "training": training}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lm.arpa"
        estimate(training, LmOptions(order=5)).write_arpa(path)
        mine = measure.in_child(partial(ours, path, sets))
        other = measure.in_child(partial(theirs, path, sets))
    for name, lines in sets.items():
        words = sum(len(line.split()) + 1 for line in lines)
        measure.report(
            "lm_score",
            {
                "text": f"{text} {name}",
                "words": words,
                "words_a_second": round(words / mine[name]),
                "kenlm_words_a_second": round(words / other[name]),
                "ratio": round(other[name] / mine[name], 2),
                "equal": bool(np.allclose(mine["sums"], other["sums"], rtol=1e-6)),
            },
        )
    measure.report(
        "lm_query",
        {
            "text": text,
            **{key: round(mine[key], 1) for key in ("random_5gram_ns", "text_5gram_ns", "text_step_ns")},
            "kenlm_text_step_ns": round(other["text_step_ns"], 1),
            "load_arpa_seconds": round(mine["load_arpa_seconds"], 3),
            "kenlm_load_arpa_seconds": round(other["load_arpa_seconds"], 3),
            "load_binary_ms": round(1e3 * mine["load_binary_seconds"], 2),
            "added_mb": mine["added_mb"],
            "kenlm_added_mb": other["added_mb"],
        },
    )


if __name__ == "__main__":
    main()
