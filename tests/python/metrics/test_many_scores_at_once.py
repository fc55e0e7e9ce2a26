"""chrF and TER of summed statistics against sacrebleu's own arithmetic, row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from reference.made_up import damaged, references
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from tunesmith.metrics import Bleu, ChrF, Ter

CHARACTERS = [ChrF(), ChrF(word_order=2), ChrF(char_order=2, beta=1), ChrF(beta=3, word_order=1)]


def check(metric, rows):
    chrf = isinstance(metric, ChrF)
    judge = CHRF(metric.char_order, metric.word_order, metric.beta) if chrf else TER(case_sensitive=True)
    expected = [judge._compute_score_from_stats(row.tolist()).score for row in rows]
    assert metric.score(rows) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert metric.score(rows).shape == rows.shape[:-1]


@pytest.mark.parametrize("metric", [*CHARACTERS, Ter()], ids=str)
@given(data=st.data())
def test_any_counts(metric, data):
    counts = st.integers(0, 4)  # small, so that zeros in every place are tried
    check(metric, data.draw(arrays.arrays(np.float64, (3, metric.width), elements=counts.map(float))))


@pytest.mark.parametrize("metric", [*CHARACTERS, Ter()], ids=str)
def test_real_counts_in_any_shape(metric):
    refs = references(20)
    rows = metric.prepare(refs).statistics(damaged([sentence[0] for sentence in refs], 0.3, 1))
    check(metric, rows)
    assert np.array_equal(metric.score(rows.reshape(4, 5, -1)), metric.score(rows).reshape(4, 5))
    assert np.shape(metric.score(rows.sum(axis=0))) == ()


def test_bleu_of_single_sentences_is_sacrebleus():
    refs = [*references(20), ("yes .", "yes !"), ("a b c", "c"), ("", "a")]
    lines = [*damaged([sentence[0] for sentence in refs[:20]], 0.3, 1), "yes .", "a b", ""]
    judge = BLEU(tokenize="none", effective_order=True)
    expected = [
        judge.sentence_score(line, list(sentence)).score for line, sentence in zip(lines, refs, strict=True)
    ]
    found = Bleu().sentence_scores(Bleu().prepare(refs).statistics(lines))
    assert found == pytest.approx(expected, abs=1e-9)
    assert found[20] == pytest.approx(100)
