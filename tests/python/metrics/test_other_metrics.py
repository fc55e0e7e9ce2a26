"""chrF and TER against sacrebleu; precomputed scores; the registry."""

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from support.lists.strategies import corpora

from tunesmith import ConfigError, FormatError
from tunesmith.metrics import Bleu, ChrF, Precomputed, Ter, metrics, read_scores


@settings(max_examples=40)
@given(corpora())
@pytest.mark.parametrize(
    ("metric", "judge"),
    [
        (ChrF(), sacrebleu.CHRF()),
        (ChrF(word_order=2, lowercase=True), sacrebleu.CHRF(word_order=2, lowercase=True)),
        (Ter(), sacrebleu.TER(case_sensitive=True)),
        (Ter(lowercase=True, normalized=True), sacrebleu.TER(normalized=True)),
    ],
)
def test_corpus_scores_equal_sacrebleu_on_different_references(metric, judge, corpus):
    hypotheses, references = corpus
    different = [
        list({judge._preprocess_segment(text): text for text in sentence}.values()) for sentence in references
    ]
    most = max(map(len, different))
    streams = [[s[i] if i < len(s) else None for s in different] for i in range(most)]
    assert metric.corpus_score(hypotheses, references) == pytest.approx(
        judge.corpus_score(hypotheses, streams).score, abs=1e-9
    )


def test_scores_keep_leading_axes():
    rows = ChrF().prepare([["a b c"]] * 4).statistics(["a", "b", "c", "a b c"])
    assert ChrF().score(rows.reshape(2, 2, -1)).shape == (2, 2)


def test_directions():
    assert not Ter().higher_is_better
    assert ChrF().higher_is_better
    assert not Precomputed(lower_is_better=True).higher_is_better


def test_precomputed_is_the_mean_of_given_numbers(tmp_path):
    file = tmp_path / "comet.txt"
    file.write_text("0.5\n-1e-1\n 0.2 \n")
    scores = read_scores(file, expected=3)
    metric = Precomputed(title="COMET")
    assert metric.score(metric.statistics(scores).sum(axis=0)) == pytest.approx(0.2)
    assert "title:COMET|better:higher" in str(metric.signature(Bleu().prepare([["a"]])))
    with pytest.raises(ConfigError, match="not computed from references"):
        metric.prepare([["a"]])


@pytest.mark.parametrize("bad", ["", "x", "nan", "inf", "1 2", "1,5", "0x1", "1e3\x1e", "\x1e1"])
def test_scores_that_are_no_number_are_refused_with_their_line(tmp_path, bad):
    file = tmp_path / "scores.txt"
    file.write_text(f"1\n{bad}\n2\n")
    with pytest.raises(FormatError, match=r"scores\.txt:2: .*one score per line"):
        read_scores(file)


def test_a_wrong_number_of_scores_is_refused(tmp_path):
    file = tmp_path / "scores.txt"
    file.write_text("1\n2\n")
    with pytest.raises(FormatError, match="2 scores for 3 hypotheses"):
        read_scores(file, expected=3)


def test_every_metric_is_found_by_name_and_works():
    for name in metrics:
        if name == "precomputed":
            continue
        metric = metrics.make(name)
        perfect = metric.corpus_score(["a b c d e f"], [["a b c d e f"]])
        worse = metric.corpus_score(["a b x d"], [["a b c d e f"]])
        assert (perfect > worse) == metric.higher_is_better
        assert np.isfinite([perfect, worse]).all()


def test_an_unknown_metric_is_answered_with_the_closest_name():
    with pytest.raises(ConfigError, match=r"unknown metric 'bleau'\. Did you mean 'bleu'"):
        metrics.make("bleau")
    with pytest.raises(ConfigError, match="does not take these settings"):
        metrics.make("bleu", colour="red")
