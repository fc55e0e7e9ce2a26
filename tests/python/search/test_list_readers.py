"""Readers of fairseq, sockeye and flat files against their plain twins; lists in parts against whole lists."""

import gzip
import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.list_dialects import BadLineError, read_fairseq, read_flat, read_sockeye

from tunesmith.errors import ConfigError, FormatError
from tunesmith.search import CandidateSet, ListStream, WordLists, read_list, write_kbest, write_parts
from tunesmith.search.dialects import make_dialect

STREAMED = ["moses", "cdec", "joshua", "travatar", "marian", "json", "sockeye", "flat"]


def rows_of(c, first=0):
    """Every candidate, features that are not 0 as floats."""
    names, rows = list(c.features), c.rows()
    ends, ids = rows.indptr.tolist(), rows.indices.tolist()
    with np.errstate(over="ignore"):
        data = rows.data.astype(np.float32).tolist()
    found = []
    for at, sentence in enumerate(c.sentence_of.tolist()):
        features = {names[ids[i]]: data[i] for i in range(ends[at], ends[at + 1]) if data[i]}
        score = None if c.model_scores is None else float(c.model_scores[at])
        rest = [] if c.rest is None else c.rest.text(at).split()
        found.append((first + sentence, c.text(at).split(), features, score, rest))
    return found


def as_float(rows):
    with np.errstate(over="ignore"):
        return [
            (
                *row[:2],
                {name: float(np.float32(value)) for name, value in row[2].items() if np.float32(value)},
                *row[3:],
            )
            for row in map(tuple, rows)
        ]


def compared(path, text, dialect, twin):
    """The same candidates, or the same line refused."""
    path.write_text(text, newline="")
    expected, bad_line = [], None
    try:
        expected = twin(text)
    except BadLineError as bad:
        bad_line = bad.args[0]
    if bad_line is None:
        assert rows_of(read_list(path, dialect).candidates) == as_float(expected)
    else:
        with pytest.raises(FormatError) as error:
            read_list(path, dialect)
        assert error.value.line == bad_line


numbers = st.sampled_from(
    ["-1", "0", "2.5", "-0.1234567", " 1", "1e3", "1e-50", "-0.3333333333333333", "nan", "x", ""]
)
texts = st.lists(st.sampled_from(["a", "b@@", "我", "|", "|||", "\u3000", "=", "\u2028"]), max_size=4).map(
    " ".join
)


@st.composite
def fairseq_lines(draw):
    kind = draw(st.sampled_from("HHHDDPPAST"))
    number = draw(st.sampled_from(["0", "1", "1", "2", "1_7", "9999999999", "x"]))
    behind = {
        "H": st.tuples(numbers, texts).map("\t".join),
        "D": st.tuples(numbers, texts).map("\t".join),
        "P": st.lists(numbers, max_size=3).map(" ".join),
    }
    return f"{kind}-{number}\t{draw(behind.get(kind, texts))}"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(fairseq_lines(), st.sampled_from(["H-0\t-1\ta b", "D-0\t-1\tab", "P-0\t-1 -2", "log", "H-3"]))
    )
)
def test_fairseq_is_read_as_the_plain_twin_reads_it(tmp_path_factory, lines):
    compared(tmp_path_factory.getbasetemp() / "twin", "\n".join(lines), "fairseq", read_fairseq)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["", "# n=2\n", "# n=2\tx\n", "# n=2\tmodel_score\ty\n", "# n=02\n"]),
    st.lists(st.tuples(texts, st.lists(numbers, max_size=3)).map(lambda each: "\t".join([each[0], *each[1]]))),
)
def test_flat_files_are_read_as_the_plain_twin_reads_them(tmp_path_factory, header, lines):
    text = header + "".join(line + "\n" for line in (lines if len(lines) % 2 == 0 else lines[1:]))
    if header == "# n=02\n":
        text += "a\n"  # no header, but a candidate
    compared(tmp_path_factory.getbasetemp() / "twin", text, "flat:n=2", lambda text: read_flat(text, 2))


values = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-9, 9))


