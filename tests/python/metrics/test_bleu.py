"""BLEU against sacrebleu, against its slow twin, and by identities."""

import gzip
import random
from importlib.metadata import version

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from reference.ngrams import bleu_statistics
from support.lists.strategies import corpora

from tunesmith import ConfigError
from tunesmith.metrics import Bleu

JUDGE = f"sacrebleu {version('sacrebleu')}"


def judged(hypotheses, references, **settings):
    """sacrebleu's score; it wants one list per reference number, None where a sentence has fewer."""
    most = max(len(sentence) for sentence in references)
    streams = [[s[i] if i < len(s) else None for s in references] for i in range(most)]
    metric = sacrebleu.BLEU(tokenize="none", force=True, **settings)
    return metric.corpus_score(hypotheses, streams).score


@given(corpora())
def test_statistics_equal_the_slow_twin(corpus):
    hypotheses, references = corpus
    for length in ("closest", "shortest", "average"):
        rows = Bleu(reference_length=length).prepare(references).statistics(hypotheses)
        for row, hypothesis, sentence in zip(rows, hypotheses, references, strict=True):
            assert row.tolist() == bleu_statistics(hypothesis, sentence, length=length)


@given(corpora())
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {}),
        ({"smoothing": "none"}, {"smooth_method": "none"}),
        ({"smoothing": "floor"}, {"smooth_method": "floor"}),
        ({"smoothing": "add_k", "smoothing_value": 2.0}, {"smooth_method": "add-k", "smooth_value": 2}),
        ({"order": 2}, {"max_ngram_order": 2}),
        ({"lowercase": True}, {"lowercase": True}),
    ],
)
def test_corpus_bleu_equals_sacrebleu_on_random_text(ours, theirs, corpus):
    hypotheses, references = corpus
    score = Bleu(**ours).corpus_score(hypotheses, references)
    assert score == pytest.approx(judged(hypotheses, references, **theirs), abs=1e-9)


EVALUATION_SETS = [
    *(f"{pair}/{part}" for pair in ("zh-en", "fr-en", "en-fr") for part in ("dev", "devtest", "test")),
    *(f"software-fr-en/{part}" for part in ("dev", "devtest", "test")),
    *(f"multi30k-{pair}/{part}" for pair in ("de-en", "fr-en") for part in ("val", "test_2016_flickr")),
]


@pytest.mark.parametrize("name", EVALUATION_SETS)
def test_corpus_bleu_equals_sacrebleu_on_every_evaluation_set(shared, name):
    """Each reference, and a damaged copy of the first one, against all references."""
    folder, part = name.split("/")
    target = folder.split("-")[-1]
    files = sorted((shared / "data" / folder).glob(f"{part}.{target}*"))
    streams = [file.read_text(encoding="utf-8").split("\n")[:-1] for file in files]
    references = list(zip(*streams, strict=True))
    rng = random.Random(1)
    damaged = []
    for line in streams[0]:
        words = line.split()
        words.insert(rng.randrange(len(words) + 1), words.pop(rng.randrange(len(words))))
        damaged.append(" ".join(words[: rng.randrange(1, len(words) + 1)] if rng.random() < 0.2 else words))
    judge = sacrebleu.BLEU(tokenize="none", force=True, references=streams)
    prepared = Bleu().prepare(references)
    for hypotheses in [damaged, *streams[:3]]:
        score = Bleu().score(prepared.statistics(hypotheses).sum(axis=0))
        assert score == pytest.approx(judge.corpus_score(hypotheses, None).score, abs=1e-9)
    if len(streams) > 1:  # references of one sentence against the others' only
        others = judged(streams[1], [sentence[:1] + sentence[2:] for sentence in references])
        assert Bleu().corpus_score(streams[1], [s[:1] + s[2:] for s in references]) == pytest.approx(
            others, abs=1e-9
        )


def test_recorded_moses_outputs_have_their_recorded_scores(shared):
    """Scores in ../shared/reference/README.md, computed there by another program."""
    with gzip.open(shared / "reference/moses-outputs/hiero.mert.zh-en.test.gz", "rt", encoding="utf-8") as file:
        output = file.read().split("\n")[:-1]
    streams = [(shared / f"data/zh-en/test.en.{i}").read_text(encoding="utf-8").split("\n")[:-1] for i in range(8)]
    assert Bleu().corpus_score(output, list(zip(*streams, strict=True))) == pytest.approx(44.88, abs=0.005)


