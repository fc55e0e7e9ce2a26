"""Dense features of a decoder stay in every line, also where they are 0: Moses asks for all values of a block."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.search import CandidateSet, read_kbest, write_kbest
from tunesmith.search.lists.merging import concatenate

ZEROS = """\
0 ||| a b ||| Distortion0= 0 LexicalReordering0= 0 0 0 0 0 0 LM0= -2.5 sparse_x= 1 ||| -1 ||| 0-0
0 ||| a ||| Distortion0= 0 LexicalReordering0= 0 0 0 0 0 0 LM0= -1 ||| -2 ||| 0-0
2 ||| c ||| Distortion0= 0 LexicalReordering0= 0 0 0 0 0 0 LM0= 0 sparse_x= 2 sparse_y= 1 ||| -3 ||| 0-0
"""
CARRIERS = ["cdec", "joshua", "json", "marian", "moses", "travatar"]

values = st.sampled_from(["0", "0", "0", "-1", "0.5", "-2.25"])
sizes = st.dictionaries(st.sampled_from(["Distortion0", "LM0", "LexicalReordering0", "TM1"]), st.integers(1, 6))


@st.composite
def moses_lists(draw):
    """A list as Moses writes it: every dense block in every line, sparse features where they fire."""
    blocks = draw(sizes)
    known: list[str] = []  # sparse features in the order they come, which is that of every line
    lines = []
    for sentence in range(draw(st.integers(1, 3))):
        for candidate in range(draw(st.integers(1, 3))):
            features = [
                f"{label}= {' '.join(draw(st.lists(values, min_size=size, max_size=size)))}"
                for label, size in blocks.items()
            ]
            fired = draw(st.sets(st.sampled_from(["sparse_x", "wt_a~b", "pp_1,2"]), min_size=0 if blocks else 1))
            known += sorted(fired - set(known))
            features += [f"{name}= {draw(st.sampled_from(['1', '-2']))}" for name in known if name in fired]
            lines.append(f"{sentence} ||| w{candidate} ||| {' '.join(features)} ||| -1\n")
    return "".join(lines)


def through(text, dialects, folder):
    """The list after it was written in each of these dialects (`folder` is one too), and as Moses has it."""
    (folder / "given").write_text(text)
    lists = read_kbest(folder / "given", "moses")
    for at, dialect in enumerate(dialects):
        if dialect == "folder":
            lists.save(folder / f"set{at}")
            lists = CandidateSet.load(folder / f"set{at}")
        else:
            write_kbest(lists, folder / f"list{at}", dialect)
            lists = read_kbest(folder / f"list{at}", dialect)
    write_kbest(lists, folder / "moses", "moses")
    return (folder / "moses").read_text()


@settings(max_examples=100)
@given(moses_lists(), st.lists(st.sampled_from([*CARRIERS, "folder"]), max_size=3))
@example(ZEROS, [])
@example(ZEROS, ["folder"])
@example(ZEROS, CARRIERS)
def test_lists_of_moses_keep_every_byte(tmp_path_factory, text, dialects):
    assert through(text, dialects, tmp_path_factory.mktemp("lists")) == text


@pytest.mark.parametrize("dialect", CARRIERS)
def test_verbs_keep_blocks_that_are_zero(tmp_path, dialect):
    (tmp_path / "list").write_text(ZEROS)
    runner = CliRunner()
    words = ["candidates", "convert", "--to", dialect, tmp_path / "list", "-o", tmp_path / "other", "-q"]
    assert runner.invoke(app, [str(word) for word in words]).exit_code == 0
    words = ["candidates", "convert", "--dialect", dialect, "--to", "moses", tmp_path / "other", "-q"]
    assert runner.invoke(app, [str(word) for word in words]).stdout == ZEROS
    if dialect == "moses":
        words = ["candidates", "sort", "--by-score", tmp_path / "list", "-q"]
        assert runner.invoke(app, [str(word) for word in words]).stdout == ZEROS
        words = ["candidates", "merge", tmp_path / "list", tmp_path / "other", "-o", tmp_path / "merged", "-q"]
        assert runner.invoke(app, [str(word) for word in words]).exit_code == 0
        assert "Distortion0= 0 LexicalReordering0= 0 0 0 0 0 0 LM0= 0 " in (tmp_path / "merged").read_text()


def test_a_frequent_sparse_feature_is_no_block(tmp_path):
    text = "".join(f"{at} ||| w ||| LM0= -1{' often= 1' if at % 3 else ''} ||| -1\n" for at in range(6))
    assert through(text, [], tmp_path) == text


def test_a_block_that_some_lines_lack_is_written_in_all(tmp_path):
    """Those of a sentence that could not be translated, say; a 0 elsewhere tells it from a sparse feature."""
    text = "0 ||| a ||| D0= 0 LM0= -1 ||| -1\n1 ||| b ||| D0= -2 LM0= -1 ||| -1\n2 |||  ||| LM0= -1 ||| -1\n"
    assert through(text, [], tmp_path).splitlines()[2] == "2 ||| ||| D0= 0 LM0= -1 ||| -1"


def test_features_dat_keeps_its_header(tmp_path):
    names = [f"f{at}" for at in range(20)]
    row = ["0"] * 19 + ["1.5"]
    lines = [f"FEATURES_TXT_BEGIN_0 0 2 20 {' '.join(names)}", " ".join(row), " ".join([*row, "rare=2.0"])]
    text = "\n".join([*lines, "FEATURES_TXT_END_0", ""])
    (tmp_path / "features.dat").write_text(text)
    write_kbest(read_kbest(tmp_path / "features.dat"), tmp_path / "again", "moses-dat")
    assert (tmp_path / "again").read_text() == text


def test_what_is_stated_follows_the_columns(tmp_path):
    (tmp_path / "list").write_text(ZEROS)
    (tmp_path / "other").write_text("0 ||| z ||| LM0= -1 Other0= 0 ||| -1\n")
    first, second = read_kbest(tmp_path / "list"), read_kbest(tmp_path / "other")
    names = [f"LexicalReordering0_{at}" for at in range(6)]
    assert stated(first) == ["Distortion0", *names, "LM0"]
    assert stated(second) == ["LM0", "Other0"]
    for joined in (concatenate([second, first]), CandidateSet.merge([second, first])):
        assert stated(joined) == ["LM0"]  # what both state
    assert stated(first.take(np.array([2, 0]), np.array([0, 2]))) == stated(first)
    assert stated(first.select(1, 3)) == stated(first)


def stated(lists):
    return [lists.features.name(column) for column in lists.matrix.stated.tolist()]
