"""Estimation against lmplz (KenLM), on the files recorded in ../shared/reference/lm."""

import gzip

import numpy as np
import pytest
from support.models.lm_text import parse_arpa, read_gz

from tunesmith.io import read_lines
from tunesmith.lm import LmOptions, NgramModel, estimate


@pytest.mark.parametrize("order", [3, 5])
def test_the_model_is_that_of_lmplz(shared, order):
    text = read_gz(shared / "data/zh-en/train.en.gz")
    counts, ours = parse_arpa(b"".join(estimate(text, LmOptions(order=order)).arpa()))
    announced, theirs = parse_arpa(gzip.decompress((shared / f"reference/lm/zh-en.o{order}.arpa.gz").read_bytes()))
    assert counts == announced
    assert ours.keys() == theirs.keys()
    difference = np.abs(np.array([ours[g] for g in theirs]) - np.array(list(theirs.values())))
    assert difference.max() < 1e-5


def test_recorded_scores_of_query(shared):
    folder = shared / "reference/lm"
    model = NgramModel.load(folder / "zh-en.o5.arpa.gz")
    scores = model.score(read_lines(shared / "data/zh-en/test.en.0"), threads=2)
    recorded = [line.split() for line in read_gz(folder / "zh-en.o5.test.en.0.scores.gz")]
    totals = [(float(words[1]), int(words[3])) for words in recorded if words[0] == "Total:"]
    assert scores.log10 == pytest.approx([total for total, _ in totals], rel=1e-5)
    assert scores.unknown.tolist() == [unknown for _, unknown in totals]
    numbers = {tuple(words[:-1]): words[-1] for words in recorded if words[0] != "Total:"}
    assert scores.perplexity == pytest.approx(float(numbers["Perplexity", "including", "OOVs:"]), rel=1e-6)
    assert scores.perplexity_known == pytest.approx(float(numbers["Perplexity", "excluding", "OOVs:"]), rel=1e-6)
    assert scores.tokens == int(numbers[("Tokens:",)])
    assert scores.unknown.sum() == int(numbers[("OOVs:",)])
