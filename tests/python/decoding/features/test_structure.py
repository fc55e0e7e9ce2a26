"""Structural features: every derivation of small models, in each search that has them, with random weights."""

from collections import Counter

import pytest
from reference import exhaustive_hiero, exhaustive_phrase
from support.models.small_models import sentences
from support.models.structure_models import WORDS, described, structure_model, templates, tree_of, weight_of

from tunesmith.decoding import PhraseDecoder
from tunesmith.errors import ConfigError, TunesmithError
from tunesmith.features.search.structure import LinkPairs, ParentChild
from tunesmith.features.specs import TemplateSpec
from tunesmith.weights import Weights

ALL_KINDS = "surface/class/prefix/suffix/digits"
CHOICES = [("surface", "full"), ("surface/class", "full"), (ALL_KINDS, "paired"), (ALL_KINDS, "full")]


def every_derivation(model, words):
    """Text, rules and features of each, by definition."""
    if isinstance(model.grammar, exhaustive_phrase.PhraseTable):
        ends = (len(model.grammar.rules) + 2, len(model.grammar.rules) + 3)
        for found in exhaustive_phrase.derivations(model.grammar, words):
            trees = [tree_of(phrase) for phrase in found.phrases]
            yield found.words, (*(rule for rule, _, _ in found.phrases), *ends), trees
    else:
        for found in exhaustive_hiero.derivations(model.grammar, words):
            yield found.words, found.rules, found.trees


@pytest.mark.parametrize("kind", ["hiero", "left-to-right", "phrase"])
@pytest.mark.parametrize(("tokens", "combine"), CHOICES)
@pytest.mark.parametrize("seed", [17, 48])
def test_every_derivation_has_its_features_and_its_score(seed, tokens, combine, kind, tmp_path):
    model = structure_model(tmp_path, seed, kind, tokens=tokens, combine=combine)
    names = [*templates(kind, tokens, combine)]
    compared = Counter()
    for letters in sentences(seed + 40, count=5, longest=4 if kind == "phrase" else 6):
        words = [WORDS[letter] for letter in letters]
        wanted = [
            (text, rules, model.structure.fired(trees, words, text))
            for text, rules, trees in every_derivation(model, words)
        ]
        wanted = [
            (text, rules, {name: value for name, value in fired.items() if name.split(":")[0] in names})
            for text, rules, fired in wanted
        ]
        model.learn({name: 1.0 for _, _, fired in wanted for name in fired})
        scores = sorted(
            sum(map(model.local, rules)) + sum(weight_of(name) * value for name, value in fired.items())
            for _, rules, fired in wanted
        )
        found = model.decoder.k_best([" ".join(words)], len(wanted) + 10)[0]
        assert [one.score for one in found] == pytest.approx(scores[::-1], abs=1e-3)
        assert sorted(described(one, names) for one in found) == sorted(
            (" ".join(text), tuple(sorted(rules)), tuple(sorted(fired.items()))) for text, rules, fired in wanted
        )
        compared.update(name.split(":")[0] for _, _, fired in wanted for name in fired)
    assert set(compared) == set(names)


def test_results_do_not_depend_on_threads_or_on_other_lines(tmp_path):
    """Memories of a sentence end with it."""
    model = structure_model(tmp_path, 5, "left-to-right", tokens=ALL_KINDS)
    lines = [" ".join(WORDS[letter] for letter in letters) for letters in sentences(5, count=12, longest=6)]
    model.learn(
        {name: 1.0 for one in model.decoder.k_best(lines, 20) for each in one for name in each.named_features()}
    )
    alone = [model.decoder.translate([line])[0].score for line in lines]
    model.decoder.start_profile()
    assert [one.score for one in model.decoder.translate(lines)] == alone
    assert set(templates("left-to-right", ALL_KINDS, "full")) <= set(model.decoder.profile().features)
    assert [one.score for one in model.decoder.translate(lines, threads=2)] == alone


@pytest.mark.parametrize("kind", ["hiero", "left-to-right", "phrase"])
def test_sums_kept_from_earlier_lines_are_those_of_the_weights(kind, tmp_path):
    lines = [" ".join(WORDS[letter] for letter in letters) for letters in sentences(6, count=12, longest=6)]
    decoder = structure_model(tmp_path, 6, kind, tokens=ALL_KINDS).decoder
    names = {name for one in decoder.k_best(lines, 20) for each in one for name in each.named_features()}
    for factor in (1.0, -1.0, 0.5, 1.0):
        weights = Weights.from_mapping({name: factor * weight_of(name) for name in names})
        decoder.set_weights(weights)
        for _ in range(2):
            for line in lines:
                fresh = structure_model(tmp_path, 6, kind, tokens=ALL_KINDS).decoder
                fresh.set_weights(weights)
                kept, new = decoder.k_best([line], 5)[0], fresh.k_best([line], 5)[0]
                assert [one.score for one in kept] == [one.score for one in new]


def test_names_that_no_words_have_are_unknown(tmp_path):
    model = structure_model(tmp_path, 1, "hiero", tokens="surface/prefix")
    wrong = ["link_pairs:nobody|x", "link_bigrams:of|x", "link_bigrams:a|b_c|d", "parent_child:of", "insertion:|"]
    good = ["parent_child:viol+|of", "insertion:<unk>|invi+", "link_bigrams:<unk>|<unk>_<unk>|<unk>"]
    model.decoder.set_weights(Weights.from_mapping(dict.fromkeys([*wrong, *good], 1.0)))
    assert model.decoder.unknown_weights == wrong


def test_settings_that_cannot_be_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="tokens must be some of surface/class/prefix/suffix/digits, got 'stem'"):
        LinkPairs("surface/stem")
    with pytest.raises(ConfigError, match="a kind twice"):
        LinkPairs("surface/surface")
    with pytest.raises(ConfigError, match="combine must be full or paired, got 'half'"):
        LinkPairs("surface", "half")
    model = structure_model(tmp_path, 1, "hiero")
    model.structure.table.word_classes.clear()
    with pytest.raises(ConfigError, match="needs classes of source words"):
        ParentChild("class").inputs(model.structure.table)


def test_phrases_have_no_parents(tmp_path):
    model = structure_model(tmp_path, 1, "phrase")
    with pytest.raises(TunesmithError, match="parent_child"):
        PhraseDecoder(
            model.structure.table, model.decoder.features, {}, state_features={"parent_child": ParentChild()}
        )


def test_settings_are_written_and_read(tmp_path):
    spec = TemplateSpec("link_bigrams", {"tokens": "surface/class", "combine": "paired"})
    assert TemplateSpec.from_dict(spec.as_dict()).build() == spec.build()
    assert spec.label() == "link_bigrams[tokens=surface/class,combine=paired]"
    assert spec.build().needs_classes == ("source", "target")
    assert TemplateSpec("link_bigrams").build().needs_classes == ()
