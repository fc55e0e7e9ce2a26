# ruff: noqa: E501 (sample lines are as long as toolkits write them)
"""Every dialect of n-best lists: recognised, read, written, and what is wrong with it told."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.json_lists import read_json_lines

from tunesmith.errors import ConfigError, FormatError
from tunesmith.search import CandidateSet, WordLists, read_kbest, read_list, write_kbest
from tunesmith.search.dialects import dialects

# Lines as each toolkit writes them (docs/reference/dialects.md says where that was looked up).
REAL = {
    "moses": """\
0 ||| das ist gut ||| LexicalReordering0= -1.5 0.5 LM0= -12.25 WordPenalty0= -3 sparse_a= 1 ||| -4.5 ||| 0-0 1-1 2-2
0 ||| es ist gut ||| LexicalReordering0= -1.25 0 LM0= -13 WordPenalty0= -3 ||| -4.75 ||| 0-0 1-1 2-2
1 ||| ja ||| LexicalReordering0= 0 0 LM0= -2 WordPenalty0= -1 ||| -0.5 ||| 0-0
""",
    "cdec": """\
0 ||| das ist gut ||| LanguageModel=-12.25 PhraseModel_0=1.5 WordPenalty=-1.25 ||| -4.5
0 ||| es ist gut ||| LanguageModel=-13 PhraseModel_0=1.75 WordPenalty=-1.25 ||| -4.75
1 ||| ja ||| LanguageModel=-2 WordPenalty=-0.5 ||| -0.5
""",
    "joshua": """\
0 ||| das ist gut ||| lm_0=-12.25 tm_pt_0=1.5 WordPenalty=-1.25 ||| -4.5
0 ||| es ist gut ||| lm_0=-13 tm_pt_0=1.75 WordPenalty=-1.25 ||| -4.75
1 ||| ja ||| lm_0=-2 WordPenalty=-0.5 ||| -0.5
""",
    "travatar": """\
0 ||| das ist gut ||| -4.5 ||| lm=-12.25 egfp=1.5 word=3
0 ||| es ist gut ||| -4.75 ||| lm=-13 egfp=1.75 word=3
1 ||| ja ||| -0.5 ||| lm=-2 word=1
""",
    "marian": """\
0 ||| das ist gut . ||| 0-0 1-1 2-2 3-3 ||| F0= -1.775 F1= -1.92 WordScores= -1.5 -0.25 -1.5 -0.25 -0.25 ||| -0.739
0 ||| es ist gut . ||| 0-0 1-1 2-2 3-3 ||| F0= -2.125 F1= -2.03 WordScores= -1.5 -0.25 -2 -0.25 -0.25 ||| -0.825
1 ||| ja ||| 0-0 ||| F0= -0.5 F1= -0.25 WordScores= -0.5 -0.25 ||| -0.25
""",
    "fairseq": """\
