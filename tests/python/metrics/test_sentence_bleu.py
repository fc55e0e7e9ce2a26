"""Sentence versions of BLEU against the formulas of their papers."""

import numpy as np
import pytest
from hypothesis import given
from reference import sentence_bleu as twin
from support.lists.strategies import corpora

from tunesmith import ConfigError
from tunesmith.metrics import Bleu, BleuPlusOne, DocumentBleu, InterpolatedBleu, MeanBleuPlusOne, PseudoCorpusBleu


@given(corpora())
@pytest.mark.parametrize(
    ("scorer", "formula"),
    [
        (BleuPlusOne(), twin.plus_one),
        (BleuPlusOne.nakov(), twin.nakov),
        (InterpolatedBleu(), twin.interpolated),
    ],
)
def test_scores_equal_the_slow_twin(scorer, formula, corpus):
    hypotheses, references = corpus
    rows = Bleu().prepare(references).statistics(hypotheses)
    assert scorer.scores(rows) == pytest.approx([formula(row) for row in rows.tolist()], abs=1e-12)


def rows_of(*hypotheses: str, reference: str = "the cat sat on the mat") -> np.ndarray:
    return Bleu().prepare([[reference]]).statistics(hypotheses, [0] * len(hypotheses))


def test_bleu_plus_one_by_hand():
    # 3 of 4 words, 1 of 3 bigrams, no longer match: 3/4 · (1+1)/(3+1) · 1/(2+1) · 1/(1+1), BP exp(1 - 6/4).
    row = rows_of("the cat on red")
    assert row[0].tolist() == [4, 6, 3, 1, 0, 0, 4, 3, 2, 1]
    expected = np.exp(1 - 6 / 4) * (3 / 4 * 2 / 4 * 1 / 3 * 1 / 2) ** 0.25
    assert BleuPlusOne().scores(row) == pytest.approx([expected])


def test_a_missing_word_costs_more_with_a_smoothed_brevity_penalty():
    """The finding of Nakov et al. 2012: plain BLEU+1 smooths precisions only and so forgives short output."""
    rows = rows_of("the cat sat on the mat", "the cat sat on the")
    full, short = BleuPlusOne().scores(rows)
    assert (full, short) == (1.0, pytest.approx(np.exp(1 - 6 / 5)))
    smoothed_full, smoothed_short = BleuPlusOne(smooth_brevity=True).scores(rows)
    assert smoothed_full == pytest.approx(np.exp(1 - 7 / 6))
    assert smoothed_short == pytest.approx(np.exp(1 - 7 / 5))
    assert smoothed_short / smoothed_full < short / full


def test_grounding_scores_no_match_as_zero_and_keeps_the_order():
    rows = rows_of("x y z", "the x y", "the cat y", "the cat sat", "the cat sat on")
    scores = BleuPlusOne.nakov().scores(rows)
    assert scores[0] == 0
    assert (np.diff(scores) > 0).all()


def test_interpolated_bleu_of_a_perfect_sentence_is_its_maximum():
    assert InterpolatedBleu().scores(rows_of("the cat sat on the mat")) == pytest.approx([1 - 2**-4])


def test_pseudo_corpus_is_the_bleu_of_background_plus_sentence_times_its_length():
    rows = rows_of("the cat sat on the mat", "the cat")
    scorer = PseudoCorpusBleu(decay=0.5, start=1.0)
    together = rows + 1.0
    assert scorer.scores(rows) == pytest.approx([twin.plain(row) * row[1] for row in together.tolist()])
    scorer.update(rows[0])
    assert scorer.background == pytest.approx(0.5 * (rows[0] + 1.0))
    assert scorer.scores(rows[1]) == pytest.approx(
        [twin.plain(row := (0.5 * (rows[0] + 1) + rows[1]).tolist()) * row[1]]
    )


def test_pseudo_corpus_scales():
    rows = rows_of("the cat sat on the mat")
    bleu = [twin.plain(row) for row in (rows + 1.0).tolist()]
    assert PseudoCorpusBleu(scale="none").scores(rows) == pytest.approx(bleu)
    by_source = PseudoCorpusBleu(scale="source", decay=0.9)
    assert by_source.scores(rows, source_length=7) == pytest.approx([b * 8 for b in bleu])
    by_source.update(rows[0], source_length=7)
    assert by_source.source_length == pytest.approx(0.9 * 8)
    with pytest.raises(ConfigError, match="scale must be reference or source or none, got 'words'"):
        PseudoCorpusBleu(scale="words")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"decay must be from 0 to 1, got 1\.5"):
        PseudoCorpusBleu(decay=1.5)


@given(corpora())
def test_document_bleu_replaces_one_oracle(corpus):
    hypotheses, references = corpus
    prepared = Bleu().prepare(references)
    oracles = prepared.statistics([sentence[0] for sentence in references])
    candidates = prepared.statistics(hypotheses)
    document = DocumentBleu(oracles)
    for sentence in range(len(hypotheses)):
        replaced = oracles.copy()
        replaced[sentence] = candidates[sentence]
        expected = twin.plain(replaced.sum(axis=0).tolist())
        assert document.scores(sentence, candidates[sentence]) == pytest.approx([expected], abs=1e-12)
    document.replace(0, candidates[0])
    oracles[0] = candidates[0]
    assert document.total.tolist() == oracles.sum(axis=0).tolist()
    assert document.oracles is not oracles


def test_mean_bleu_plus_one_is_the_mean_over_sentences():
    references = [["a b c d"], ["e f g h"]]
    hypotheses = ["a b c", "e f x h"]
    rows = Bleu().prepare(references).statistics(hypotheses)
    for extensions, formula in ((False, twin.plus_one), (True, twin.nakov)):
        metric = MeanBleuPlusOne(extensions=extensions)
        expected = 100 * np.mean([formula(row) for row in rows.tolist()])
        assert metric.corpus_score(hypotheses, references) == pytest.approx(expected)
    assert "smooth:nakov" in str(MeanBleuPlusOne(extensions=True).signature(Bleu().prepare(references)))
