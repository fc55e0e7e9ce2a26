"""What structural features cost left-to-right search: each template alone, and a million active weights.

The model of `left_to_right_model`, dev of zh-en, one thread. Weights of sparse features are for names that
100-best lists of dev have, then of training lines, until there are enough; they are small random numbers,
so that the work changes and hardly the hypotheses. Times are CPU milliseconds of a line, the least of several
runs that alternate with those of the dense model: `first` of a pass over dev right after weights are set, `again`
of the next pass, whose words and rules have been met before. `profile` is what `translate --profile` says of the
whole, a line.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import measure
import numpy as np
from left_to_right_model import DATA, lines_of, trained, training_text

from tunesmith.decoding import Decoder
from tunesmith.decoding.work.open_models import Models
from tunesmith.decoding.work.spec import DecoderSpec
from tunesmith.experiments.watanabe2007.rows import ALL_TOKENS, DENSE, STRUCTURES
from tunesmith.training.start import feature_parts, start_weights
from tunesmith.weights import Weights

REPEAT = 3
MILLION = 1_000_000
SMALL = 1e-4


def give_weights(decoder: Decoder, start: Weights, wanted: int) -> int:
    """Weights for this number of sparse features of the lists, or for all that there are; and the number."""
    lines = [*lines_of(0), *(source for source, _ in training_text()[:2000])]
    decoder.set_weights(start)
    for at in range(0, len(lines), 10):
        if len(decoder.index) >= wanted:
            break
        decoder.candidate_arrays(lines[at : at + 10], 100)
    values = np.random.default_rng(1).normal(scale=SMALL, size=len(decoder.index))[:wanted]
    given = decoder.index.vector(start)[0][:wanted]
    decoder.set_weights(np.pad(np.where(given == 0, values, given), (0, len(decoder.index) - len(given))))
    return int(np.count_nonzero(decoder.weights))


def milliseconds(decoder: Decoder) -> list[float]:
    """Of the first pass after weights were set, and of the next one."""
    lines, spent = lines_of(0), []
    decoder.set_weights(decoder.weights)
    for _ in range(2):
        begin = time.process_time()
        decoder.translate(lines)
        spent.append(1000 * (time.process_time() - begin) / len(lines))
    return spent


def costs(model: Path, wanted: int, each_alone: bool) -> dict[str, Any]:
    models = Models()
    chosen: dict[str, list[str]] = {"dense": []}
    for tokens in ("surface", ALL_TOKENS) if each_alone else (ALL_TOKENS,):
        if each_alone:
            chosen |= {f"{name}, {tokens}": [f"{name}:tokens={tokens}"] for name in STRUCTURES}
        chosen[f"all, {tokens}"] = [f"{name}:tokens={tokens}" for name in STRUCTURES]
    decoders, active = {}, {}
    for name, templates in chosen.items():
        features = feature_parts(",".join([DENSE, *templates]))
        opened = models.of(DecoderSpec(str(model), features=features)).with_own_names()
        decoders[name] = opened.decoder()
        active[name] = give_weights(decoders[name], start_weights(opened.system, opened.table), wanted)
    times: dict[str, list[list[float]]] = {name: [] for name in decoders}
    for _ in range(REPEAT):
        for name, decoder in decoders.items():
            times[name].append(milliseconds(decoder))
    least = {name: [min(of_pass) for of_pass in zip(*each, strict=True)] for name, each in times.items()}
    whole = decoders[f"all, {ALL_TOKENS}"]
    whole.start_profile()
    whole.translate(lines_of(0))
    found = whole.profile()
    seconds = {**found.features, "target sides": found.target_sides, "rest of search": found.rest_of_search}
    return {
        "rows": [
            {"features": name, "active": active[name], "first": round(first, 4), "again": round(again, 4),
             "over_dense": [round(first / least["dense"][0], 3), round(again / least["dense"][1], 3)]}
            for name, (first, again) in least.items()
        ],
        "profile": {name: round(1000 * spent / len(lines_of(0)), 4) for name, spent in seconds.items()},
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, help="of left_to_right_model, trained before")
    parser.add_argument("--weights", type=int, default=MILLION)
    parser.add_argument("--each", action="store_true", help="also every template alone")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        return
    with tempfile.TemporaryDirectory() as folder:
        model = arguments.model or trained(Path(folder))
        measure.report("structure", costs(model, arguments.weights, arguments.each))


if __name__ == "__main__":
    main()
