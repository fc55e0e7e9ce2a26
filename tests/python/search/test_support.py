"""In the lists of how many sentences features and groups fire; sets spread over more sentences."""

import numpy as np
import pytest
from support.lists.candidate_sets import random_factored, random_offsets, random_rows, random_rule_features

from tunesmith.errors import ConfigError, FormatError
from tunesmith.search import CandidateSet
from tunesmith.search.lists.merging import concatenate, spread
from tunesmith.search.lists.support import sentence_support, support_by_fold
from tunesmith.search.lists.taking import sentences_in_order


def plain(random):
    return CandidateSet.from_matrix(random_rows(random), random_offsets(random, 40, 7))


def factored(random):
    return random_factored(random, random_rule_features(random))


def counted(candidates, groups):
    """The definition: sentence by sentence, which groups have a feature in some row."""
    rows = candidates.rows()
    counts = np.zeros(max(groups) + 1, dtype=int)
    for sentence in range(candidates.sentences):
        at = candidates.candidates_of(sentence)
        fired = {groups[column] for column in rows[at.start : at.stop].indices}
        counts[[group for group in fired if group >= 0]] += 1
    return counts


@pytest.mark.parametrize("kind", [plain, factored])
@pytest.mark.parametrize("threads", [1, 3])
def test_support_is_what_its_definition_counts(kind, threads):
    for seed in range(20):
        random = np.random.default_rng(seed)
        candidates = kind(random)
        alone = np.arange(candidates.columns)
        assert np.array_equal(sentence_support(candidates, threads=threads), counted(candidates, alone))
        groups = random.integers(-1, 6, size=candidates.columns)
        groups[0] = 5
        found = sentence_support(candidates, groups, 6, threads=threads)
        assert np.array_equal(found, counted(candidates, groups))


def test_groups_that_do_not_fit_are_errors():
    candidates = plain(np.random.default_rng(1))
    for groups, size in (
        ([0], 1),
        ([], 0),
        (np.full(candidates.columns, 7), 3),
        (np.full(candidates.columns, -2), 3),
    ):
        with pytest.raises((ConfigError, FormatError)):
            sentence_support(candidates, groups, size)


@pytest.mark.parametrize("kind", [plain, factored])
def test_spread_sentences_keep_their_candidates(kind):
    random = np.random.default_rng(3)
    candidates = kind(random)
    places = [0, 2, 3, 6, 7, 9, 11]
    wide = spread(candidates, places, 13)
    assert wide.sentences == 13
    assert (wide.rows() != candidates.rows()).nnz == 0
    for sentence, place in enumerate(places):
        assert wide.candidates_of(place) == candidates.candidates_of(sentence)
    assert [len(wide.candidates_of(at)) for at in (1, 4, 5, 8, 10, 12)] == [0] * 6
    whole = concatenate([candidates, wide])
    assert whole.sentences == 20
    for places in ([0, 1], [0, 2, 2, 3, 4, 5, 6], range(7, 14), range(-1, 6)):
        with pytest.raises(ConfigError, match="places"):
            spread(candidates, places, 13)


@pytest.mark.parametrize("kind", [plain, factored])
def test_support_of_parts_adds_up_to_that_of_all(kind):
    random = np.random.default_rng(2)
    candidates = kind(random)
    parts = random.integers(0, 3, candidates.sentences)
    found = support_by_fold(candidates, parts, 3)
    assert np.array_equal(found.sum(axis=0), sentence_support(candidates))
    for part in range(3):
        alone = sentences_in_order(candidates, np.flatnonzero(parts == part))
        assert np.array_equal(found[part], sentence_support(alone))
    for wrong in (parts[1:], parts + 3, parts - 3):
        with pytest.raises(FormatError, match="part"):
            support_by_fold(candidates, wrong, 3)
