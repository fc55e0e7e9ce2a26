"""Decoders that give back memory, or share it, find the same translations."""

import numpy as np
import pytest
from support.corpora.tiny_corpora import tiny_corpus

from tunesmith.decoding import DecoderOptions, HeldOutDecoder, HieroDecoder
from tunesmith.features import FeatureSet
from tunesmith.features.featureset import rule_arrays
from tunesmith.grammar import ExtractOptions, HieroOptions, extract_rules, find_leave_one_out_counts
from tunesmith.lm import LmOptions, NgramModel
from tunesmith.tuning import KBestSource

FOLDS = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])


@pytest.fixture
def corpus():
    return tiny_corpus(41, 10)


@pytest.fixture
def lists(corpus, tmp_path):
    """A decoder of three folds, with triggers that get their numbers when they are met."""
    table = extract_rules(*corpus, tmp_path / "rules", ExtractOptions(HieroOptions(min_gap=1, max_gaps=1)))
    features = FeatureSet.parse("default").compile(table)
    decoders = []
    for fold in range(3):
        lm = NgramModel.train([corpus[0].target[at] for at in np.flatnonzero(fold != FOLDS)], LmOptions(order=2))
        decoders.append(
            HieroDecoder(
                table, features, {"lm": lm}, options=DecoderOptions(max_span=5), state_features=["source_triggers"]
            )
        )
    return HeldOutDecoder(decoders, FOLDS)


@pytest.fixture
def left_out(corpus, lists, tmp_path):
    return find_leave_one_out_counts(lists.decoder.table, *corpus, tmp_path / "own").in_folds(FOLDS)


def found(lists, corpus, left_out):
    made = lists.k_best(corpus[0].source, 20, leave_one_out=left_out)
    return [made.text(at) for at in range(len(made))], made.model_scores.tolist(), made.rows().toarray().tolist()


def test_folds_that_have_rested_find_the_same_lists(lists, corpus, left_out):
    found(lists, corpus, left_out)  # names of triggers
    weights = np.random.default_rng(1).normal(size=(3, len(lists.features)))
    lists.set_weights(weights)
    before = found(lists, corpus, left_out)
    lists.rest()
    np.testing.assert_array_equal([each.weights for each in lists.decoders], weights)
    lists.rest()
    assert found(lists, corpus, left_out) == before  # nobody has set weights again
    assert found(lists, corpus, left_out) == before
    lists.rest()
    lists.set_weights(weights)
    assert found(lists, corpus, left_out) == before
    assert len(lists.features) == weights.shape[1]


def test_a_source_lets_its_decoder_rest(lists, corpus, left_out):
    source = KBestSource(lists, corpus[0].source, [[line] for line in corpus[0].target], 5, leave_one_out=left_out)
    weights = np.random.default_rng(2).normal(size=len(lists.features))
    first = [part.candidates.model_scores.tolist() for part in source.parts(weights)]
    source.rest()
    assert [part.candidates.model_scores.tolist() for part in source.parts(weights)] == first


def test_decoders_of_a_table_share_its_arrays(lists):
    table = lists.decoder.table
    assert rule_arrays(table, range(len(table))) is rule_arrays(table, range(len(table)))
    assert rule_arrays(table, range(1)) is not rule_arrays(table, range(1))
