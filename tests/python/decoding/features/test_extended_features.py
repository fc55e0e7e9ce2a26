"""All features of Green et al. (2014) at once: the search against every derivation, with random weights."""

import random
from collections import Counter
from pathlib import Path

import pytest
from reference import features as of_rules
from reference import phrase_features as of_phrases
from reference.exhaustive_phrase import Derivation, ranked
from support.models.phrase_models import ALL, SmallModel, phrases_of, small_model
from support.models.small_models import SOURCE, TARGET, sentences

from tunesmith.clustering import WordClasses
from tunesmith.config import FeaturePart
from tunesmith.decoding import PhraseDecoder
from tunesmith.features import parse_features, split_features
from tunesmith.features.search.token_ratio import function_words
from tunesmith.features.word_classes import classes_of
from tunesmith.grammar.reordering import ORIENTATIONS
from tunesmith.weights import Weights

MORE_THAN = 1
PRESET = f"translation,word_penalty,extended-filtered:more_than={MORE_THAN},top=2"
NAMES = ORIENTATIONS["msdn"]


class Extended:
    """A small model with `extended-filtered`, and what it fires by definition."""

    def __init__(self, folder: Path, seed: int) -> None:
        made = small_model(folder, seed, state_features=(), most_seen=3)
        rng = random.Random(seed)
        self.table = table = made.table
        self.classes: list[dict[str, str]] = []
        sides = ((table.source_vocabulary, SOURCE), (table.target_vocabulary, TARGET))
        for side, (vocabulary, words) in zip(("source", "target"), sides, strict=True):
            known = WordClasses(
                {words[0]: "0", **{word: rng.choice("01") for word in words if rng.random() < 0.7}}
            )
            table.word_classes[side] = classes_of(known, vocabulary)
            self.classes.append({word: known.find(word) or "<unk>" for word in [*vocabulary, "<unk>"]})
        specs = parse_features(PRESET, "phrase")
        chosen, across = split_features(FeaturePart(spec.name, dict(spec.settings)) for spec in specs)
        self.decoder = PhraseDecoder(
            table, chosen.compile(table), {"lm": made.lm}, options=ALL, state_features=across
        )
        self.dense = SmallModel(table, made.lm, self.decoder, made.reordering)

    def of_rule(self, number: int) -> Counter[str]:
        """What is fired by a rule alone; a word that passes through is of the unknown classes."""
        source, target = self.classes
        if number >= len(self.table):
            pair = f"{source['<unk>']}|{target['<unk>']}"
            return Counter([f"class_rule:{pair}", f"class_alignment:{pair}", f"target_class:{target['<unk>']}"])
        rule = self.table[number]
        fired = [
            *of_rules.class_rule(rule, source, target),
            *of_rules.target_class(rule, target),
            *of_rules.class_alignment(rule, source, target),
            *of_rules.source_class_deletion(rule, source),
            *of_rules.dimensions(rule),
            *of_rules.lexical_rule(rule, MORE_THAN),
            *of_rules.lexical_alignment(rule, MORE_THAN),
        ]
        return Counter({name: int(value) for name, value in of_rules.summed(iter(fired)).items()})

    def fired(self, found: Derivation, source: list[str]) -> dict[str, float]:
        """All sparse features of a derivation."""
        total: Counter[str] = Counter()
        for rule, _, _ in found.phrases:
            total += self.of_rule(rule)
        between = {
            "signed_distortion": of_phrases.signed_distortion(found.phrases),
            "class_boundary": of_phrases.class_boundary(found.phrases, self.table, self.classes[1]),
            "class_orientation": of_phrases.rule_orientation(
                found.phrases, self.table, NAMES, classes=(self.classes[0], self.classes[1])
            ),
            "lexical_orientation": of_phrases.rule_orientation(
                found.phrases, self.table, NAMES, more_than=MORE_THAN
            ),
        }
        for template, details in between.items():
            total.update({f"{template}:{detail}": count for detail, count in details.items()})
        values: dict[str, float] = dict(total)
        few = [function_words(words, 2) for words in (self.table.source_vocabulary, self.table.target_vocabulary)]
        count = sum(word in few[0] for word in source)
        if count and (fired := sum(word in few[1] for word in found.words)):
            values["function_word_ratio"] = fired / count
        return values


@pytest.mark.parametrize("seed", range(4))
def test_search_is_exact_and_values_are_those_of_the_definitions(seed, tmp_path):
    model = Extended(tmp_path, seed)
    grammar = model.dense.grammar()
    every = {
        tuple(source): [(found, model.fired(found, source)) for _, found in ranked(grammar, source, lambda _: 0.0)]
        for source in sentences(seed, 3, longest=4)
    }
    names = sorted({name for found in every.values() for _, fired in found for name in fired})
    rng = random.Random(seed)
    dense = {
        name: rng.uniform(-1, 1) for name in model.decoder.index if name.startswith(("translation", "lm", "word"))
    }
    sparse = {name: rng.uniform(-1, 1) for name in names if rng.random() < 0.7}
    model.decoder.set_weights(Weights.from_mapping({**dense, **sparse}))
    assert model.decoder.unknown_weights == []
    weights = model.decoder.weights
    for source, derivations in every.items():
        scores = []
        for found, fired in derivations:
            values = model.dense.values(found)
            base = sum(values[model.decoder.index.find(name)] * weight for name, weight in dense.items())
            scores.append(base + sum(sparse.get(name, 0.0) * value for name, value in fired.items()))
        lists = model.decoder.k_best([" ".join(source)], len(scores) + 1)[0]
        assert [one.score for one in lists] == pytest.approx(sorted(scores, reverse=True), abs=2e-3)
        for one in lists:
            derivation = Derivation(tuple(one.text.split()), phrases_of(one))
            named = {name: value for name, value in one.named_features().items() if name not in dense}
            assert named == pytest.approx(model.fired(derivation, list(source)), abs=1e-6)
    assert len(weights) > len(sparse)
    assert {name.partition(":")[0] for name in names} >= {
        spec.name for spec in parse_features(PRESET, "phrase")
    } - {"translation", "word_penalty", "punctuation_ratio", "source_class_deletion"}
