"""Orientations of rules and of their classes: the search against every derivation, with random weights."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from reference.exhaustive_phrase import Derivation, ranked
from reference.phrase_features import rule_orientation
from support.models.hiero_models import small_model as small_hiero_model
from support.models.phrase_models import ALL, phrases_of, small_model
from support.models.small_models import SOURCE, TARGET, sentences

from tunesmith.clustering import WordClasses
from tunesmith.decoding import HieroDecoder, PhraseDecoder
from tunesmith.errors import ConfigError
from tunesmith.features.search.distortion import Distortion
from tunesmith.features.search.orientation import ClassOrientation, LexicalOrientation
from tunesmith.features.word_classes import classes_of
from tunesmith.grammar.reordering import ORIENTATIONS
from tunesmith.weights import Weights

Template = LexicalOrientation | ClassOrientation
EXACT = [
    LexicalOrientation(more_than=1),
    LexicalOrientation(more_than=0, orientations="mslr"),
    ClassOrientation(),
    ClassOrientation(orientations="mslr"),
]


def name_of(template: Template) -> str:
    return "class_orientation" if isinstance(template, ClassOrientation) else "lexical_orientation"


class Scored:
    """A small model with one template, and what it fires by definition."""

    def __init__(self, folder: Path, seed: int, template: Template) -> None:
        made = small_model(folder, seed, state_features=(), most_seen=3)
        rng = random.Random(seed)
        self.template, self.name, self.classes = template, name_of(template), []
        sides = ((made.table.source_vocabulary, SOURCE), (made.table.target_vocabulary, TARGET))
        for side, (vocabulary, words) in zip(("source", "target"), sides, strict=True):
            chosen = {word: rng.choice(["0", "x_y"]) for word in words if rng.random() < 0.7}
            known = WordClasses({words[0]: "0", **chosen, **({"<unk>": "0"} if seed % 2 else {})})
            made.table.word_classes[side] = classes_of(known, vocabulary)
            self.classes.append({word: known.find(word) or "<unk>" for word in [*vocabulary, "<unk>"]})
        features = {"distortion": Distortion(), self.name: template}
        decoder = PhraseDecoder(
            made.table, made.decoder.features, {"lm": made.lm}, options=ALL, state_features=features
        )
        self.model = replace(made, decoder=decoder)
        self.decoder = decoder

    def fired(self, phrases: tuple[tuple[int, int, int], ...]) -> Counter[str]:
        of_words = isinstance(self.template, LexicalOrientation)
        found = rule_orientation(
            phrases,
            self.model.table,
            ORIENTATIONS[self.template.orientations],
            more_than=self.template.more_than if isinstance(self.template, LexicalOrientation) else 0,
            classes=None if of_words else (self.classes[0], self.classes[1]),
        )
        return Counter({f"{self.name}:{detail}": count for detail, count in found.items()})

    def set_weights(self, seed: int, share: float = 1.0) -> dict[str, float]:
        """Random weights for what can fire in short sentences, 0 for some of them."""
        rng = random.Random(seed)
        met: set[str] = set()
        for source in short_sentences(seed):
            for _, found in ranked(self.model.grammar(), source, lambda found: 0.0):
                met |= set(self.fired(found.phrases))
        sparse = {name: rng.uniform(-1, 1) for name in sorted(met) if rng.random() < share}
        local = {name: rng.uniform(-1, 1) for name in self.decoder.index if name not in met}
        self.decoder.set_weights(Weights.from_mapping({**local, **sparse}))
        assert self.decoder.unknown_weights == []
        return sparse

    def score(self, found: Derivation, sparse: dict[str, float]) -> float:
        weights = self.decoder.weights
        for name in sparse:
            weights[self.decoder.index.find(name)] = 0  # those of the model's own values
        base = float(self.model.values(found) @ weights)
        return base + sum(sparse.get(name, 0.0) * count for name, count in self.fired(found.phrases).items())


def short_sentences(seed: int) -> list[list[str]]:
    return sentences(seed, 3, longest=4)


@pytest.mark.parametrize("template", EXACT, ids=str)
def test_search_is_exact_and_values_are_those_of_the_phrases(template, tmp_path):
    kinds = set()
    for seed in range(3):
        scored = Scored(tmp_path, seed, template)
        sparse = scored.set_weights(seed, share=0.5)  # features without weight have their values all the same
        for source in short_sentences(seed):
            wanted = ranked(
                scored.model.grammar(), source, lambda found, by=scored, weights=sparse: by.score(found, weights)
            )
            found = scored.decoder.k_best([" ".join(source)], len(wanted) + 1)[0]
            assert [one.score for one in found] == pytest.approx([each for each, _ in wanted], abs=1e-3)
            for one in found:
                named = {name: value for name, value in one.named_features().items() if scored.name in name}
                assert named == scored.fired(phrases_of(one))
                kinds |= {name.split(":")[1].split("|")[0] for name in named}
    names = ORIENTATIONS[template.orientations]
    assert kinds == {f"{side}-{name}" for side in ("previous", "next") for name in names}


@pytest.mark.parametrize("template", EXACT, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_states_of_weighted_strings_alone_have_the_same_scores(seed, template, tmp_path):
    """Scores of all derivations, in fewer hypotheses."""
    exact = Scored(tmp_path, seed, template)
    fewer = Scored(tmp_path, seed, replace(template, state="weighted"))
    edges = []
    for scored in (exact, fewer):
        scored.set_weights(seed, share=0.2)
    for source in short_sentences(seed):
        lists = [scored.decoder.k_best([" ".join(source)], 10_000)[0] for scored in (exact, fewer)]
        scores = [[one.score for one in found] for found in lists]
        assert scores[1] == pytest.approx(scores[0], abs=1e-3)
        edges.append([found.edges for found in lists])
    assert sum(few for _, few in edges) <= sum(many for many, _ in edges)


def test_the_printed_state_recombines_what_the_exact_one_keeps_apart(tmp_path):
    """Scores are sums of the values that are given out; those of some derivations are not theirs."""
    template = LexicalOrientation(more_than=0)
    differ = 0
    for seed in range(3):
        exact, printed = (Scored(tmp_path, seed, one) for one in (template, replace(template, state="printed")))
        for scored in (exact, printed):
            scored.set_weights(seed)
        weights, index = printed.decoder.weights, printed.decoder.index
        for source in short_sentences(seed):
            lists = [scored.decoder.k_best([" ".join(source)], 10_000)[0] for scored in (exact, printed)]
            for one in lists[1]:
                total = sum(value * weights[index.find(name)] for name, value in one.named_features().items())
                assert one.score == pytest.approx(total, abs=1e-3)
            scores = [[one.score for one in found] for found in lists]
            differ += scores[1] != pytest.approx(scores[0], abs=1e-3)
    assert differ > 0


@pytest.mark.parametrize(
    "detail",
    ["", "previous-monotone", "previous-monotone|", "previous-monotone|<s>", "next-left|<s>", "sideways-swap|<s>",
     "next-swap|a|never-seen", "next-swap|%zz|A", "next-discontinuous-left|<s>"],
)  # fmt: skip
@pytest.mark.parametrize("template", [LexicalOrientation(more_than=0), ClassOrientation()], ids=str)
def test_names_that_no_rule_has_are_unknown(template, detail, tmp_path):
    scored = Scored(tmp_path, 1, template)
    wrong, right = f"{scored.name}:{detail}", f"{scored.name}:next-monotone|<s>"
    scored.decoder.set_weights(Weights.from_mapping({wrong: 1.0, right: 1.0}))
    assert scored.decoder.unknown_weights == [wrong]


def test_rules_below_the_count_have_no_names(tmp_path):
    scored = Scored(tmp_path, 2, LexicalOrientation(more_than=2))
    names = {
        f"lexical_orientation:previous-swap|{'_'.join(rule.source)}|{'_'.join(rule.target)}": rule.occurrences > 2
        for rule in scored.model.table
    }
    scored.decoder.set_weights(Weights.from_mapping(dict.fromkeys(names, 1.0)))
    assert set(scored.decoder.unknown_weights) == {name for name, frequent in names.items() if not frequent}
    assert any(names.values())


def test_a_model_without_classes_is_refused(tmp_path):
    model = small_model(tmp_path, 1, state_features=())
    with pytest.raises(ConfigError, match="'class_orientation' needs classes of source words"):
        PhraseDecoder(
            model.table, model.decoder.features, {"lm": model.lm}, options=ALL,
            state_features={"class_orientation": ClassOrientation()},
        )  # fmt: skip


def test_hierarchical_search_says_why_it_cannot(tmp_path):
    model = small_hiero_model(tmp_path, 1)
    with pytest.raises(ConfigError, match="'lexical_orientation' is a feature of phrase-based models"):
        HieroDecoder(
            model.table, model.decoder.features, {}, state_features={"lexical_orientation": LexicalOrientation()}
        )


@pytest.mark.parametrize("settings", [{"state": "loose"}, {"orientations": "msx"}, {"more_than": -1}])
def test_settings_outside_their_range_are_refused(settings):
    with pytest.raises(ConfigError, match=next(iter(settings))):
        LexicalOrientation(**settings)
