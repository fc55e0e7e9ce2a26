"""Jumps with their direction: the search against every derivation, with random weights."""

import random
from collections import Counter

import pytest
from reference.exhaustive_phrase import Derivation, ranked
from reference.phrase_features import signed_distortion
from support.models.phrase_models import SmallModel, phrases_of, small_model
from support.models.small_models import sentences

from tunesmith.weights import Weights

VALUES = [*map(str, range(-6, 7)), "positive", "negative"]


def jumps(found: Derivation) -> Counter[str]:
    fired = signed_distortion(found.phrases)
    return Counter({f"signed_distortion:{detail}": count for detail, count in fired.items()})


@pytest.mark.parametrize("seed", range(4))
def test_search_is_exact_and_values_are_those_of_the_phrases(seed, tmp_path):
    model = small_model(tmp_path, seed, state_features=("distortion", "signed_distortion"))
    decoder = model.decoder
    rng = random.Random(seed)
    pairs = {f"signed_distortion:{value}": rng.uniform(-1, 1) for value in VALUES}
    local = {name: rng.uniform(-1, 1) for name in decoder.index}
    decoder.set_weights(Weights.from_mapping({**local, **pairs}))
    assert decoder.unknown_weights == []
    scored = SmallModel(model.table, model.lm, decoder, model.reordering)

    def score(found: Derivation) -> float:
        return scored.score(found) + sum(pairs[name] * count for name, count in jumps(found).items())

    seen = set()
    for source in sentences(seed, 4, longest=4):
        wanted = ranked(scored.grammar(), source, score)
        found = decoder.k_best([" ".join(source)], len(wanted) + 1)[0]
        assert [one.score for one in found] == pytest.approx([each for each, _ in wanted], abs=1e-3)
        for one in found:
            derivation = Derivation(tuple(one.text.split()), phrases_of(one))
            named = one.named_features()
            fired = {name: value for name, value in named.items() if name.startswith("signed_distortion:")}
            assert fired == jumps(derivation)
            seen |= set(fired)
    assert {"signed_distortion:0", "signed_distortion:positive", "signed_distortion:negative"} <= seen


@pytest.mark.parametrize("detail", ["", "01", "+1", "x", "1.0", "99999999999"])
def test_names_that_no_jump_has_are_unknown(detail, tmp_path):
    model = small_model(tmp_path, 1, state_features=("signed_distortion",))
    name = f"signed_distortion:{detail}"
    model.decoder.set_weights(Weights.from_mapping({name: 1.0, "signed_distortion:-3": 1.0}))
    assert model.decoder.unknown_weights == [name]
