"""Features of lists against their definitions."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.errors import ConfigError
from tunesmith.features import SentenceFeature
from tunesmith.lm import NgramModel
from tunesmith.metrics import metrics
from tunesmith.search import CandidateSet, read_kbest
from tunesmith.search.list_features import add_features, make_feature
from tunesmith.search.lists.bayes_risk import BayesRisk

RECORDS = [
    {"id": 0, "hypothesis": "a b c", "x": 1.0, "score": -1.0},
    {"id": 0, "hypothesis": "a b b", "x": 2.0, "score": -2.0},
    {"id": 0, "hypothesis": "", "x": 0.5, "score": -3.0},
    {"id": 2, "hypothesis": "c a", "x": 3.0, "score": -0.5},
]


def columns(*texts, records=RECORDS, sources=None):
    lists = CandidateSet.from_records(records)
    found = add_features(lists, [make_feature(text) for text in texts], sources)
    assert found.model_scores.tolist() == lists.model_scores.tolist()
    assert [found.text(at) for at in range(len(found))] == [record["hypothesis"] for record in records]
    rows = found.rows().toarray()
    return {name: rows[:, at] for at, name in enumerate(found.features)}


def test_length_and_rank():
    found = columns("length", "rank")
    assert found["x"].tolist() == [1, 2, 0.5, 3]
    assert found["length"].tolist() == [3, 3, 0, 2]
    assert found["rank"].tolist() == [0, 1, 2, 0]


def test_agreement_is_the_expected_gain():
    lists = CandidateSet.from_records(RECORDS)
    risk = BayesRisk(metrics.make("chrf"), 2.0)
    expected = risk.expected_gains(lists, lists.model_scores)
    assert np.array_equal(columns("agreement:metric=chrf,scale=2")["agreement:chrf"], expected)


@pytest.mark.parametrize("scale", [0, 1.5])
def test_posteriors_are_those_of_counting(scale):
    found = columns(f"posterior:order=3,scale={scale}")
    texts = [record["hypothesis"].split() for record in RECORDS]
    for n in (1, 2, 3):
        ngrams = [[tuple(t[at : at + n]) for at in range(len(t) - n + 1)] for t in texts]
        for at, record in enumerate(RECORDS):
            others = [k for k, other in enumerate(RECORDS) if other["id"] == record["id"]]
            mass = np.array([math.exp(scale * RECORDS[k]["score"]) for k in others])
            mass /= mass.sum()
            values = [
                sum(share for share, k in zip(mass, others, strict=True) if ngram in ngrams[k])
                for ngram in ngrams[at]
            ]
            assert found[f"posterior:{n}"][at] == pytest.approx(np.mean(values) if values else 0.0)


def test_language_models_of_ours_and_of_kenlm(tmp_path):
    text = ["a b c", "a b b", "c a", "b c a"] * 3
    from tunesmith.lm import LmOptions
    from tunesmith.lm.training import estimate

    estimate(text, LmOptions(order=2)).write_arpa(tmp_path / "lm.arpa")
    NgramModel.load(tmp_path / "lm.arpa").save(tmp_path / "lm.bin")
    arpa, binary = (columns(f"lm:path={tmp_path / name}") for name in ("lm.arpa", "lm.bin"))
    expected = NgramModel.load(tmp_path / "lm.bin").score([record["hypothesis"] for record in RECORDS])
    for found in (arpa, binary):
        assert np.allclose(found["lm"], expected.log10 * math.log(10))
    kenlm = pytest.importorskip("kenlm", reason="kenlm is the judge here; it cannot be had for this Python")

    judge = kenlm.Model(str(tmp_path / "lm.arpa"))
    ours = [judge.score(record["hypothesis"]) * math.log(10) for record in RECORDS]
    assert np.allclose(arpa["lm"], ours, atol=1e-4)
    named = columns(f"lm:path={tmp_path / 'lm.bin'},name=big", records=[{**RECORDS[0], "hypothesis": "zzz a"}])
    assert named["big:unknown"].tolist() == [1]


def test_what_cannot_be_added_is_told():
    for text, message in (
        ("lenght", "Did you mean 'length'"),
        ("length:x=1", "no setting 'x'"),
        ("posterior:order=x", "order must be a whole number, got 'x'"),
        ("posterior:order=0", "order must be from 1 to 9, got 0"),
        ("lm", "lm:path=FILE"),
        ("word_pair", "looks at rules"),
        ("lm:path=nowhere", "no such file"),
    ):
        with pytest.raises(ConfigError, match=message):
            columns(text)
    with pytest.raises(ConfigError, match="'length' already"):
        columns("length", "length")


MINE = """\
from dataclasses import dataclass
from tunesmith.features import SentenceFeature, register

@register("ratio")
@dataclass(frozen=True)
class Ratio(SentenceFeature):
    power: float = 1.0
    def __call__(self, source, translation):
        yield "", (len(translation) / max(len(source), 1)) ** self.power
        if "b" in translation:
            yield "has_b", 1.0
"""


def test_a_class_of_the_users_in_the_verb(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "src").write_text("x y\n\nz\n")
    (tmp_path / "list").write_text(
        "0 ||| a b c ||| lm= -1 ||| -1\n0 ||| a ||| lm= -2 ||| -2\n2 ||| b ||| lm= -3 ||| 0\n"
    )
    words = ["candidates", "features", "--features-from", tmp_path / "mine.py", "--add", "ratio:power=2"]
    words += ["--source", tmp_path / "src", tmp_path / "list"]
    from tunesmith.features.base import templates

    try:
        ended = CliRunner().invoke(app, [str(word) for word in words])
    finally:
        templates._factories.pop("ratio", None)
    assert ended.exit_code == 0, ended.output
    (tmp_path / "out").write_text(ended.stdout)
    c = read_kbest(tmp_path / "out")
    assert list(c.features) == ["lm", "ratio", "ratio:has_b"]
    assert c.rows().toarray()[:, 1:].tolist() == [[2.25, 1], [0.25, 0], [1, 1]]
    none = CliRunner().invoke(app, ["candidates", "features", str(tmp_path / "list")])
    assert (none.exit_code, "--add length" in none.stderr) == (2, True)


def test_a_class_of_the_users_that_fails_is_named(tmp_path):
    (tmp_path / "list").write_text("0 ||| a b ||| lm= -1 ||| -1\n")

    @dataclass(frozen=True)
    class Text(SentenceFeature):
        def __call__(self, source, translation):
            yield "", "long"

    @dataclass(frozen=True)
    class Raises(SentenceFeature):
        def __call__(self, source, translation):
            yield "", 1 / 0

    c = read_kbest(tmp_path / "list")
    for feature, message in ((Text(), "UFuncTypeError"), (Raises(), "ZeroDivisionError: division by zero")):
        with pytest.raises(ConfigError, match=f"feature template 'mine' failed: .*{message}"):
            add_features(c, [("mine", feature)])


def test_numbers_of_the_file_stay_as_they_were(tmp_path):
    (tmp_path / "list").write_text("0 ||| a b ||| lm= -0.1 ||| -1.7\n")
    ended = CliRunner().invoke(
        app, ["candidates", "features", "--add", "posterior:order=1", str(tmp_path / "list")]
    )
    assert ended.stdout == "0 ||| a b ||| lm= -0.1 posterior:1= 1 ||| -1.7\n"