scores = st.one_of(values, st.lists(values, min_size=1, max_size=3))
pairs = st.lists(st.tuples(texts, scores))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), pairs, texts, values, st.booleans())))
def test_sockeye_is_read_as_the_plain_twin_reads_it(tmp_path_factory, sentences):
    lines = []
    for number, pairs, translation, score, as_text in sentences:
        value = {"sentence_id": str(number) if as_text else number, "pass_through": {"x": [1, {}]}}
        value |= {"translation": translation, "score": score}
        if pairs:
            value |= {"translations": [text for text, _ in pairs], "scores": [each for _, each in pairs]}
        lines.append(json.dumps(value, ensure_ascii=as_text))
    compared(tmp_path_factory.getbasetemp() / "twin", "\n".join(lines), "sockeye", read_sockeye)


def made(sentences, seed=1, *, sizes=(0, 1, 40), sparse=300):
    """Lists with sentences left out, dense and sparse features, some words that come late."""
    chance = random.Random(seed)
    names = ["lm", "tm_0", "tm_1", *(f"s{at}" for at in range(sparse))]
    rows, texts, offsets = [], [], [0]
    for sentence in range(sentences):
        for _ in range(chance.choice(sizes)):
            row = np.zeros(len(names))
            row[:3] = np.round([chance.gauss(0, 1), chance.choice([0, 1.5]), chance.gauss(0, 1)], 3)
            row[3 + chance.randrange(1 + sentence * sparse // sentences % sparse)] = 1.0
            rows.append(row)
            texts.append(" ".join(f"w{chance.randrange(20 + sentence)}" for _ in range(chance.randrange(6))))
        offsets.append(len(rows))
    plain = CandidateSet.from_matrix(np.array(rows), offsets, names=names)
    scores = np.round(np.array([chance.gauss(0, 9) for _ in rows]), 4)
    return CandidateSet(
        plain.matrix, offsets, features=names, words=WordLists.from_texts(texts), model_scores=scores
    )


def written(path, dialect, sentences=200):
    if dialect == "sockeye":
        lists = made(sentences, sparse=1)
        lists = CandidateSet(
            lists.project(np.zeros((lists.columns, 1))).matrix, lists.offsets, features=["score"],
            words=lists.words, model_scores=lists.model_scores,
        )  # fmt: skip
    else:
        lists = made(sentences, sizes=(7,) if dialect == "flat" else (0, 1, 40))
    write_kbest(lists, path, dialect)
    return path


@pytest.mark.parametrize("dialect", STREAMED)
def test_the_parts_of_a_list_are_the_list(tmp_path, dialect):
    path = written(tmp_path / "list", dialect)
    whole = read_list(path, dialect)
    parts = list(ListStream(path, dialect).parts())
    assert len(parts) > 1
    sentence = 0
    found = []
    for part in parts:
        assert part.first == sentence
        sentence += part.candidates.sentences
        found += rows_of(part.candidates, part.first)
    assert sentence == whole.candidates.sentences
    assert found == rows_of(whole.candidates)


@pytest.mark.parametrize("dialect", sorted({*STREAMED, "fairseq"} - {"flat", "sockeye"}))
def test_lists_written_in_parts_are_read_as_they_were(tmp_path, dialect):
    path = written(tmp_path / "list", "json")
    expected = rows_of(read_list(path).candidates)
    parts = ((part.first, part.candidates) for part in ListStream(path).parts())
    write_parts(parts, tmp_path / "again", dialect, lossy=dialect == "fairseq")
    again = rows_of(read_list(tmp_path / "again", dialect).candidates)
    if dialect == "fairseq":
        assert [(row[0], row[1], row[3]) for row in again] == [(row[0], row[1], row[3]) for row in expected]
    else:
        assert again == expected


def test_what_is_written_does_not_depend_on_the_blocks_of_the_input(tmp_path, monkeypatch):
    path = written(tmp_path / "list", "moses")
    data = path.read_bytes()
    outputs = set()
    for size in (700, 40_000, 1 << 20):
        blocks = [data[at : at + size] for at in range(0, len(data), size)]
        monkeypatch.setattr("tunesmith.search.dialects.input.iter_blocks", lambda _, blocks=blocks: iter(blocks))
        parts = ((part.first, part.candidates) for part in ListStream(path).parts())
        write_parts(parts, tmp_path / "out", "moses")
        outputs.add((tmp_path / "out").read_bytes())
    assert len(outputs) == 1


def test_only_a_little_is_read_ahead(tmp_path, monkeypatch):
    path = written(tmp_path / "list", "moses", 500)
    data, taken = path.read_bytes(), 0

    def blocks(_):
        nonlocal taken
        for at in range(0, len(data), 10_000):
            taken = at
            yield data[at : at + 10_000]

    monkeypatch.setattr("tunesmith.search.dialects.input.iter_blocks", blocks)
    for part in ListStream(path).parts():
        last = part.first + part.candidates.sentences
        behind = data.find(f"\n{last} ||| ".encode())
        assert behind < 0 or taken - behind < 100_000
    assert taken > 300_000


def test_bad_lines_of_parts_add_up(tmp_path):
    path = written(tmp_path / "list", "cdec")
    lines = path.read_text().splitlines()
    bad = [3, 1000, 2000]
    for at in bad:
        lines.insert(at, "x ||| y")
    path.write_text("\n".join(lines))
    parts = list(ListStream(path, skip_bad=True).parts())
    assert [line for part in parts for line, _ in part.bad.listed] == [at + 1 for at in bad]
    assert sum(part.bad.count for part in parts) == len(bad)
    with pytest.raises(FormatError) as error:
        list(ListStream(path).parts())
    assert error.value.line == 4


@pytest.mark.parametrize("dialect", ["moses", "json", "sockeye"])
def test_sentences_that_fall_are_refused_in_parts_unless_any_order_is_allowed(tmp_path, dialect):
    path = written(tmp_path / "list", dialect, 120)
    lines = path.read_text().splitlines()
    random.Random(2).shuffle(lines)
    path.write_text("\n".join(lines))
    with pytest.raises(FormatError, match="tunesmith candidates sort"):
        list(ListStream(path).parts())
    whole = read_list(path, any_order=True).candidates
    parts = list(ListStream(path, any_order=True).parts())
    assert [row for part in parts for row in rows_of(part.candidates, part.first)] == rows_of(whole)


def test_a_feature_that_comes_late_cannot_take_the_name_of_a_label(tmp_path):
    lines = [
        {"id": at // 10, "hypothesis": "a", "features": {"t_0": 1, "t_1": 2}, "score": 1} for at in range(3000)
    ]
    lines += [{"id": 300, "hypothesis": "a", "features": {"t": 1}, "score": 1}]
    path = tmp_path / "list"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def convert(dialect):
        parts = ((part.first, part.candidates) for part in ListStream(path).parts())
        write_parts(parts, tmp_path / "out", dialect)

    with pytest.raises(ConfigError, match="'t' follows lines"):
        convert("moses")
    assert not (tmp_path / "out").exists()
    convert("cdec")
    assert rows_of(read_list(tmp_path / "out").candidates) == rows_of(read_list(path).candidates)


@pytest.mark.parametrize("rows", [2000, 2001, 1999])
def test_scores_beside_a_flat_file_are_read_in_step(tmp_path, rows):
    (tmp_path / "list").write_bytes(gzip.compress("".join(f"w{at}\n" for at in range(2000)).encode()))
    (tmp_path / "scores").write_text("# a b\n" + "".join(f"{at} {-at}\n" for at in range(rows)) + "\n")
    stream = ListStream(tmp_path / "list", f"flat:n=5,scores={tmp_path / 'scores'}")
    if rows != 2000:
        with pytest.raises(
            FormatError, match="more lines than the 2000" if rows > 2000 else "ends behind|0 columns"
        ):
            list(stream.parts())
        return
    found = [row for part in stream.parts() for row in rows_of(part.candidates, part.first)]
    assert [row[2] for row in found] == [{} if at == 0 else {"a": at, "b": -at} for at in range(2000)]
    assert [row[0] for row in found] == [at // 5 for at in range(2000)]


def test_dialects_that_need_all_lists_to_be_written_say_so():
    assert make_dialect("flat:n=2").writes_whole
    assert not make_dialect("moses").writes_whole


def test_lines_left_out_are_told_however_long_the_first_list_is(tmp_path):
    good = [f"0 ||| a {at} ||| lm= -1 ||| -1" for at in range(5000)]
    path = tmp_path / "list"
    path.write_text("\n".join([good[0], "no line of a list", *good[1:], "1 ||| b ||| lm= -1 ||| -1"]))
    parts = list(ListStream(path, "moses", skip_bad=True).parts())
    assert sum(part.bad.count for part in parts) == 1
    assert next(len(part.candidates) for part in parts if len(part.candidates)) >= 5000


def test_sentences_in_any_order_may_begin_with_a_late_one(tmp_path):
    late = 1_200_000
    lines = [json.dumps({"id": at, "hypothesis": "a", "features": {"f": 1}}) for at in (late, *range(2001))]
    (tmp_path / "list").write_text("\n".join(lines))
    assert read_list(tmp_path / "list", "json").candidates.sentences == late + 1
    (tmp_path / "list").write_text(lines[0])
    with pytest.raises(FormatError, match="too many sentences without candidates"):
        read_list(tmp_path / "list", "json")


def test_lines_behind_a_broken_candidate_are_not_of_the_one_before(tmp_path):
    lines = ["H-0\t-1\ta b", "H-0 broken", "P-0\t-1 -2", "H-1\t-1\tc"]
    (tmp_path / "list").write_text("\n".join(lines))
    (tmp_path / "without").write_text("\n".join([lines[0], lines[3]]))
    found = read_list(tmp_path / "list", "fairseq", skip_bad=True)
    assert found.bad.count == 2
    assert rows_of(found.candidates) == rows_of(read_list(tmp_path / "without", "fairseq").candidates)


WIDE = "0.12345678901234567"  # no float says this


@pytest.mark.parametrize(
    ("dialect", "good", "refused"),
    [
        ("moses", "0 ||| a ||| t= 1 ||| 1", f"0 ||| a ||| t= {WIDE} t= 1 ||| 1"),
        ("moses", "0 ||| a ||| t= 1 ||| 1", f"0 ||| a ||| u= 1 {WIDE} u_0= 1 ||| 1"),
        ("cdec", "0 ||| a ||| t=1 ||| 1", f"0 ||| a ||| t={WIDE} t=1 ||| 1"),
        (
            "json",
            '{"id": 0, "hypothesis": "a", "features": {"t": 1}}',
            f'{{"id": 0, "hypothesis": "a", "features": {{"t": {WIDE}, "t": 1}}}}',
        ),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_a_line_that_is_left_out_leaves_no_trace(tmp_path, dialect, good, refused, first):
    """Neither a feature nor a value that only double could hold."""
    lines = [refused, good] if first else [good, refused]
    (tmp_path / "list").write_text("\n".join([*lines, good]))
    found = read_list(tmp_path / "list", dialect, skip_bad=True)
    assert found.bad.count == 1
    assert list(found.candidates.features) == ["t"]
    assert found.candidates.matrix.dense.dtype == np.float32
    (tmp_path / "list").write_text("\n".join([good, good]))
    assert rows_of(found.candidates) == rows_of(read_list(tmp_path / "list", dialect).candidates)


def test_sockeye_counts_from_zero_though_sentence_zero_is_left_out(tmp_path):
    lines = ['{"sentence_id": 0, "translation": 7, "score": 1}']
    lines += [json.dumps({"sentence_id": at, "translation": "a", "score": 1.0}) for at in (1, 2)]
    (tmp_path / "list").write_text("\n".join(lines))
    whole = read_list(tmp_path / "list", "sockeye", skip_bad=True).candidates
    assert np.diff(whole.offsets).tolist() == [0, 1, 1]
    parts = list(ListStream(tmp_path / "list", "sockeye", skip_bad=True).parts())
    assert [row[0] for part in parts for row in rows_of(part.candidates, part.first)] == [1, 2]


@pytest.mark.parametrize(("text", "value"), [("0." + "0" * 330 + "1", 0.0), ("1" * 300 + "e-400", None)])
def test_numbers_outside_of_doubles(tmp_path, text, value):
    path = tmp_path / "list"
    path.write_text(f"0 ||| a ||| lm= {text} other= 1 ||| -1\n")
    expected = float(text) if value is None else value
    assert read_list(path, "moses").candidates.rows().toarray()[0].tolist() == [expected, 1.0]
    path.write_text(f"0 ||| a ||| lm= {'1' * 400}e-1 ||| -1\n")
    with pytest.raises(FormatError, match="is not a finite number"):
        read_list(path, "moses")
