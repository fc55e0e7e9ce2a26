"""Parts of parallel text that have no sentence in common."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunesmith.corpus.bitext import Bitext
from tunesmith.corpus.folds import unrelated_folds
from tunesmith.errors import ConfigError

WORDS = st.integers(0, 40).map(lambda number: f"w{number}")


@given(st.lists(st.tuples(WORDS, WORDS), min_size=60, max_size=90), st.integers(0, 5))
def test_no_sentence_is_in_two_parts(pairs, seed):
    bitext = Bitext([source for source, _ in pairs], [target for _, target in pairs])
    try:
        parts = unrelated_folds(bitext, 2, seed)
    except ConfigError:  # all pairs are one cluster: from every sentence a chain of pairs leads to every other
        reached, before = {bitext.source[0]}, set()
        while reached != before:
            before = set(reached)
            targets = {target for source, target in bitext if source in reached}
            reached |= {source for source, target in bitext if target in targets}
        assert reached == set(bitext.source)
        return
    assert set(parts.tolist()) == {0, 1}
    for side in (bitext.source, bitext.target):
        part_of = {}
        for line, part in zip(side, parts.tolist(), strict=True):
            assert part_of.setdefault(line, part) == part


def test_case_space_and_punctuation_make_no_other_sentence():
    bitext = Bitext(["a b .", "A, b!", "c", "d", "…", "?"], ["1", "2", "3", "Ｃ 3", "4", "5"])
    parts = unrelated_folds(bitext, 3)
    assert parts[0] == parts[1]
    vowels = Bitext(["किताब", "कतब", "x"], ["1", "2", "3"])  # marks are part of a word
    assert len(set(unrelated_folds(vowels, 3).tolist())) == 3
    assert len({*parts[4:].tolist()}) == 2  # without letters they are compared as they are


def test_parts_are_equal_in_size_and_drawn_by_the_seed():
    bitext = Bitext([f"f{at // 3}" for at in range(3000)], [f"e{at}" for at in range(3000)])
    parts = unrelated_folds(bitext, 5)
    assert np.bincount(parts).tolist() == [600] * 5
    assert np.array_equal(parts, unrelated_folds(bitext, 5))
    assert not np.array_equal(parts, unrelated_folds(bitext, 5, seed=2))


@pytest.mark.parametrize("wanted", [0, 1, 4])
def test_too_few_and_too_many_parts_are_refused(wanted):
    with pytest.raises(
        ConfigError, match=f"folds must be from 2 to the number of sentence pairs, 3, got {wanted}"
    ):
        unrelated_folds(Bitext(["a", "b", "c"], ["A", "B", "C"]), wanted)
    with pytest.raises(ConfigError, match="folds must be at most 2, the number of clusters"):
        unrelated_folds(Bitext(["a", "b", "a"], ["A", "B", "C"]), 3)
