"""Rows of chrF and TER statistics equal to those of sacrebleu, one by one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from tunesmith.metrics import ChrF, Ter

# Letters of several lengths in UTF-8, white space that only Unicode knows, punctuation, characters whose lower
# case is longer; few of them, so that texts have much in common.
ALPHABET = "aaabbAB   .,!'-\"(&;1 \t\u00a0\u3000\u2028é我们你，。😀İß"
TEXTS = st.text(ALPHABET, max_size=40)
WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e.", "(f", "g"]), max_size=25).map(" ".join)


def judged(judge, hypotheses, references):
    """What sacrebleu computes for each pair, before sums."""
    read = judge._preprocess_segment
    return [
        judge._compute_segment_statistics(
            read(hypothesis), judge._extract_reference_info(list(dict.fromkeys(map(read, of))))
        )
        for hypothesis, of in zip(hypotheses, references, strict=True)
    ]


CHRF_SETTINGS = [
    {"char_order": char, "word_order": word, "lowercase": lower}
    for char, word, lower in [
        (6, 0, False),
        (6, 2, False),
        (6, 2, True),
        (1, 0, True),
        (3, 1, False),
        (12, 4, False),
    ]
]
TER_SETTINGS = list(product([False, True], repeat=3))


@settings(max_examples=25)
@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=4)), min_size=1, max_size=5))
@example([("", [""]), ("", ["a"]), ("a", [""]), (" \u3000", ["a b", ""])])
@pytest.mark.parametrize("setting", CHRF_SETTINGS, ids=str)
def test_chrf_rows(setting, pairs):
    hypotheses, references = [each for each, _ in pairs], [each for _, each in pairs]
    rows = ChrF(**setting).prepare(references).statistics(hypotheses)
    assert rows.tolist() == judged(CHRF(**setting), hypotheses, references)


@settings(max_examples=25)
@given(st.lists(st.tuples(TEXTS | WORDS, st.lists(TEXTS | WORDS, min_size=1, max_size=3)), min_size=1, max_size=4))
@example([("", [""]), ("", ["a b"]), ("a b", [""]), ("a", ["a b c d e f g " * 12])])
@pytest.mark.parametrize(("lowercase", "normalized", "no_punctuation"), TER_SETTINGS)
def test_ter_rows(lowercase, normalized, no_punctuation, pairs):
    hypotheses, references = [each for each, _ in pairs], [each for _, each in pairs]
    rows = Ter(lowercase, normalized, no_punctuation).prepare(references).statistics(hypotheses)
    judge = TER(normalized, no_punctuation, case_sensitive=not lowercase)
    assert rows.tolist() == judged(judge, hypotheses, references)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "words"), [(60, 70, 3), (60, 70, 30), (10, 120, 30), (120, 10, 30), (1, 90, 3)]
)
def test_ter_rows_of_long_lines(hypothesis, reference, words):
    """Beams, limits of shifts and of their number; lengths that differ by far."""
    drawn = np.random.default_rng(hypothesis + reference + words)
    texts = [" ".join(map(str, drawn.integers(words, size=size))) for size in (hypothesis, reference)]
    rows = Ter().prepare([[texts[1]]]).statistics([texts[0]])
    assert rows.tolist() == judged(TER(case_sensitive=True), [texts[0]], [[texts[1]]])


def test_rows_do_not_depend_on_threads_or_order():
    drawn = np.random.default_rng(5)
    texts = [" ".join(map(str, drawn.integers(20, size=drawn.integers(15)))) for _ in range(90)]
    references, hypotheses = [texts[at : at + 3] for at in range(0, 30, 3)], texts[30:]
    sentences = drawn.integers(10, size=60)
    for metric in (ChrF(word_order=2), Ter()):
        prepared = metric.prepare(references)
        rows = prepared.statistics(hypotheses, sentences)
        assert np.array_equal(rows, prepared.statistics(hypotheses, sentences, threads=4))
        alone = [prepared.statistics([text], [at])[0] for text, at in zip(hypotheses, sentences, strict=True)]
        assert np.array_equal(rows, alone)


@pytest.mark.parametrize("side", ["zh", "en"])
def test_rows_of_real_text(side, shared):
    """Lines of dev against the next ones; Chinese in characters."""
    name = "dev.zh" if side == "zh" else "dev.en.0"
    lines = (shared / "data" / "zh-en" / name).read_text("utf-8").splitlines()[:60]
    spaced = [" ".join(line.replace(" ", "")) if side == "zh" else line for line in lines]
    hypotheses, references = spaced[:-2], [spaced[at + 1 : at + 3] for at in range(len(spaced) - 2)]
    for ours, judge in ((ChrF(word_order=2), CHRF(word_order=2)), (Ter(), TER(case_sensitive=True))):
        assert ours.prepare(references).statistics(hypotheses).tolist() == judged(judge, hypotheses, references)
