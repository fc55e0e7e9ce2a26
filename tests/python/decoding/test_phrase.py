"""The phrase-based decoder against looking at every derivation, and the features of what it finds."""

import dataclasses
import itertools

import pytest
from reference.exhaustive_phrase import block_orientations, derivations, hierarchical_orientations, ranked
from support.models.phrase_models import ALL, assert_is_derivation, phrases_of, small_model
from support.models.small_models import assert_features, sentences

from tunesmith.decoding import StackOptions


@pytest.mark.parametrize("lm", [False, True])
@pytest.mark.parametrize("limit", [-1, 0, 1, 2, 5])
@pytest.mark.parametrize("seed", range(2))
def test_without_pruning_all_derivations_are_found_in_order(seed, limit, lm, tmp_path):
    options = dataclasses.replace(ALL, distortion_limit=limit)
    model = small_model(tmp_path, seed, lm=lm, order=2 + seed, options=options)
    for words in sentences(seed, longest=4):
        wanted = model.ranked(words)
        found = model.decoder.k_best([" ".join(words)], len(wanted) + 10)[0]
        assert len(found) == len(wanted)
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
        assert sorted((one.text, phrases_of(one)) for one in found) == sorted(
            (" ".join(one.words), one.phrases) for _, one in wanted
        )
        best = model.decoder.translate([" ".join(words)])[0]
        assert best.score == pytest.approx(wanted[0][0], abs=1e-4)


@pytest.mark.parametrize(
    "columns",
    [
        ("previous-monotone", "previous-non-monotone"),
        ("previous-monotone", "previous-swap", "previous-discontinuous", "previous-non-monotone",
         "next-monotone", "next-swap", "next-discontinuous", "next-non-monotone"),
        ("next-monotone", "next-swap", "next-discontinuous-left", "next-discontinuous-right"),
        ("previous-monotone", "previous-swap", "previous-discontinuous-left", "previous-discontinuous-right",
         "next-monotone", "next-swap", "next-discontinuous-left", "next-discontinuous-right"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("neighbour", ["word", "phrase", "hier"])
def test_every_kind_of_orientation(columns, neighbour, tmp_path):
    model = small_model(tmp_path, 3, columns=columns, reordering_model=neighbour)
    for words in [*sentences(3, longest=4), list("aabz")]:
        wanted = model.ranked(words)
        found = model.decoder.k_best([" ".join(words)], len(wanted) + 1)[0]
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
        for one in found:
            assert_features(model, one)


def is_separable(order):
    """Whether no four of the numbers are ordered as 2 4 1 3 or 3 1 4 2 are."""
    for four in itertools.combinations(order, 4):
        ranks = tuple(sorted(four).index(number) for number in four)
        if ranks in ((1, 3, 0, 2), (2, 0, 3, 1)):
            return False
    return True


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_blocks_told_from_coverage_are_those_of_the_definition_unless_inside_out(size):
    """Galley and Manning's blocks and what coverage says are the same for all separable orders of phrases.

    In others coverage may take words for a block that are none, never the other way round.
    """
    differ = 0
    for order in itertools.permutations(range(size)):
        spans = [(at, at + 1) for at in order]
        for at in range(1, size):
            defined = hierarchical_orientations(spans, at)
            told = block_orientations(spans[at - 1], spans[at], set(order[:at]))
            for side, orientation in defined.items():
                if told[side] != orientation:
                    differ += 1
                    assert not is_separable(order)
                    assert told[side] in ("monotone", "swap")
                    assert orientation.startswith("discontinuous")
    assert (differ > 0) == (size >= 4)


def test_features_recompute_from_the_phrases(tmp_path):
    options = StackOptions(pop_limit=20, stack_limit=20, distortion_limit=3)
    model = small_model(tmp_path, 11, count=30, options=options)
    lines = [" ".join(words) for words in sentences(11, 8, 12)]
    allowed = model.grammar()
    for decoding, line in zip(model.decoder.k_best(lines, 50), lines, strict=True):
        scores = [one.score for one in decoding]
        assert scores == sorted(scores, reverse=True)
        for one in decoding:
            assert_features(model, one)
            assert_is_derivation(model, allowed, one, line.split())


def test_walls_stand_around_punctuation(tmp_path):
    options = dataclasses.replace(ALL, punctuation_walls=True)
    model = small_model(tmp_path, 5, options=options)
    walls = frozenset(",.")
    met = 0
    for words in sentences(5, 8, 5, words="ab,c."):
        wanted = ranked(model.grammar(walls), words, model.score)
        met += len(wanted) < len(list(derivations(model.grammar(), words)))
        found = model.decoder.k_best([" ".join(words)], len(wanted) + 1)[0]
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
    assert met > 3


def test_stacks_keep_what_recombination_joins(tmp_path):
    """A feature that tells all hypotheses apart changes what is joined, not what is found."""
    joined = small_model(tmp_path, 7, options=ALL)
    apart = small_model(tmp_path, 7, options=ALL, order=9)
    assert joined.decoder.index.find("lm") == apart.decoder.index.find("lm")
    for model in (joined, apart):
        weights = model.decoder.weights
        weights[model.decoder.index.find("lm")] = 0.0
        model.decoder.set_weights(weights)
    for words in sentences(7, longest=4):
        lists = [model.decoder.k_best([" ".join(words)], 100_000)[0] for model in (joined, apart)]
        first, second = (sorted((phrases_of(one), round(one.score, 4)) for one in found) for found in lists)
        assert first == second


def test_target_bigrams_see_the_borders_of_phrases(tmp_path):
    model = small_model(tmp_path, 17, state_features=("distortion", "reordering", "target_bigrams"))
    for decoding in model.decoder.k_best([" ".join(words) for words in sentences(17, longest=4)], 20):
        for one in decoding:
            words = ["<s>", *one.text.split(), "</s>"]
            words = [word if word in ("<s>", "</s>", *"ABCDE") else "<unk>" for word in words]
            counts = {}
            for pair in itertools.pairwise(words):
                name = "target_bigrams:" + "_".join(pair)
                counts[name] = counts.get(name, 0) + 1
            named = one.named_features()
            assert {name: value for name, value in named.items() if name.startswith("target_bigrams")} == counts
