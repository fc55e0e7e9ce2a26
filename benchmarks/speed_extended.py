"""Decoding with the extended features of Green et al. (2014) compared with the dense ones, at the same pop limit.

    python benchmarks/speed_extended.py MODEL SOURCE

MODEL is a phrase-based model with `dense-green,extended-filtered`. Every feature of the 100-best lists of SOURCE
gets a small random weight. One JSON line for the dense features, for all, and for all without each of the features
that the search computes: CPU seconds of one thread (median of alternating runs), edges scored, ratio to dense.
The last line has the seconds of each feature, by `start_profile`.
"""

from __future__ import annotations

import dataclasses
import statistics
import sys
import time

import measure
import numpy as np

from tunesmith.decoding import Decoder
from tunesmith.decoding.model import TranslationModel
from tunesmith.io import read_lines
from tunesmith.training.start import feature_parts
from tunesmith.weights import Weights

REPEAT = 3
OF_SEARCH = ("class_boundary", "class_orientation", "lexical_orientation", "signed_distortion",
             "punctuation_ratio", "function_word_ratio")  # fmt: skip


def variant(model: TranslationModel, chosen: set[str]) -> TranslationModel:
    """The model with these templates alone."""
    parts = tuple(part for part in model.system.features if part.template in chosen)
    across = {name: template for name, template in model.state_features.items() if name in chosen}
    system = dataclasses.replace(model.system, features=parts)
    return dataclasses.replace(model, system=system, state_features=across).with_own_names()


def weights_of(model: TranslationModel, lines: list[str]) -> Weights:
    """Those of the model, and random ones of all features that lists have."""
    decoder = model.with_own_names().decoder()
    decoder.candidate_arrays(lines, 100)
    random = np.random.default_rng(1)
    found = {name: 0.02 * random.standard_normal() for name in decoder.index}
    return Weights.from_mapping({**found, **dict(model.start_weights().items())})


def seconds(decoder: Decoder, lines: list[str]) -> tuple[float, int]:
    """CPU seconds, and edges that were scored."""
    start = time.process_time()
    found = decoder.k_best(lines, 100)
    return time.process_time() - start, sum(each.pops for each in found)


def main(folder: str, source: str) -> None:
    """Measure all variants, one run of each in turn."""
    model, lines = TranslationModel.open(folder), read_lines(source)
    weights = weights_of(model, lines)
    every = {part.template for part in model.system.features}
    dense = {part.template for part in feature_parts("dense-green", "phrase")}
    variants = {
        "dense": dense,
        "extended-filtered": every,
        **{f"without {name}": every - {name} for name in OF_SEARCH},
    }
    decoders = {name: variant(model, chosen).decoder(weights) for name, chosen in variants.items()}
    runs: dict[str, list[tuple[float, int]]] = {name: [] for name in decoders}
    for repeat in range(REPEAT + 1):
        for name, decoder in decoders.items():
            one = seconds(decoder, lines)
            if repeat:  # the first run computes the scores of rules
                runs[name].append(one)
    medians = {name: statistics.median(second for second, _ in each) for name, each in runs.items()}
    for name, each in runs.items():
        measure.report("extended_features", {
            "features": name, "cpu_seconds": round(medians[name], 3), "edges": each[0][1],
            "ratio": round(medians[name] / medians["dense"], 3),
            "active": int(np.count_nonzero(decoders[name].weights)),
        })  # fmt: skip
    decoder = decoders["extended-filtered"]
    decoder.start_profile()
    decoder.k_best(lines, 100)
    profile = decoder.profile()
    measure.report("extended_features_profile", {
        **{name: round(second, 3) for name, second in profile.features.items()},
        "target sides": round(profile.target_sides, 3), "rest of search": round(profile.rest_of_search, 3),
        "lists": round(profile.lists, 3),
    })  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) == 3:
        main(*sys.argv[1:])
