"""Rules of the sentence's domain: the search against every derivation, with random weights."""

import random

import numpy as np
import pytest
from reference.exhaustive_phrase import Derivation, ranked
from reference.phrase_features import in_domain
from support.models.phrase_models import GivenReordering, SmallModel, phrases_of, small_model
from support.models.small_models import sentences

from tunesmith.decoding import PhraseDecoder
from tunesmith.errors import ConfigError
from tunesmith.features import Domains, FeatureSet
from tunesmith.features.search.in_domain import AdjacentInDomain, InDomain
from tunesmith.weights import Weights

LABELS = ("news", "web")
NAMES = [name + detail for name in ("in_domain", "adjacent_in_domain") for detail in ("", ":news", ":web")]


def labelled_model(folder, seed, default=""):
    """A small model whose rules have random sets of labels, and its decoder with both features."""
    made = small_model(folder, seed, state_features=())
    table, rng = made.table, random.Random(seed)
    assert isinstance(table, GivenReordering)
    table.domains = list(LABELS)
    table.masks = np.array([rng.choice([0, 1, 2, 3, 3, 3]) for _ in range(len(table))], dtype=np.uint64)
    features = FeatureSet.parse("translation,word_penalty,unknown").compile(table)
    decoder = PhraseDecoder(
        table, features, {"lm": made.lm}, options=made.decoder.options, domains=Domains("/".join(LABELS)),
        state_features={"in_domain": InDomain(default), "adjacent_in_domain": AdjacentInDomain(default)},
    )  # fmt: skip
    return SmallModel(table, made.lm, decoder, made.reordering)


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_search_is_exact_and_values_are_those_of_the_phrases(seed, label, tmp_path):
    model = labelled_model(tmp_path, seed)
    decoder, rng = model.decoder, random.Random(seed)
    dense = {name: rng.uniform(-1, 1) for name in decoder.index if not name.startswith(("in_", "adjacent"))}
    own = {name: rng.uniform(-1, 1) for name in NAMES}
    decoder.set_weights(Weights.from_mapping({**dense, **own}))
    assert decoder.unknown_weights == []

    def fired(found):
        alone, both = in_domain(found.phrases, model.table, label)
        return alone + both

    def score(found):
        values = model.values(found)
        base = sum(values[decoder.index.find(name)] * weight for name, weight in dense.items())
        return base + sum(own[name] * count for name, count in fired(found).items())

    seen = set()
    for source in sentences(seed, 4, longest=4):
        wanted = ranked(model.grammar(), source, score)
        found = decoder.k_best([f"{label}\t{' '.join(source)}"], len(wanted) + 1)[0]
        assert [one.score for one in found] == pytest.approx([each for each, _ in wanted], abs=1e-3)
        for one in found:
            derivation = Derivation(tuple(one.text.split()), phrases_of(one))
            named = {name: value for name, value in one.named_features().items() if name in NAMES}
            assert named == fired(derivation)
            seen |= set(named)
    assert seen == {name for name in NAMES if ":" not in name or name.endswith(label)}


def test_nothing_fires_in_the_default_domain(tmp_path):
    decoder = labelled_model(tmp_path, 1, default="news").decoder
    for label, fires in (("news", False), ("web", True)):
        (found,) = decoder.k_best([f"{label}\ta z"], 5)
        assert any(name in NAMES for one in found for name in one.named_features()) is fires


def test_tables_without_labels_and_defaults_that_are_none(tmp_path):
    table = small_model(tmp_path, 1).table
    with pytest.raises(ConfigError, match=r"have no labels of training pairs.* --labels FILE"):
        InDomain().inputs(table)
    with pytest.raises(ConfigError, match="default must be a label of the training pairs, news, web; got 'talk'"):
        labelled_model(tmp_path, 2, default="talk")
