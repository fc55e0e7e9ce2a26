"""Source words that bring target words along: search, lists and strings agree."""

import random
from collections import Counter

import pytest
from reference import exhaustive_phrase
from reference.exhaustive_hiero import ranked
from support.models import hiero_models, phrase_models
from support.models.hiero_models import TARGET, language_model_value, small_model
from support.models.small_models import SOURCE, sentences

from tunesmith.decoding.options import DecoderOptions, LeftToRightOptions, StackOptions
from tunesmith.weights import Weights

TRIGGERS = ("source_triggers",)


def triggers(source, text, table):
    """Every source word once, every target word as often as it is written; no unknown ones."""
    known = table.source_vocabulary, table.target_vocabulary
    left, right = (
        [word for word in side if word in words.words] for side, words in zip((source, text), known, strict=True)
    )
    return Counter(f"source_triggers:{s}|{e}" for s in set(left) for e in right)


def fired_by(one):
    return {name: value for name, value in one.named_features().items() if name.startswith("source_triggers:")}


def with_trigger_weights(decoder, seed):
    draw = random.Random(seed)
    weights = {f"source_triggers:{s}|{e}": draw.uniform(-1, 1) for s in SOURCE for e in TARGET}
    local = dict(zip(list(decoder.index), decoder.weights.tolist(), strict=True))
    decoder.set_weights(Weights.from_mapping({**local, **weights}))
    return weights


@pytest.mark.parametrize("seed", range(3))
def test_search_is_exact_and_values_are_those_of_the_string(seed, tmp_path):
    model = small_model(tmp_path, seed, state_features=TRIGGERS, order=2)
    weights = with_trigger_weights(model.decoder, seed)
    lm = model.decoder.weights[model.decoder.index.find("lm")]
    draw = random.Random(seed)
    for _ in range(4):
        words = draw.choices(SOURCE + "z", k=draw.randint(1, 5))

        def stateful(found, words=words):
            fired = triggers(words, found, model.table)
            return lm * language_model_value(model.lm, found) + sum(weights[n] * c for n, c in fired.items())

        wanted = ranked(model.grammar, words, stateful)
        found = model.decoder.k_best([" ".join(words)], len(wanted) + 1)[0]
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
        for one in found:
            assert fired_by(one) == triggers(words, one.text.split(), model.table)


def test_a_source_word_counts_once(tmp_path):
    model = small_model(tmp_path, 1, state_features=TRIGGERS)
    for one in model.decoder.k_best(["a a b a"], 10)[0]:
        written = Counter(word for word in one.text.split() if word in TARGET)
        fired = {
            name: value for name, value in one.named_features().items() if name.startswith("source_triggers:a|")
        }
        assert fired == {f"source_triggers:a|{word}": count for word, count in written.items()}
        assert fired


def test_what_one_sentence_is_worth_does_not_reach_the_next(tmp_path):
    """Sums are kept by target word while a sentence is decoded, under its weights; no longer."""
    model = small_model(tmp_path, 2, state_features=TRIGGERS)
    lines = ["a b c", "d c", "a b c", "c"]
    with_trigger_weights(model.decoder, 1)
    together = [one.score for one in model.decoder.translate(lines)]
    assert together == [model.decoder.translate([line])[0].score for line in lines]
    assert together == [one.score for one in model.decoder.translate(lines, threads=2)]
    with_trigger_weights(model.decoder, 2)
    assert together != [one.score for one in model.decoder.translate(lines)]


def test_phrase_based_search_knows_them_too(tmp_path):
    names = ("distortion", "reordering", "source_triggers")
    model = phrase_models.small_model(tmp_path, 17, state_features=names)
    weights = with_trigger_weights(model.decoder, 3)
    for words in sentences(17, longest=4):

        def score(found, words=words):
            fired = triggers(words, found.words, model.table)
            return model.score(found) + sum(weights[name] * count for name, count in fired.items())

        wanted = exhaustive_phrase.ranked(model.grammar(), words, score)
        found = model.decoder.k_best([" ".join(words)], len(wanted) + 1)[0]
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
        for one in found:
            assert fired_by(one) == triggers(words, one.text.split(), model.table)


@pytest.mark.parametrize(("made", "options"), [
    (hiero_models.small_model, DecoderOptions(pop_limit=1)),
    (hiero_models.left_to_right_model, LeftToRightOptions(pop_limit=1, stack_limit=1)),
    (phrase_models.small_model, StackOptions(pop_limit=1, stack_limit=1)),
], ids=["hiero", "left_to_right", "phrase"])  # fmt: skip
def test_options_are_in_the_order_of_their_scores_with_triggers(made, options, tmp_path):
    """Without a language model the first option of a word is its best translation: nothing else need be scored."""
    better = 0
    for seed in range(6):
        narrow = made(tmp_path, seed, lm=False, count=60, options=options, state_features=TRIGGERS)
        wide = made(tmp_path, seed, lm=False, count=60, state_features=TRIGGERS)
        before = [one.text for one in wide.decoder.translate(list(SOURCE))]
        for model in (narrow, wide):
            with_trigger_weights(model.decoder, seed)
        best = wide.decoder.translate(list(SOURCE))
        assert [one.text for one in narrow.decoder.translate(list(SOURCE))] == [one.text for one in best]
        better += before != [one.text for one in best]
    assert better


def test_weights_of_triggers_that_cannot_be_are_told(tmp_path):
    model = small_model(tmp_path, 1, state_features=TRIGGERS)
    size = len(model.decoder.index)
    wrong = [f"source_triggers:{text}" for text in ("nobody|A", "a|nobody", "a", "", "a|A|B", "<unk>|A")]
    model.decoder.set_weights(Weights.from_mapping(dict.fromkeys([*wrong, "source_triggers:a|A"], 1.0)))
    assert model.decoder.unknown_weights == wrong
    assert list(model.decoder.index)[size:] == ["source_triggers:a|A"]
