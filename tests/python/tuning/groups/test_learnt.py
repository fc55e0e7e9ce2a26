"""The spread of scores within lists, whose ratio sets the scale of learnt weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.lists.candidate_sets import random_offsets, random_rows

from tunesmith.search import CandidateSet
from tunesmith.tuning.groups import learnt
from tunesmith.tuning.groups.learnt import Learnt


def spread_by_definition(lists, weights):
    scores = lists.scores(weights)
    of = lists.sentence_of
    means = np.bincount(of, weights=scores, minlength=lists.sentences)
    means /= np.maximum(np.bincount(of, minlength=lists.sentences), 1)
    return np.sqrt(np.mean((scores - means[of]) ** 2))


@pytest.mark.parametrize("at_once", [1, 7, 4096])
@given(seed=st.integers(0, 2**32 - 1))
def test_the_proportion_is_that_of_standard_deviations_within_lists(at_once, seed):
    random = np.random.default_rng(seed)
    lists = CandidateSet.from_matrix(random_rows(random, rows=90, columns=12), random_offsets(random, 90, 25))
    alone = random.random(12) < 0.5
    before, fitted = random.normal(size=(2, 12))
    none = np.zeros(12, dtype=bool)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learnt, "_SENTENCES", at_once)
        found = Learnt(fitted, fitted, before, ~alone, alone, none, None, lists, 1).proportion()
    now, then = (spread_by_definition(lists, np.where(alone, each, 0.0)) for each in (before, fitted))
    assert found == (now / then if now > 0 and then > 0 else 1.0)  # to the last bit
