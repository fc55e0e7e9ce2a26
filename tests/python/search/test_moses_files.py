"""features.dat and scores.dat of Moses."""

import gzip
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunesmith.errors import FormatError
from tunesmith.metrics import Bleu
from tunesmith.search import merge, read_moses_run

FEATURES = """\
FEATURES_TXT_BEGIN_0 0 2 3 LM0_0 TM0_0 TM0_1
-1.5 0 2
-2.5 1 2 sparse_a=1 sparse_b=x=0.5
FEATURES_TXT_END_0
FEATURES_TXT_BEGIN_0 2 1 3 LM0_0 TM0_0 TM0_1
0 0 1
FEATURES_TXT_END_0
"""
SCORES = """\
SCORES_TXT_BEGIN_0 0 2 9 BLEU
8 9 5 8 2 7 1 6 10
1 2 0 1 0 0 0 0 10
SCORES_TXT_END_0
SCORES_TXT_BEGIN_0 2 1 9 BLEU
3 3 2 2 1 1 0 0 4
SCORES_TXT_END_0
"""


def run(tmp_path, features=FEATURES, scores=SCORES):
    for name, text in (("features", features), ("scores", scores)):
        (tmp_path / name).write_text(text)
    return read_moses_run(tmp_path / "features", tmp_path / "scores")


def test_a_run_is_read(tmp_path):
    c = run(tmp_path)
    assert c.offsets.tolist() == [0, 2, 2, 3]
    assert list(c.features) == ["LM0_0", "TM0_0", "TM0_1", "sparse_a", "sparse_b=x"]
    assert c.rows().toarray().tolist() == [[-1.5, 0, 2, 0, 0], [-2.5, 1, 2, 1, 0.5], [0, 0, 1, 0, 0]]
    # Hypothesis and reference length, matches, n-grams: the order of Bleu.
    assert c.statistics[0].tolist() == [9, 10, 8, 5, 2, 1, 9, 8, 7, 6]
    assert c.statistics.shape[1] == Bleu().width
    assert read_moses_run(tmp_path / "features").statistics is None


def test_statistics_of_another_metric_stay_as_they_are(tmp_path):
    scores = re.sub(r"BLEU", "TER", SCORES)
    assert run(tmp_path, scores=scores).statistics[0].tolist() == [8, 9, 5, 8, 2, 7, 1, 6, 10]


@pytest.mark.parametrize(
    ("file", "change", "line", "message"),
    [
        ("features", lambda t: t.replace("-1.5", "nan"), 2, "'nan' is not a finite number"),
        ("features", lambda t: t.replace("-1.5", "-inf"), 2, "not a finite number"),
        ("features", lambda t: t.replace("-1.5 0 2", "-1.5 0"), 2, "2 values for 3 features"),
        ("features", lambda t: t.replace("-1.5 0 2", "-1.5 0 2 7"), 2, "more values"),
        ("features", lambda t: t.replace("-1.5 0 2", "-1.5 0 2 LM0_0=7"), 2, "'LM0_0' has two values"),
        ("features", lambda t: t.replace("-1.5 0 2\n", ""), 3, "ends after 1 of 2"),
        ("features", lambda t: t.replace("0 0 1\n", "0 0 1\n0 0 1\n"), 7, "more than the 1 lines"),
        ("features", lambda t: t.replace(" 0 2 3", " 0 2 4"), 1, "3 names for 4"),
        ("features", lambda t: t.replace(" 0 2 3", " 0 x 3"), 1, "candidates 'x'"),
        ("features", lambda t: t.replace(" 0 2 3", " 7 2 3"), 5, "follows sentence 7"),
        ("features", lambda t: t.replace(" 2 1 3", " 0 1 3"), 5, "has a block already"),
        ("features", lambda t: t.replace(" 0 2 3", " 9999999999 2 3"), 1, "too many sentences without candidates"),
        ("features", lambda t: t[:-19], 6, "cut off"),
        ("features", lambda t: t.replace("FEATURES_TXT_BEGIN_0 0", "FEATURES_BIN_BEGIN_0 0"), 1, "binary"),
        ("features", lambda t: SCORES, 1, "wrong order"),
        ("scores", lambda t: "SCORES_TXT_BEGIN_0 0 0 18446744073709551615 BLEU\n", 1, "at most 1000 statistics"),
        ("features", lambda t: "0 ||| a ||| f= 1\n", 1, "a block must begin with FEATURES_TXT_BEGIN_0"),
        ("features", lambda t: "FEATURES_TXT_BEGIN_0 0\n", 1, "first line of a block"),
        ("scores", lambda t: FEATURES, 1, "wrong order"),
        ("scores", lambda t: t.replace("8 9 5", "8 9"), 2, "expected 9 statistics, got 8"),
        ("scores", lambda t: t.replace("2 1 9 BLEU", "2 1 8 BLEU"), 5, "8 statistics, the first block has 9"),
        ("scores", lambda t: t.replace("1 2 0", "1 two 0"), 3, "'two' is not a finite number"),
    ],
)  # fmt: skip
def test_a_malformed_file_is_named(tmp_path, file, change, line, message):
    texts = {"features": FEATURES, "scores": SCORES}
    texts[file] = change(texts[file])
    with pytest.raises(FormatError, match=message) as error:
        run(tmp_path, **texts)
    assert error.value.line == line
    assert error.value.path == str(tmp_path / file)