2020-11-15 10:00:00 | INFO | fairseq_cli.generate | loading model(s)
S-1\tyes
T-1\tja
H-1\t-0.25\tja
D-1\t-0.25\tja
P-1\t-0.2500 -0.2500
S-0\tthis is good
T-0\tdas ist gut
H-0\t-0.5\tda@@ s ist gut
D-0\t-0.5\tdas ist gut
P-0\t-0.5000 -0.2500 -0.5000 -0.7500
H-0\t-0.75\tes ist gut
D-0\t-0.75\tes ist gut
P-0\t-0.7500 -0.7500 -0.7500
Generate test with beam=5: BLEU4 = 27.00
""",
    "sockeye": """\
{"score": 0.5, "scores": [0.5, 0.75], "sentence_id": 1, "translation": "das ist gut", "translations": ["das ist gut", "es ist gut"]}
{"score": 0.25, "sentence_id": 2, "translation": "ja"}
""",
    "json": """\
{"id": 0, "hypothesis": "das ist gut", "features": {"lm": -12.25, "rare": 1}, "score": -4.5, "references": ["gut"]}
{"id": 0, "hypothesis": "es ist gut", "features": {"lm": -13}, "score": -4.75}
{"id": 1, "hypothesis": "ja", "features": {"lm": -2}, "score": -0.5, "references": ["ja", "jawohl"], "more": [1]}
""",
    "huggingface": """\
{"id": 0, "sequences": ["das ist gut", "es ist gut"], "sequences_scores": [-0.5, -0.75], "token_logprobs": [[-0.5, -0.25, -1.25], [-1, -1, -0.5]], "features": {"lm": [-12.25, -13]}}
{"id": 1, "sequences": ["ja"], "sequences_scores": [-0.25], "token_logprobs": [[-0.25]], "features": {"lm": [-2]}}
""",
    "ctranslate2": """\
{"id": 0, "hypotheses": [["das", "ist", "gut"], ["es", "ist", "gut"]], "scores": [-0.5, -0.75], "attention": []}
{"id": 1, "hypotheses": [["ja"]], "scores": [-0.25]}
""",
    "openai": """\
{"custom_id": "request-0", "choices": [{"index": 0, "text": "das ist gut", "logprobs": {"token_logprobs": [null, -0.5, -0.25]}}, {"index": 1, "message": {"role": "assistant", "content": "es ist gut"}, "logprobs": {"content": [{"token": "es", "logprob": -1}, {"token": " ist", "logprob": -0.5}]}}]}
{"custom_id": "request-1", "response": {"status_code": 200, "body": {"id": "cmpl-1", "choices": [{"text": "ja", "logprobs": {"token_logprobs": [-0.25, -0.5]}}]}}}
""",
    "flat": "# n=2\tmodel_score\tlm\tbert\ndas ist gut\t-4.5\t-12.25\t0.5\nes ist gut\t-4.75\t-13\t0.25\n"
    "ja\t-0.5\t-2\t1\nja ja\t-0.75\t-3\t1\n",
}  # fmt: skip


NEURAL = ("huggingface", "ctranslate2", "openai")


def put(folder, text, name="list"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def described(c):
    """Every candidate: sentence, words, features that are not 0, score, what followed it."""
    rows = c.rows().toarray()
    names = list(c.features)
    return [
        (
            int(c.sentence_of[at]),
            c.text(at),
            {name: np.float32(value) for name, value in zip(names, rows[at], strict=True) if value},
            None if c.model_scores is None else float(c.model_scores[at]),
            "" if c.rest is None else c.rest.text(at),
        )
        for at in range(len(c))
    ]


@pytest.mark.parametrize("dialect", REAL)
def test_the_dialect_is_recognised_and_said(tmp_path, dialect):
    path = put(tmp_path, REAL[dialect])
    found = read_list(path)
    assert found.dialect == dialect
    assert found.reason
    assert found.bad.count == 0
    c = found.candidates
    assert c.sentences == 2
    assert c.text(0).startswith("das ist gut")
    assert described(read_list(path, dialect).candidates) == described(c)
    assert c.model_scores is not None


@pytest.mark.parametrize("dialect", REAL)
def test_what_was_read_is_written_so_that_it_is_read_again(tmp_path, dialect):
    c = read_kbest(put(tmp_path, REAL[dialect]))
    write_kbest(c, tmp_path / "again", dialect)
    again = read_list(tmp_path / "again")
    assert again.dialect == dialect
    assert described(again.candidates) == described(c)
    if dialect not in ("fairseq", "flat", "json", "sockeye", *NEURAL):
        assert (tmp_path / "again").read_text() == REAL[dialect]


def test_what_each_toolkit_means(tmp_path):
    read = {name: described(read_kbest(put(tmp_path, text))) for name, text in REAL.items()}
    assert read["moses"][0] == (
        0, "das ist gut",
        {"LexicalReordering0_0": -1.5, "LexicalReordering0_1": 0.5, "LM0": -12.25, "WordPenalty0": -3, "sparse_a": 1}, -4.5, "0-0 1-1 2-2",
    )  # fmt: skip
    assert read["travatar"][1] == (0, "es ist gut", {"lm": -13, "egfp": 1.75, "word": 3}, -4.75, "")
    marian = read["marian"][2]
    assert marian == (1, "ja", {"F0": -0.5, "F1": -0.25}, -0.25, "0-0 ||| WordScores= -0.5 -0.25")
    assert read["fairseq"][0] == (
        0, "das ist gut", {"score": -0.5, "logprob": -2}, -0.5,
        "H= da@@ s ist gut ||| P= -0.5000 -0.2500 -0.5000 -0.7500",
    )  # fmt: skip
    assert read["sockeye"][2] == (1, "ja", {"score": 0.25}, 0.25, "")
    assert read["huggingface"][1] == (
        0, "es ist gut", {"score": -0.75, "logprob": -2.5, "tokens": 3, "lm": -13}, -0.75, ""
    )  # fmt: skip
    assert read["ctranslate2"][1] == (0, "es ist gut", {"score": -0.75}, -0.75, "")
    assert read["openai"][1] == (0, "es ist gut", {"logprob": -1.5, "tokens": 2}, -1.5, "")
    assert read["openai"][2] == (1, "ja", {"logprob": -0.75, "tokens": 2}, -0.75, "")
    assert read["flat"][3] == (1, "ja ja", {"lm": -3, "bert": 1}, -0.75, "")


def test_sources_and_references_of_the_file(tmp_path):
    fairseq = read_list(put(tmp_path, REAL["fairseq"]))
    assert (fairseq.sources, fairseq.references) == (["this is good", "yes"], [["das ist gut"], ["ja"]])
    assert read_list(put(tmp_path, REAL["json"])).references == [["gut"], ["ja", "jawohl"]]
    assert read_list(put(tmp_path, REAL["moses"])).references is None


def test_older_forms(tmp_path):
    one_scorer = "0 ||| ja ||| F0=-0.5 ||| -0.25\n0 ||| nein ||| F0=-1.5 ||| -0.75\n"
    marian = read_list(put(tmp_path, one_scorer))
    assert (marian.dialect, described(marian.candidates)[1]) == ("marian", (0, "nein", {"F0": -1.5}, -0.75, ""))
    first_joshua = read_list(put(tmp_path, "0 ||| ja ||| -1.5 -2 ||| -0.25\n"))
    assert first_joshua.dialect == "joshua"
    assert described(first_joshua.candidates)[0][2] == {"feature_0": -1.5, "feature_1": -2}
    no_score = read_list(put(tmp_path, "0 ||| ja ||| LanguageModel=-1.5\n"))
    assert (no_score.dialect, no_score.candidates.model_scores) == ("cdec", None)
    factors = '{"sentence_id": "0", "translations": ["a", "b"], "scores": [[1, 2], [3, 4]]}\n'
    assert described(read_kbest(put(tmp_path, factors)))[1] == (0, "b", {"score": 3, "score_1": 4}, 3.0, "")


def test_one_list_through_every_dialect_that_holds_it(tmp_path):
    c = read_kbest(put(tmp_path, REAL["moses"]))
    for dialect in ("json", "cdec", "joshua", "travatar", "moses", "marian", "json", "moses"):
        write_kbest(c, tmp_path / dialect, dialect)
        c = read_kbest(tmp_path / dialect, dialect)
    assert (tmp_path / "moses").read_text() == REAL["moses"]


@pytest.mark.parametrize("dialect", ["fairseq", "sockeye", "moses-dat"])
def test_what_has_no_place_is_refused_unless_the_loss_is_wanted(tmp_path, dialect):
    c = read_kbest(put(tmp_path, REAL["moses"]))
    with pytest.raises(ConfigError, match=f"dialect {dialect}.*--lossy"):
        write_kbest(c, tmp_path / "out", dialect)
    assert not (tmp_path / "out").exists()
    write_kbest(c, tmp_path / "out", dialect, lossy=True)
    again = read_kbest(tmp_path / "out")
    assert np.array_equal(again.offsets, c.offsets)
    if dialect != "moses-dat":
        assert [again.text(at) for at in range(3)] == [c.text(at) for at in range(3)]
        assert again.model_scores.tolist() == c.model_scores.tolist()


words = st.lists(
    st.sampled_from(["a", "b", "|", "||", "=", "x=", "1=2", "&amp;", "我", "😀", "'", '"', "\\", "#"]), max_size=4
)
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-9, 9).map(float),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
)
NAMES = ["lm", "b_0", "b_1", "c=", "d=1", "translation:p(e|f)", "id:ü"]


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from([*sorted(set(REAL) - {"fairseq", "sockeye"}), "moses-dat"]))
def test_every_value_survives_a_round_trip(tmp_path_factory, data, dialect):
    each = 2
    size = data.draw(st.integers(1, 4)) * each
    values = np.array(data.draw(st.lists(st.lists(numbers, min_size=7, max_size=7), min_size=size, max_size=size)))
    dat = dialect == "moses-dat"
    texts = [" ".join(data.draw(words)) for _ in range(size)]
    scores = np.array(data.draw(st.lists(numbers, min_size=size, max_size=size)))
    made = CandidateSet.from_matrix(values, np.arange(0, size + 1, each), names=NAMES)
    c = CandidateSet(
        made.matrix, made.offsets, features=NAMES,
        words=None if dat else WordLists.from_texts(texts), model_scores=None if dat else scores,
    )  # fmt: skip
    path = tmp_path_factory.mktemp("dialect") / "list"
    write_kbest(c, path, dialect)
    again = read_kbest(path, dialect)
    assert again.offsets.tolist() == c.offsets.tolist()
    if not dat:
        assert [again.text(at) for at in range(size)] == texts
        assert again.model_scores.tolist() == scores.tolist()
    where = {name: at for at, name in enumerate(again.features)}
    read = again.rows().toarray()
    small = np.float32 in (again.matrix.dense.dtype, c.matrix.dense.dtype)
    for at, name in enumerate(NAMES):
        column = read[:, where[name]] if name in where else np.zeros(size)
        assert np.array_equal(column, values[:, at]) or (
            small and np.array_equal(column.astype(np.float32), values[:, at].astype(np.float32))
        )


BAD = {
    "cdec": [("0 ||| x ||| a=1 a=2 ||| 0", "'a' has two values"), ("0 ||| x ||| a=x ||| 0", "'x' is not a finite")],
    "joshua": [("0 ||| x ||| 1 x ||| 0", "the value 'x'"), ("0 ||| x ||| lm_0=-1 5 ||| 0", "followed by '5'")],
    "travatar": [("0 ||| x ||| a=1", "3 fields; expected id ||| words ||| score ||| features"),
                 ("0 ||| x ||| a=1 ||| 5", "the score 'a=1'")],
    "marian": [("0 ||| x ||| F0= 1 WordScores= nan ||| 1", "the word score 'nan'"),
               ("0 ||| x ||| 0-0 ||| F0= 1 ||| x", "the score 'x'")],
    "moses": [("0 ||| x ||| LM0= ||| 0", "'LM0' has no value"), ("0 ||| x ||| a= 1 2 a= 3 4 ||| 0", "two values"),
              ("0 ||| x ||| n_0= 1 n= 2 3 ||| 0", "'n_0' has two values"),
              ("0 ||| x ||| n= 1 n= 2 3 ||| 0", "'n' has two values")],
    "fairseq": [("H-0\tnan\tx", "the score 'nan'"), ("H-0", "tabulator"), ("H-0\t-1\tx\nP-0\t-1 x", "'x' is not"),
                ("P-7\t-1", "P-7 does not follow an H-7"), ("H-99999999999\t-1\tx", "too many sentences without candidates")],
    "sockeye": [("[1]", "not a JSON object"), ('{"sentence_id": "x", "translation": "a", "score": 1}', "'x' is not a"),
                ('{"sentence_id": 5, "translations": ["a"], "scores": []}', "1 translations and 0 scores"),
                ('{"sentence_id": 5, "translations": ["a"], "scores": [[]]}', "no score"),
                ('{"sentence_id": 5}', "no translation"), ('{"sentence_id": 5', "not JSON")],
    "json": [("{", "not JSON"), ('{"id": 0}', "hypothesis"), ('{"id": -1, "hypothesis": "x", "score": 1}', "'-1' is not"),
             ('{"id": 0, "hypothesis": "x", "score": 1, "features": {"a b": 1}}', "white space"),
             ('{"id": 0, "hypothesis": "x", "score": 1, "features": {"a": "1"}}', "is not a number"),
             ('{"id": 0, "hypothesis": "x", "score": NaN}', "not JSON"),
             ('{"id": 0, "hypothesis": "x\\u0000", "score": 1}', "NUL"),
             ('{"id": 0, "hypothesis": "x"}', "no score"), ('{"id": 0, "hypothesis": "x", "score": 1e999}', "finite|JSON|range")],
    "huggingface": [("[1]", "not a JSON object"), ("{", "not JSON"), ('{"id": 5, "sequences": ["a"]}', "no sequences_scores"),
                    ('{"id": -5, "sequences": ["a"], "sequences_scores": [1]}', "'-5' is not a whole"),
                    ('{"id": 5, "sequences": "a", "sequences_scores": [1]}', "expected an array"),
                    ('{"id": 5, "sequences": ["a"], "sequences_scores": []}', "1 sequences and 0 sequences_scores"),
                    ('{"id": 5, "sequences": ["a"], "sequences_scores": [true]}', "is not a number"),
                    ('{"id": 5, "sequences": ["a"], "sequences_scores": [1], "features": {"x": [1, 2]}}', "1 candidates and 2"),
                    ('{"id": 5, "sequences": ["a"], "sequences_scores": [1], "token_logprobs": [1]}', "expected an array")],
    "ctranslate2": [('{"id": 5, "hypotheses": [[1]], "scores": [1]}', "expected a text or an array"),
                    ('{"id": 5, "hypotheses": [["a\\u0000"]], "scores": [1]}', "NUL")],
    "openai": [('{"id": 5}', "neither choices"), ('{"choices": [{"text": "a"}]}', "no log-probabilities"),
               ('{"custom_id": "x", "choices": []}', "does not end in"), ('{"choices": [{"text": "a", "logprobs": {}}]}', "no log"),
               ('{"choices": [{"text": 1, "cumulative_logprob": 1}]}', "the text"), ('{"response": {}}', "body"),
               ('{"outputs": [{"text": "a", "cumulative_logprob": "x"}]}', "is not a number")],
    "flat": [("ja\t1\t2", "2 columns, the first line names 3"), ("ja\t1\tx\t2", "'x' is not a finite")],
}  # fmt: skip


@pytest.mark.parametrize(("dialect", "line", "message"), [(d, *each) for d, many in BAD.items() for each in many])
def test_a_malformed_line_is_named_or_left_out(tmp_path, dialect, line, message):
    lines = REAL[dialect].splitlines()
    at = 3 if dialect in ("fairseq", "flat") else 1
    if dialect == "flat":
        lines[at] = line
    else:
        lines[at:at] = line.split("\n")
    path = put(tmp_path, "\n".join(lines))
    with pytest.raises(FormatError, match=message) as error:
        read_kbest(path, dialect)
    assert (error.value.path, error.value.line) == (str(path), at + 1)
    left = read_list(path, dialect, skip_bad=True)
    assert left.bad.count == 1
    assert left.bad.listed[0][0] == at + 1
    expected = described(read_kbest(put(tmp_path, REAL[dialect], "good"), dialect))
    if dialect == "flat":
        del expected[2]
    assert described(left.candidates) == expected


@pytest.mark.parametrize("dialect", REAL)
def test_line_ends_archives_and_what_is_no_text(tmp_path, dialect):
    expected = described(read_kbest(put(tmp_path, REAL[dialect])))
    for text in (
        REAL[dialect].replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + REAL[dialect].encode(),
        gzip.compress(REAL[dialect].encode()),
        REAL[dialect].rstrip("\n").encode(),
    ):
        assert described(read_kbest(put(tmp_path, text))) == expected
    lines = REAL[dialect].encode().splitlines(keepends=True)
    for broken in (b"\xff\n", b"a\0b\n", b"a\rb\n"):
        path = put(tmp_path, b"".join([*lines, broken]))
        with pytest.raises(FormatError) as error:
            read_kbest(path)
        assert error.value.line == len(lines) + 1
        if dialect != "flat":
            left = read_list(path, skip_bad=True)
            assert (left.bad.count, described(left.candidates)) == (1, expected)


def test_a_flat_file_is_told_what_it_needs(tmp_path):
    path = put(tmp_path, "a b\nc\nd\ne f\n")
    scores = put(tmp_path, "# lm bert\n-1 0.5\n-2 0.25\n-3 1\n-4 2\n", "scores")
    with pytest.raises(FormatError, match="flat:n=10"):
        read_kbest(path)
    with pytest.raises(FormatError, match="flat:n=10"):
        read_kbest(path, "flat")
    c = read_kbest(path, f"flat:n=2,scores={scores}")
    assert [row[2] for row in described(c)][3] == {"lm": -4, "bert": 2}
    assert c.offsets.tolist() == [0, 2, 4]
    with pytest.raises(FormatError, match="candidate 1 of 3 of sentence 1"):
        read_kbest(path, "flat:n=3")
    for text, message in (
        ("1\n2\n3\n", "ends behind 3"),
        ("1\n2\n3\n4\n5\n", "more lines than the 4"),
        ("1\nx\n", ":2"),
    ):
        with pytest.raises(FormatError, match=message):
            read_kbest(path, f"flat:n=2,scores={put(tmp_path, text, 'short')}")
    for spec in ("flat:m=2", "flat:n=x", "flat:n", "moses:n=2"):
        with pytest.raises(ConfigError):
            read_kbest(path, spec)


def test_unknown_files_and_empty_ones(tmp_path):
    with pytest.raises(FormatError, match=r":1: unrecognised n-best format; known formats: cdec, .*fairseq"):
        read_kbest(put(tmp_path, "hello\n"))
    empty = read_list(put(tmp_path, ""))
    assert (len(empty.candidates), empty.candidates.sentences) == (0, 0)
    with pytest.raises(ConfigError, match="cannot be left out"):
        read_list(put(tmp_path, "FEATURES_TXT_BEGIN_0 0 0 0\nFEATURES_TXT_END_0\n"), skip_bad=True)


def test_candidates_of_a_sentence_without_any(tmp_path):
    c = read_kbest(put(tmp_path, "2 ||| x ||| a= 1 ||| 0\n"))
    for dialect in ("json", "fairseq", "sockeye", *NEURAL, "moses"):
        write_kbest(c, tmp_path / "out", dialect, lossy=True)
        assert read_kbest(tmp_path / "out").offsets.tolist() == [0, 0, 0, 1]
    with pytest.raises(ConfigError, match="0 to 1 candidates"):
        write_kbest(c, tmp_path / "out", "flat")


json_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
json_names = json_texts.filter(lambda name: name.split() == [name])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 9), json_texts, st.dictionaries(json_names, numbers, max_size=4)), max_size=8
    ),
    st.booleans(),
    st.booleans(),
)
def test_json_is_read_as_the_plain_loop_reads_it(tmp_path_factory, rows, ascii, scored):
    lines = [
        json.dumps(
            {
                "x": [text, {}],
                "id": at,
                "hypothesis": text,
                "features": features,
                "score": 1.5 if scored else None,
            },
            ensure_ascii=ascii,
        )
        for at, text, features in rows
    ]
    text = "\n".join(lines)
    c = read_kbest(put(tmp_path_factory.mktemp("json"), text), "json")
    expected = read_json_lines(text)
    assert len(c) == len(expected)
    with np.errstate(over="ignore"):
        for (sentence, words, features, score, _), twin in zip(described(c), expected, strict=True):
            assert (sentence, words.split(), score) == (twin[0], twin[1], twin[3])
            assert features == {name: np.float32(value) for name, value in twin[2].items()}


pieces = st.sampled_from(
    ["0", "1", " ||| ", "|||", " ", "a", "F0= ", "F0=", "lm=", "-1.5", "1e999", "nan", "=", "H-0\t", "D-0\t", "P-0\t", "S-0\t",
     "T-0\t", "A-0\t", "\t", "\n", '{"id": 0, "hypothesis": "', '{"sentence_id": 1, "translation": "', '", "score": 1}',
     '"', "{", "}", "[", "]", "\\ud800", "\\u0000", "# n=2", "WordScores= ", "FEATURES_TXT_BEGIN_0 0 1 1 a", "FEATURES_TXT_END_0",
     "\u3000", "\u2028", "我", "\x1c", "-0", "99999999999999999999"]
)  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(st.lists(pieces, max_size=25).map("".join), st.sampled_from([None, *dialects]), st.booleans())
def test_any_text_is_read_or_refused(tmp_path_factory, text, dialect, skip_bad):
    path = put(tmp_path_factory.mktemp("fuzz"), text)
    spec = "flat:n=1" if dialect == "flat" else dialect
    try:
        c = read_list(path, spec, skip_bad=skip_bad and dialect != "moses-dat").candidates
    except FormatError as error:
        assert error.path == str(path)  # noqa: PT017
    except ConfigError as error:
        assert "left out" in str(error)  # noqa: PT017
    else:
        assert np.isfinite(c.scores(np.ones(c.columns))).all() or np.abs(c.rows().data).max() > 1e100
        assert len(c) <= text.count("\n") + 1 or "translations" in text
