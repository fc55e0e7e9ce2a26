"""The hierarchical decoder against looking at every derivation, and the features of what it finds."""

import dataclasses

import numpy as np
import pytest
from reference.exhaustive_hiero import ranked
from support.models.hiero_models import ALL, language_model_value, small_model
from support.models.small_models import SOURCE, assert_features, sentences

from tunesmith.decoding import DecoderOptions, HieroDecoder
from tunesmith.features import FeatureSet, SpecialRule
from tunesmith.lm import LmOptions, NgramModel
from tunesmith.weights import Weights


@pytest.mark.parametrize("lm", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_without_pruning_all_derivations_are_found_in_order(seed, lm, tmp_path):
    options = dataclasses.replace(ALL, max_span=2 + seed)  # from spans shorter than the sentence on
    model = small_model(tmp_path, seed, lm=lm, order=2 + seed % 3, options=options)
    for words in sentences(seed):
        wanted = model.ranked(words)
        found = model.decoder.k_best([" ".join(words)], len(wanted) + 10)[0]
        assert len(found) == len(wanted)
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
        assert sorted((one.text, one.rules) for one in found) == sorted(
            (" ".join(one.words), one.rules) for _, one in wanted
        )
        best = model.decoder.translate([" ".join(words)])[0]
        assert best.score == pytest.approx(wanted[0][0], abs=1e-4)


def test_several_language_models_each_add_their_score(tmp_path):
    model = small_model(tmp_path, 4)
    other = NgramModel.train(["A B C", "B A", "E D d", "C C A B"], LmOptions(order=2))
    features = FeatureSet.parse("default,id").compile(model.table)
    models = {"lm": model.lm, "other": other}
    weights = np.append(model.decoder.weights, -0.4)
    decoder = HieroDecoder(model.table, features, models, weights, ALL)
    assert list(decoder.index)[-2:] == ["lm", "other"]
    for words in sentences(4):
        wanted = ranked(model.grammar, words, lambda found: sum(
            weights[decoder.index.find(name)] * language_model_value(lm, found) for name, lm in models.items()
        ))  # fmt: skip
        found = decoder.k_best([" ".join(words)], len(wanted) + 1)[0]
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
        for one in found:
            named, text = one.named_features(), tuple(one.text.split())
            assert {name: named[name] for name in models} == pytest.approx(
                {name: language_model_value(lm, text) for name, lm in models.items()}, abs=1e-5
            )


def test_features_recompute_from_derivation_and_words(tmp_path):
    model = small_model(tmp_path, 11, options=DecoderOptions(pop_limit=20, max_span=4))
    for decoding in model.decoder.k_best([" ".join(words) for words in sentences(11, 8, 9)], 50):
        scores = [one.score for one in decoding]
        assert scores == sorted(scores, reverse=True)
        for one in decoding:
            assert_features(model, one, tolerance=1e-6)


def test_the_derivation_covers_the_sentence_and_gives_its_words(tmp_path):
    model = small_model(tmp_path, 5, count=30)

    def words_of(one, step, source):
        rule = one.rule(step)
        parts = [words_of(one, part, source) for part in step.parts]
        if isinstance(rule, SpecialRule):
            if rule is SpecialRule.unknown:
                assert step.end == step.begin + 1
                return source[step.begin : step.end]
            return [word for part in parts for word in part]
        covered, at = 0, step.begin
        for symbol in rule.source:  # words where they stand in the source, gaps where their parts lie
            if symbol.startswith("[X,"):
                assert step.parts[covered].begin == at
                at = step.parts[covered].end
                covered += 1
            else:
                assert source[at] == symbol
                at += 1
        assert at == step.end
        out = []
        for symbol in rule.target:
            out += parts[int(symbol[3]) - 1] if symbol.startswith("[X,") else [symbol]
        return out

    for words in sentences(5, 10, 7):
        for one in model.decoder.k_best([" ".join(words)], 20)[0]:
            assert words_of(one, one.derivation, words) == one.text.split()
            assert tuple(step.rule for step in one.derivation) == one.rules
            target = one.text.split()
            for source_at, target_at in one.alignment:
                assert 0 <= source_at < len(words)
                assert 0 <= target_at < len(target)
            links = set(one.alignment)
            for step in one.derivation:
                if one.rule(step) is SpecialRule.unknown:
                    assert any(source == step.begin and target[at] == words[source] for source, at in links)


def test_links_of_rules_are_put_together(tmp_path):
    """Reordering: the gap comes first on one side and last on the other."""
    from tunesmith.grammar.moses import read_moses
    from tunesmith.io import write_lines

    write_lines(
        tmp_path / "table",
        [
            "[X][X] a [X] ||| A A [X][X] [X] ||| 1 1 1 1 ||| 0-2 1-0 1-1 ||| 1 1 1 ||| |||",
            "b [X] ||| B [X] ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
        ],
    )
    table = read_moses(tmp_path / "table", tmp_path / "rules")
    decoder = HieroDecoder(
        table, FeatureSet.parse("default").compile(table), {}, Weights.from_mapping({"glue_penalty": -1.0})
    )
    one = decoder.translate(["b a q"])[0]
    assert one.text == "A A B q"
    assert one.alignment == [(0, 2), (1, 0), (1, 1), (2, 3)]


def test_table_limit_keeps_the_best_target_sides(tmp_path):
    full = small_model(tmp_path, 9, lm=False, count=40)
    limited = small_model(
        tmp_path, 9, lm=False, count=40, options=DecoderOptions(pop_limit=65535, max_span=5, table_limit=1)
    )
    for words in sentences(9, 6, 4):
        used = {
            rule for one in limited.decoder.k_best([" ".join(words)], 1000)[0] for rule in one.rules
            if rule < len(limited.table)
        }  # fmt: skip
        for rule in used:
            side = limited.table[rule].source
            same = [n for (source, _), n in full.grammar.rules.items() if source == side]
            assert full.grammar.local[rule] == max(full.grammar.local[n] for n in same)


def test_new_weights_are_those_of_a_new_decoder(tmp_path):
    model = small_model(tmp_path, 13, count=30, options=DecoderOptions(pop_limit=30))
    lines = [" ".join(words) for words in sentences(13, 20, 8)]
    before = [one.text for one in model.decoder.translate(lines)]
    weights = model.decoder.weights
    changed = -weights
    model.decoder.set_weights(changed)
    after = [(one.text, one.score) for one in model.decoder.translate(lines)]
    fresh = small_model(tmp_path, 13, count=30, options=DecoderOptions(pop_limit=30)).decoder
    fresh.update_weights(np.arange(len(changed)), changed)
    assert [(one.text, one.score) for one in fresh.translate(lines)] == after
    model.decoder.set_weights(weights)
    assert [one.text for one in model.decoder.translate(lines)] == before


@pytest.mark.parametrize("weight", [0.7, 0.0, -0.7])
def test_the_best_target_sides_are_chosen_with_what_the_language_model_expects(weight, tmp_path):
    model = small_model(tmp_path, 31, count=150)
    options = DecoderOptions(pop_limit=65535, max_span=5, table_limit=2)
    decoder = HieroDecoder(model.table, model.decoder.features, {"lm": model.lm}, options=options)
    weights = model.decoder.weights
    weights[decoder.index.find("lm")] = weight
    decoder.set_weights(weights)
    local = decoder.features.scores(weights)
    tried = 0
    for word in SOURCE:
        rules = [n for n, rule in enumerate(model.table) if rule.source == (word,)]
        expects = model.lm.score([" ".join(model.table[n].target) for n in rules], begin=False, end=False).log10
        score = {n: local[n] + weight * np.log(10) * found for n, found in zip(rules, expects, strict=True)}
        used = {rule for one in decoder.k_best([word], 1000)[0] for rule in one.rules if rule < len(model.table)}
        assert used == set(sorted(rules, key=lambda n: -score[n])[:2])
        tried += len(rules) > 2
    assert tried > 1


def test_a_profile_names_every_feature_and_changes_no_translation(tmp_path):
    model = small_model(
        tmp_path, 27, count=40, options=DecoderOptions(pop_limit=50), state_features=("target_bigrams",)
    )
    decoder, lines = model.decoder, [" ".join(words) for words in sentences(27, 20, 12)]
    plain = decoder.k_best(lines, 5)
    nothing = decoder.profile()
    assert (nothing.edges, nothing.target_sides, nothing.lists, set(nothing.features.values())) == (0, 0, 0, {0})
    decoder.start_profile()
    timed = decoder.k_best(lines, 5, threads=2)
    assert [[one.text for one in found] for found in timed] == [[one.text for one in found] for found in plain]
    profile = decoder.profile()
    assert list(profile.features) == ["lm", "target_bigrams"]
    assert profile.edges == sum(found.pops for found in timed)
    assert min(*profile.features.values(), profile.target_sides, profile.rest_of_search, profile.lists) > 0
