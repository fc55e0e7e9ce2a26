"""Sub-samples of a tuning set are what they claim, and sources of them hold these sentences and no others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunesmith.errors import ConfigError
from tunesmith.search import CandidateSet
from tunesmith.tuning import FileSource, KBestSource
from tunesmith.tuning.sources.sub_samples import KEPT, sub_sample


@given(st.integers(100, 3000), st.integers(1, 50))
def test_some_sentences_in_their_order_and_the_same_every_time(sentences, number):
    chosen = sub_sample(sentences, number)
    assert np.all(np.diff(chosen) > 0)
    assert 0 <= chosen[0] <= chosen[-1] < sentences
    assert np.array_equal(chosen, sub_sample(sentences, number))


def test_each_sentence_stays_with_the_chance_of_the_paper():
    """Over many sub-samples: each alone, and every sentence of them, within five standard errors of 0.9."""
    sentences, samples = 500, 400
    kept = np.zeros((samples, sentences))
    for at in range(samples):
        kept[at, sub_sample(sentences, at + 1)] = 1
    error = np.sqrt(KEPT * (1 - KEPT))
    assert np.all(abs(kept.mean(axis=1) - KEPT) < 5 * error / np.sqrt(sentences))
    assert np.all(abs(kept.mean(axis=0) - KEPT) < 5 * error / np.sqrt(samples))
    assert len({tuple(row) for row in kept.tolist()}) == samples


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((100, 0), "numbered from 1"),
        ((0, 1), "has none"),
        ((5, 1, 1e-9), "has none"),
        ((5, 1, 0.0), "above 0"),
        ((5, 1, 1.5), "above 0"),
    ],
)
def test_what_makes_no_sense_is_told(arguments, message):
    with pytest.raises(ConfigError, match=message):
        sub_sample(*arguments)


def lists(random, sentences):
    sizes = random.integers(0, 4, sentences)
    total = int(sizes.sum())
    return CandidateSet.from_matrix(
        random.normal(size=(total, 3)),
        np.concatenate([[0], np.cumsum(sizes)]),
        texts=[f"word{at} end" for at in range(total)],
    )


@given(st.integers(0, 2**32 - 1))
def test_lists_of_a_subset_are_those_of_its_sentences(seed):
    random = np.random.default_rng(seed)
    every = lists(random, 12)
    source = FileSource(every, [[f"reference {at}"] for at in range(12)])
    chosen = np.flatnonzero(random.random(12) < 0.6)
    if not len(chosen):
        return
    part = source.subset(chosen)
    found = part.candidates(np.zeros(3))
    assert part.references == [[f"reference {at}"] for at in chosen]
    assert found.sentences == len(chosen)
    for here, there in enumerate(chosen.tolist()):
        mine, theirs = found.candidates_of(here), every.candidates_of(there)
        assert [found.text(at) for at in mine] == [every.text(at) for at in theirs]
        assert np.array_equal(found.rows(list(mine)).toarray(), every.rows(list(theirs)).toarray())
    if len(chosen) < 12:
        assert part.settings()["references"] != source.settings()["references"]


def test_a_decoder_gets_the_sentences_of_the_subset():
    class Echo:
        features = ("words",)
        weights = np.ones(1)

        def set_weights(self, weights):
            pass

        def k_best(self, lines, k, *, threads=1):
            sizes = np.array([[len(line.split())] for line in lines], dtype=float)
            return CandidateSet.from_matrix(sizes, np.arange(len(lines) + 1), texts=list(lines), names=["words"])

    lines = ["a", "b c", "d e f", "g"]
    source = KBestSource(Echo(), lines, [[line] for line in lines], k=2, start=np.array([2.0]))
    part = source.subset(np.array([1, 3]))
    found = part.candidates(np.ones(1))
    assert [found.text(at) for at in range(len(found))] == ["b c", "g"]
    assert part.references == [["b c"], ["g"]]
    assert part.start().tolist() == [2.0]
    assert part.settings()["source"] != source.settings()["source"]