def test_candidates_of_one_sentence_share_its_references():
    prepared = Bleu().prepare([["a b c d"], ["e f g h"]])
    rows = prepared.statistics(["a b", "e f", "a b"], [0, 1, 1])
    assert rows[:, 2].tolist() == [2, 2, 0]


@given(corpora())
def test_threads_do_not_change_a_bit(corpus):
    hypotheses, references = corpus
    prepared = Bleu().prepare(references)
    one = prepared.statistics(hypotheses)
    for threads in (2, 3, 8):
        assert np.array_equal(prepared.statistics(hypotheses, threads=threads), one)


@given(corpora())
def test_padding_with_repeats_changes_no_score(corpus):
    hypotheses, references = corpus
    padded = [[*sentence, sentence[0], sentence[-1]] for sentence in references]
    for length in ("closest", "shortest", "average"):
        metric = Bleu(reference_length=length)
        assert metric.corpus_score(hypotheses, padded) == metric.corpus_score(hypotheses, references)


def test_scores_are_vectorised_over_leading_axes():
    rows = Bleu().prepare([["a b c d e"]] * 3).statistics(["a b c d e", "a b c d", "x"])
    assert Bleu().score(rows).shape == (3,)
    assert Bleu().score(rows.reshape(1, 3, 10)).shape == (1, 3)
    assert Bleu().score(rows)[0] == pytest.approx(100)
    assert Bleu().score(rows)[2] == 0


def test_a_long_reference_with_many_continuations_is_matched_exactly():
    """Nodes with more children than are searched one by one."""
    rng = random.Random(3)
    reference = " ".join(f"the w{rng.randrange(300)}" for _ in range(3000))
    hypothesis = " ".join(f"the w{rng.randrange(400)}" for _ in range(500))
    row = Bleu().prepare([[reference]]).statistics([hypothesis])[0]
    assert row.tolist() == bleu_statistics(hypothesis, [reference])


def test_signature_names_what_changes_a_score():
    prepared = Bleu().prepare([["a", "b"], ["a", "a"]])
    assert str(Bleu().signature(prepared)).startswith("BLEU|nrefs:1-2|case:mixed|tok:none|smooth:exp|version:")
    unusual = Bleu(order=2, reference_length="average", smoothing="floor", lowercase=True)
    assert "case:lc|tok:none|order:2|reflen:average|smooth:floor[0.1]" in str(unusual.signature(prepared))


def test_details_are_the_parts_of_the_score():
    totals = Bleu().prepare([["a b c d e f"]]).statistics(["a b c d"]).sum(axis=0)
    details = Bleu().details(totals)
    assert details["precision_1"] == 100
    assert details["brevity_penalty"] == pytest.approx(np.exp(1 - 6 / 4))
    assert details["length_ratio"] == pytest.approx(4 / 6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": 0}, "from 1 to 9"),
        ({"order": 10}, "from 1 to 9"),
        (
            {"reference_length": "longest"},
            "must be closest or shortest or average, got 'longest'",
        ),
        ({"smoothing": "ghost"}, "smoothing must be none or floor or add_k or exp, got 'ghost'"),
        ({"smoothing": "exp", "smoothing_value": 1.0}, "takes no value"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        Bleu(**settings)


def test_wrong_numbers_of_hypotheses_are_refused():
    prepared = Bleu().prepare([["a"], ["b"]])
    with pytest.raises(ConfigError, match="3 hypotheses for 2 sentences"):
        prepared.statistics(["a", "b", "c"])
    with pytest.raises(ConfigError, match="shape"):
        prepared.statistics(["a", "b"], [0])
    for outside in (-1, 2):
        with pytest.raises(ConfigError, match="between 0 and 1"):
            prepared.statistics(["a"], [outside])


def test_what_is_not_text_is_refused():
    prepared = Bleu().prepare([["a"]])
    with pytest.raises(TypeError, match="a list of lines, got a list with bytes"):
        prepared.statistics([b"a"])
    with pytest.raises(UnicodeEncodeError):
        prepared.statistics(["\ud800"])
    with pytest.raises(ValueError, match="no reference"):
        Bleu().prepare([["a"], []])