def test_files_of_different_runs_are_told(tmp_path):
    cut = SCORES.split("SCORES_TXT_BEGIN_0 2")[0]
    with pytest.raises(FormatError, match="has 1 sentences"):
        run(tmp_path, scores=cut)
    fewer = SCORES.replace("0 2 9", "0 1 9").replace("1 2 0 1 0 0 0 0 10\n", "")
    with pytest.raises(FormatError, match="sentence 0 has 1 candidates"):
        run(tmp_path, scores=fewer)


def test_the_lists_of_moses_are_read_merged_and_scored_as_moses_did(shared):
    """results.json: what Moses' tools found on the same files, BLEU of the best candidates under their weights."""
    import json

    folder = shared / "reference" / "tune"
    recorded = json.loads((folder / "results.json").read_text())
    runs = [
        read_moses_run(folder / f"run{i}.features.dat.gz", folder / f"run{i}.scores.dat.gz") for i in range(1, 6)
    ]
    assert sum(map(len, runs)) == recorded["candidates"] == 353_131
    c = merge(runs)
    assert len(c) == recorded["unique_candidates"] == 158_385
    assert list(c.features) == recorded["features"]
    for result in recorded["results"].values():
        scores = c.scores([result["weights"][name] for name in c.features])
        best = [
            s.start + int(np.argmax(scores[s.start : s.stop]))
            for s in map(c.candidates_of, range(c.sentences))
            if s
        ]
        assert Bleu(smoothing="none").score(c.statistics[best].sum(axis=0)) == pytest.approx(
            result["list_bleu"], abs=0.011
        )


def test_gzip_is_found_by_content(tmp_path):
    (tmp_path / "f").write_bytes(gzip.compress(FEATURES.encode()))
    assert len(read_moses_run(tmp_path / "f")) == 3


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *FEATURES.splitlines(),
                "FEATURES_TXT_BEGIN_0 1 1 1 a",
                "1",
                "1 2 3",
                "x=1",
                "nan",
                "",
                "\u3000",
                "5 \x85 6",
            ]
        ),
        max_size=12,
    )
)
def test_any_lines_are_read_or_refused(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("fuzz") / "features"
    path.write_text("\n".join(lines))
    try:
        c = read_moses_run(path)
    except FormatError as error:
        assert error.line is not None  # noqa: PT017
    else:
        assert np.isfinite(c.scores(np.ones(c.columns))).all()
