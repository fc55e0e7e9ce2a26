"""Left-to-right search against looking at every derivation, and against search by spans on the same rules."""

import dataclasses

import pytest
from support.models import phrase_models
from support.models.hiero_models import ALL, ALL_LEFT_TO_RIGHT, left_to_right_model, small_model
from support.models.small_models import assert_features, sentences

from tunesmith.decoding import HieroDecoder, LeftToRightDecoder, LeftToRightOptions
from tunesmith.errors import TunesmithError
from tunesmith.features import FeatureSet
from tunesmith.grammar.moses import read_moses
from tunesmith.io import read_lines, write_lines
from tunesmith.weights import Weights


def bag(rules):
    return tuple(sorted(rules))


@pytest.mark.parametrize("lm", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_without_pruning_all_derivations_are_found_in_order(seed, lm, tmp_path):
    options = dataclasses.replace(ALL_LEFT_TO_RIGHT, max_span=2 + seed % 5)
    model = left_to_right_model(
        tmp_path, seed, lm=lm, order=2 + seed % 3, options=options, count=14 + 4 * (seed % 3)
    )
    for words in sentences(seed):
        wanted = model.ranked(words)
        found = model.decoder.k_best([" ".join(words)], len(wanted) + 10)[0]
        assert len(found) == len(wanted)
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
        assert sorted((one.text, bag(one.rules)) for one in found) == sorted(
            (" ".join(one.words), bag(one.rules)) for _, one in wanted
        )
        best = model.decoder.translate([" ".join(words)])[0]
        assert best.score == pytest.approx(wanted[0][0], abs=1e-4)


ACROSS = ("target_bigrams", "source_triggers", "link_pairs", "punctuation_ratio")


def by_spans(model, across=()):
    """The search by spans with the same rules, features and weights."""
    features = FeatureSet.parse("default,id").compile(model.table)
    decoder = HieroDecoder(model.table, features, {"lm": model.lm}, options=dataclasses.replace(ALL, max_span=6),
                           state_features=across)  # fmt: skip
    weights = model.decoder.weights.tolist()
    decoder.set_weights(Weights.from_mapping(dict(zip(model.decoder.index, weights, strict=True))))
    return decoder


@pytest.mark.parametrize("seed", range(20, 26))
def test_best_derivations_score_as_in_search_by_spans(seed, tmp_path):
    options = dataclasses.replace(ALL_LEFT_TO_RIGHT, max_span=6)
    model = left_to_right_model(tmp_path, seed, count=40, options=options)
    lines = [" ".join(words) for words in sentences(seed, 20, 7)]
    for one, two in zip(model.decoder.k_best(lines, 30), by_spans(model).k_best(lines, 30), strict=True):
        assert [each.score for each in one] == pytest.approx([each.score for each in two], abs=1e-4)


@pytest.mark.parametrize("seed", range(30, 36))
def test_derivations_have_the_features_and_alignments_of_search_by_spans(seed, tmp_path):
    options = dataclasses.replace(ALL_LEFT_TO_RIGHT, max_span=6)
    model = left_to_right_model(tmp_path, seed, count=25, options=options, state_features=ACROSS)
    lines = [" ".join(words) for words in sentences(seed, 20, 5)]

    def described(decoding):
        found = [((one.text, bag(one.rules), one.alignment), one.named_features()) for one in decoding]
        return sorted(found, key=lambda each: each[0])

    for one, two in zip(
        model.decoder.k_best(lines, 9999), by_spans(model, ACROSS).k_best(lines, 9999), strict=True
    ):
        assert len(one) < 9999
        ours, theirs = described(one), described(two)
        assert [what for what, _ in ours] == [what for what, _ in theirs]
        for (_, values), (_, other) in zip(ours, theirs, strict=True):  # texts and rules determine them
            assert values == pytest.approx(other, abs=1e-4)


@pytest.mark.parametrize("seed", range(40, 44))
def test_a_monotone_table_gives_what_phrase_search_gives_without_distortion(seed, tmp_path):
    """Rules without gaps: glue puts them one after the other."""
    options = dataclasses.replace(phrase_models.ALL, distortion_limit=0)
    phrases = phrase_models.small_model(tmp_path, seed, options=options, state_features=())
    sides = [line.split(" ||| ") for line in read_lines(tmp_path / f"{seed}.txt")]
    write_lines(tmp_path / "rules.txt", [" ||| ".join([f"{s} [X]", f"{t} [X]", *rest]) for s, t, *rest in sides])
    table = read_moses(tmp_path / "rules.txt", tmp_path / "rules")
    features = FeatureSet.parse("translation,word_penalty,rule_penalty,unknown,id").compile(table)
    decoder = LeftToRightDecoder(table, features, {"lm": phrases.lm}, options=ALL_LEFT_TO_RIGHT)
    weights = dict(zip(phrases.decoder.index, phrases.decoder.weights.tolist(), strict=True))
    decoder.set_weights(Weights.from_mapping(weights))
    assert decoder.unknown_weights == []
    lines = [" ".join(words) for words in sentences(seed, 20, 6)]
    for one, other in zip(decoder.k_best(lines, 500), phrases.decoder.k_best(lines, 500), strict=True):
        assert len(one) == len(other)
        assert [each.score for each in one] == pytest.approx([each.score for each in other], abs=1e-4)
        assert sorted((each.text, each.alignment) for each in one) == sorted(
            (each.text, each.alignment) for each in other
        )


@pytest.mark.parametrize("diversity", [1, 3])
def test_pruned_search_gives_consistent_features(diversity, tmp_path):
    options = LeftToRightOptions(pop_limit=20, stack_limit=10, max_span=4, queue_diversity=diversity)
    model = left_to_right_model(tmp_path, 11, options=options, count=30)
    for decoding in model.decoder.k_best([" ".join(words) for words in sentences(11, 20, 9)], 50):
        scores = [one.score for one in decoding]
        assert scores == sorted(scores, reverse=True)
        for one in decoding:
            assert_features(model, one, tolerance=1e-6)


def test_few_open_spans_cost_score_and_never_a_translation(tmp_path):
    lines = [" ".join(words) for words in sentences(12, 20, 9)]

    def scores(limit):
        options = dataclasses.replace(ALL_LEFT_TO_RIGHT, max_open_spans=limit)
        model = left_to_right_model(tmp_path, 12, count=40, options=options)
        return [one.score for one in model.decoder.translate(lines)]

    free = scores(0)
    assert scores(50) == free
    for limit in (1, 2, 3):
        limited = scores(limit)
        assert all(one <= other + 1e-4 for one, other in zip(limited, free, strict=True))
    assert scores(1) != free


def test_rules_with_words_after_gaps_are_refused(tmp_path):
    with pytest.raises(TunesmithError, match="--normal-form"):
        small_model(tmp_path, 3, options=ALL_LEFT_TO_RIGHT, count=30)
