"""Decoding with the extended features of Green et al. (2014) compared with the dense ones, at the same pop limit.

    python benchmarks/speed_extended.py MODEL SOURCE [ACTIVE]

MODEL is a phrase-based model with word classes and the eight orientations of `dense-green`, such as that of
`experiment green2014`; its features are `dense-green,extended-filtered`, whatever it names. Every feature that it
knows after the 100-best lists of SOURCE gets a small random weight, or ACTIVE of them drawn at random and all that
the model starts with. One JSON line for the dense features, for all, for all with copies for two domains, and for
all without each of the features that the search computes: CPU seconds of one thread (median of alternating runs),
edges scored, ratio to dense. The last line has the seconds of each feature, by `start_profile`.
"""

from __future__ import annotations

import dataclasses
import statistics
import sys
import time

import measure
import numpy as np

from tunesmith.corpus.text_files import labelled
from tunesmith.decoding import Decoder
from tunesmith.decoding.model import TranslationModel
from tunesmith.features import split_features
from tunesmith.features.domains import copy_name
from tunesmith.io import read_lines
from tunesmith.training.start import feature_parts
from tunesmith.weights import Weights

REPEAT = 3
EVERY = feature_parts("dense-green,extended-filtered", "phrase")
OF_SEARCH = ("class_boundary", "class_orientation", "lexical_orientation", "signed_distortion",
             "punctuation_ratio", "function_word_ratio")  # fmt: skip
COPIED = ("lexical_rule", "lexical_alignment", "lexical_orientation")
DOMAINS = ("a", "b")
COPIES = f"domains:names={'/'.join(DOMAINS)},templates={'/'.join(COPIED)}"
WITH_COPIES = "with copies for two domains"


def variant(model: TranslationModel, chosen: set[str], domains: str = "") -> TranslationModel:
    """The model with these templates alone.   domains: copies of features in addition."""
    parts = [part for part in EVERY if part.template in chosen]
    if domains:
        parts += feature_parts(domains, "phrase")
    local, across = split_features(parts)
    system = dataclasses.replace(model.system, features=tuple(parts))
    features = local.compile(model.table, on_demand=True)
    return dataclasses.replace(model, system=system, features=features, state_features=across)


def weights_of(model: TranslationModel, lines: list[str], active: int | None) -> dict[str, float]:
    """Weights of the model, and random ones of all features, or of `active` of them."""
    decoder = variant(model, {part.template for part in EVERY}).decoder()
    decoder.candidate_arrays(lines, 100)
    random = np.random.default_rng(1)
    names, start = list(decoder.index), dict(model.start_weights().items())
    if active is not None:
        names = [names[at] for at in sorted(random.permutation(len(names))[: active - len(start)])]
    return {**{name: 0.02 * random.standard_normal() for name in names}, **start}


def with_copies(weights: dict[str, float]) -> dict[str, float]:
    """The same with random weights of copies."""
    random = np.random.default_rng(2)
    copied = [name for name in weights if name.partition(":")[0] in COPIED]
    copies = [copy_name(name, domain) for domain in DOMAINS for name in copied]
    return {**weights, **{name: 0.02 * random.standard_normal() for name in copies}}


def seconds(decoder: Decoder, lines: list[str]) -> tuple[float, int]:
    """CPU seconds, and edges that were scored."""
    start = time.process_time()
    found = decoder.k_best(lines, 100)
    return time.process_time() - start, sum(each.pops for each in found)


def main(folder: str, source: str, active: str = "") -> None:
    """Measure all variants, one run of each in turn."""
    model, lines = TranslationModel.open(folder), read_lines(source)
    weights = weights_of(model, lines, int(active) if active else None)
    every = {part.template for part in EVERY}
    dense = {part.template for part in feature_parts("dense-green", "phrase")}
    variants = {
        "dense": dense,
        "extended-filtered": every,
        **{f"without {name}": every - {name} for name in OF_SEARCH},
    }
    plain = Weights.from_mapping(weights)
    decoders = {name: variant(model, chosen).decoder(plain) for name, chosen in variants.items()}
    copies = variant(model, every, COPIES).decoder(Weights.from_mapping(with_copies(weights)))
    texts = dict.fromkeys(decoders, lines)
    decoders[WITH_COPIES] = copies
    texts[WITH_COPIES] = labelled(lines, [DOMAINS[at % 2] for at in range(len(lines))])
    runs: dict[str, list[tuple[float, int]]] = {name: [] for name in decoders}
    for repeat in range(REPEAT + 1):
        for name, decoder in decoders.items():
            one = seconds(decoder, texts[name])
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
    if len(sys.argv) in {3, 4}:
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
