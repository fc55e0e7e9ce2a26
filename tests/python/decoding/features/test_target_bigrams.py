"""A sparse feature across rules: search, lists and strings agree."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from reference.exhaustive_hiero import ranked
from support.models.hiero_models import TARGET, language_model_value, moses_line, small_model
from support.models.small_models import SOURCE

from tunesmith.decoding import DecoderOptions, HieroDecoder, LeftToRightDecoder, LeftToRightOptions
from tunesmith.features import FeatureSet
from tunesmith.grammar.moses import read_moses
from tunesmith.io import write_lines
from tunesmith.weights import Weights

BIGRAMS = ("target_bigrams",)


def bigrams(text, vocabulary):
    words = ["<s>", *(word if word in vocabulary else "<unk>" for word in text.split()), "</s>"]
    return Counter(f"target_bigrams:{a}_{b}" for a, b in itertools.pairwise(words))


def with_bigram_weights(model, seed):
    source = random.Random(seed)
    names = ["<s>", "</s>", "<unk>", *TARGET]
    weights = {f"target_bigrams:{a}_{b}": source.uniform(-1, 1) for a in names for b in names}
    local = {
        name: value
        for name, value in zip(list(model.decoder.index), model.decoder.weights.tolist(), strict=True)
        if not name.startswith("target_bigrams")
    }
    model.decoder.set_weights(Weights.from_mapping({**local, **weights}))
    assert model.decoder.unknown_weights == [
        name
        for name in weights
        if not set(name[len("target_bigrams:") :].split("_")) <= set(model.table.target_vocabulary.words)
    ]
    return weights


@pytest.mark.parametrize("seed", range(3))
def test_search_is_exact_and_values_are_those_of_the_string(seed, tmp_path):
    model = small_model(tmp_path, seed, state_features=BIGRAMS, order=2)
    weights = with_bigram_weights(model, seed)
    lm = model.decoder.weights[model.decoder.index.find("lm")]
    vocabulary = set(model.table.target_vocabulary.words)
    source = random.Random(seed)
    for _ in range(3):
        words = source.choices(SOURCE + "z", k=source.randint(1, 5))

        def stateful(found):
            pairs = bigrams(" ".join(found), vocabulary)
            return lm * language_model_value(model.lm, found) + sum(
                weights[name] * count for name, count in pairs.items()
            )

        wanted = ranked(model.grammar, words, stateful)
        found = model.decoder.k_best([" ".join(words)], len(wanted) + 1)[0]
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
        for one in found:
            named = {k: v for k, v in one.named_features().items() if k.startswith("target_bigrams:")}
            assert named == bigrams(one.text, vocabulary)
            values = one.feature_values()
            total = sum(model.decoder.weights[id] * value for id, value in values.items())
            assert one.score == pytest.approx(total, abs=1e-6)


def test_new_features_get_numbers_in_the_order_of_the_lines(tmp_path):
    model = small_model(tmp_path, 1, state_features=BIGRAMS)
    before = len(model.decoder.index)
    model.decoder.k_best(["a b", "c d"], 3)
    names = list(model.decoder.index)[before:]
    assert names
    assert all(name.startswith("target_bigrams:") for name in names)
    assert len(set(names)) == len(names)
    model.decoder.k_best(["a b", "c d"], 3)
    assert len(model.decoder.index) == before + len(names)


def test_decoders_that_share_an_index_learn_from_one_another(tmp_path):
    """A feature that one of them met first has its weight in the search of the other."""
    model = small_model(tmp_path, 1, state_features=BIGRAMS)
    first = model.decoder
    second = HieroDecoder(
        model.table, first.features, {"lm": model.lm}, first.weights, first.options, state_features=BIGRAMS
    )
    first.k_best(["a b c d"], 5)
    second.k_best(["d"], 1)
    source = random.Random(5)
    weights = np.array([source.uniform(-3, 3) for _ in range(len(first.index))])
    first.set_weights(weights)
    second.set_weights(weights)
    lines = ["a b c d", "d c b a"]
    assert [one.score for one in second.translate(lines)] == [one.score for one in first.translate(lines)]


def test_weights_of_bigrams_that_cannot_be_are_told(tmp_path):
    model = small_model(tmp_path, 1, state_features=BIGRAMS)
    size = len(model.decoder.index)
    wrong = ["target_bigrams:A_nobody", "target_bigrams:A", "target_bigrams:", "target_bigrams:A_B_C"]
    model.decoder.set_weights(Weights.from_mapping(dict.fromkeys([*wrong, "target_bigrams:A_B"], 1.0)))
    assert model.decoder.unknown_weights == wrong
    assert list(model.decoder.index)[size:] == ["target_bigrams:A_B"]


def test_a_frozen_index_takes_no_new_features(tmp_path):
    model = small_model(tmp_path, 1, state_features=BIGRAMS)
    model.decoder.index.freeze()
    size = len(model.decoder.index)
    found = model.decoder.k_best(["a b c"], 3)[0]
    assert len(model.decoder.index) == size
    assert all(id < size for one in found for id in one.feature_values())
    assert np.isfinite(found.best.score)


@pytest.mark.parametrize("options", [DecoderOptions(table_limit=6), LeftToRightOptions(table_limit=6)])
@pytest.mark.parametrize("scale", [0.0, 0.02, 0.3, 3.0])
def test_the_target_sides_of_a_rule_that_are_kept_are_those_of_the_best_estimates(scale, options, tmp_path):
    """Which of many are kept does not depend on how few of them are looked at."""
    source = random.Random(7)
    sides = sorted({tuple(source.choices(TARGET, k=source.randint(1, 4))) for _ in range(120)})
    scores = [[source.uniform(0.05, 1) for _ in range(4)] for _ in sides]
    lines = [moses_line((("a",), side), of_side) for side, of_side in zip(sides, scores, strict=True)]
    write_lines(tmp_path / "rules.txt", lines)
    table = read_moses(tmp_path / "rules.txt", tmp_path / "rules")
    features = FeatureSet.parse("translation").compile(table)
    made = LeftToRightDecoder if isinstance(options, LeftToRightOptions) else HieroDecoder
    decoder = made(table, features, {}, options=options, state_features=BIGRAMS)
    weights = {name: source.uniform(0.2, 1) for name in decoder.index}
    inner = {f"target_bigrams:{a}_{b}": scale * source.uniform(-1, 1) for a in TARGET for b in TARGET}
    for sign in (1, -1, 1):  # what was computed under other weights does not count
        inner = {name: sign * weight for name, weight in inner.items()}
        decoder.set_weights(Weights.from_mapping({**weights, **inner}))
        expected = {}
        for number, rule in enumerate(table):
            local = sum(value * weights[decoder.index.name(id)] for id, value in features.row(number))
            pairs = (f"target_bigrams:{a}_{b}" for a, b in itertools.pairwise(rule.target))
            expected[" ".join(rule.target)] = local + sum(inner[name] for name in pairs)
        best = sorted(expected, key=expected.__getitem__, reverse=True)[:6]
        assert {one.text for one in decoder.k_best(["a"], 100)[0]} == set(best)
