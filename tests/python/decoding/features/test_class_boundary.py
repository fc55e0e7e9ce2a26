"""Classes at phrase boundaries: the search against every derivation, with random weights."""

import random
from collections import Counter

import pytest
from reference.exhaustive_phrase import Derivation, ranked
from reference.phrase_features import class_boundary
from support.models.phrase_models import ALL, SmallModel, phrases_of, small_model
from support.models.small_models import TARGET, sentences

from tunesmith.clustering import WordClasses
from tunesmith.decoding import PhraseDecoder
from tunesmith.errors import ConfigError
from tunesmith.features.search.class_boundary import ClassBoundary
from tunesmith.features.search.distortion import Distortion
from tunesmith.features.word_classes import classes_of
from tunesmith.weights import Weights

LABELS = ["<s>", "</s>", "<unk>", "0", "1", "x_y"]


def classes_for(seed: int, *, unknown: bool) -> WordClasses:
    rng = random.Random(seed)
    chosen = {word: rng.choice(["0", "1", "x_y"]) for word in TARGET if rng.random() < 0.8}
    return WordClasses({"A": "0", **chosen, **({"<unk>": "1"} if unknown else {})})


def boundaries(model: SmallModel, classes: WordClasses, found: Derivation) -> Counter[str]:
    """By definition, phrase by phrase."""
    of_words = {word: classes.find(word) or "<unk>" for word in [*model.table.target_vocabulary, "<unk>"]}
    fired = class_boundary(found.phrases, model.table, of_words)
    return Counter({f"class_boundary:{detail}": count for detail, count in fired.items()})


@pytest.mark.parametrize("unknown", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_search_is_exact_and_values_are_those_of_the_phrases(seed, unknown, tmp_path):
    model = small_model(tmp_path, seed, state_features=())
    classes = classes_for(seed, unknown=unknown)
    model.table.word_classes["target"] = classes_of(classes, model.table.target_vocabulary)
    features = {"distortion": Distortion(), "class_boundary": ClassBoundary()}
    decoder = PhraseDecoder(
        model.table, model.decoder.features, {"lm": model.lm}, options=ALL, state_features=features
    )
    rng = random.Random(seed)
    spelled = [label.replace("_", "%5F") for label in LABELS]
    pairs = {f"class_boundary:{a}_{b}": rng.uniform(-1, 1) for a in spelled for b in spelled}
    local = {name: rng.uniform(-1, 1) for name in decoder.index}
    decoder.set_weights(Weights.from_mapping({**local, **pairs}))
    scored = SmallModel(model.table, model.lm, decoder, model.reordering)

    def score(found: Derivation) -> float:
        fired = boundaries(model, classes, found)
        return scored.score(found) + sum(pairs[name] * count for name, count in fired.items())

    for source in sentences(seed, 4, longest=4):
        wanted = ranked(scored.grammar(), source, score)
        found = decoder.k_best([" ".join(source)], len(wanted) + 1)[0]
        assert [one.score for one in found] == pytest.approx([each for each, _ in wanted], abs=1e-3)
        for one in found:
            derivation = Derivation(tuple(one.text.split()), phrases_of(one))
            named = {
                name: value for name, value in one.named_features().items() if name.startswith("class_boundary:")
            }
            assert named == boundaries(model, classes, derivation)


def test_a_model_without_classes_is_refused(tmp_path):
    model = small_model(tmp_path, 1, state_features=())
    with pytest.raises(ConfigError, match="'class_boundary' needs classes of target words"):
        PhraseDecoder(
            model.table,
            model.decoder.features,
            {"lm": model.lm},
            options=ALL,
            state_features={"class_boundary": ClassBoundary()},
        )
