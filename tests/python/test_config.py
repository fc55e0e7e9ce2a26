"""`system.toml`: what is written reads back; what cannot be is refused with its line."""

import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunesmith.config import (
    FeaturePart,
    LanguageModelPart,
    System,
    decoder_settings,
    parse_system,
    read_system,
    system_lines,
    write_system,
)
from tunesmith.errors import ConfigError, FormatError, IrregularFileError, MissingFileError
from tunesmith.io.toml import TomlDocument

GOOD = """\
format = 1
kind = "hiero"

[rules]
path = "rules"

[[lm]]
name = "lm"
path = "lm.bin"

[[lm]]
name = "lm2"
path = "more/lm.bin"

[[features]]
template = "translation"

[[features]]
template = "word_pair"
top = 80

[decoder]
pop_limit = 200
"""

names = st.from_regex(r"[a-z][a-z0-9_.-]{0,8}", fullmatch=True)
scalars = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",))),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)
settings = st.dictionaries(
    names.filter(lambda key: key != "template"), scalars | st.lists(scalars, max_size=3).map(tuple), max_size=3
)


def limits(kind: str) -> list[str]:
    """Settings that are numbers."""
    return sorted(name for name, least in decoder_settings(kind).items() if least is not None)


systems = st.sampled_from(["hiero", "phrase"]).flatmap(
    lambda kind: st.builds(
        System,
        kind=st.just(kind),
        rules=names,
        lms=st.lists(st.builds(LanguageModelPart, names, names), unique_by=lambda lm: lm.name, max_size=3).map(
            tuple
        ),
        features=st.lists(st.builds(FeaturePart, names, settings), max_size=3).map(tuple),
        decoder=st.dictionaries(st.sampled_from(limits(kind)), st.integers(1, 2**31 - 1)),
    )
)


def parse(text: str) -> System:
    return parse_system(TomlDocument(text.split("\n"), "system.toml"))


@given(systems)
def test_what_is_written_reads_back(system):
    lines = list(system_lines(system))
    assert not any("\n" in line for line in lines)
    assert parse("\n".join(lines)) == system


def model(folder: Path, text: str = GOOD) -> Path:
    (folder / "rules").mkdir()
    (folder / "more").mkdir()
    for name in ("lm.bin", "more/lm.bin"):
        (folder / name).write_bytes(b"")
    (folder / "system.toml").write_text(text, encoding="utf-8")
    return folder


def test_reads_a_directory(tmp_path):
    system = read_system(model(tmp_path))
    assert system.lms[1] == LanguageModelPart("lm2", "more/lm.bin")
    assert system.features[1] == FeaturePart("word_pair", {"top": 80})
    assert system.decoder == {"pop_limit": 200}
    write_system(tmp_path, system)
    assert read_system(tmp_path) == system
    seal, _, text = (tmp_path / "system.toml").read_text(encoding="utf-8").partition("\n")
    assert text == GOOD
    assert seal == f"# crc32 {zlib.crc32(GOOD.encode()):08x}"


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("format = 1", "format = 2", 1, "format 2, this tunesmith reads up to 1"),
        ("format = 1", "format = '1'", 1, "expected format = 1 in the first line"),
        ("format = 1\n", "", None, "expected format = 1 in the first line"),
        ('kind = "hiero"', 'kind = "neural"', 2, "kind must be hiero or phrase or left-to-right, got 'neural'"),
        ('kind = "hiero"', "kind = 3", 2, "kind = 3; expected a text in quotes"),
        ('kind = "hiero"', 'kind = "hiero', 2, "is not TOML"),
        (
            'kind = "hiero"',
            'kind = "hiero"\nknid = 1',
            3,
            "'knid' is not a known table or key; did you mean 'kind'?",
        ),
        ('[rules]\npath = "rules"', "", None, r"expected a table \[rules\]"),
        ('path = "rules"', 'path = "../rules"', 5, "leaves the model directory"),
        ('path = "rules"', 'path = "/rules"', 5, "leaves the model directory"),
        ('path = "rules"', 'path = "a/../../rules"', 5, "leaves the model directory"),
        ('path = "rules"', 'path = "~/rules"', 5, "leaves the model directory"),
        ('path = "rules"', 'path = "."', 5, "leaves the model directory"),
        ('path = "rules"', 'path = ""', 5, "is not the name of a file"),
        ('path = "rules"', 'path = "rules"\npaths = 2', 6, r"'paths' is not a known key of \[rules\]"),
        ('path = "rules"', 'path = "lm.bin"', 5, "is a file; expected the folder of a rule table"),
        ('path = "rules"', 'path = "table"', 5, "does not exist; the model directory is not complete"),
        ('path = "lm.bin"', "", 7, r"path in \[lm\] is missing"),
        ('name = "lm2"', 'name = "lm"', 12, "two language models are called 'lm'"),
        ('name = "lm2"', 'name = "l m"', 12, "'l m' is not a name"),
        ('path = "more/lm.bin"', 'path = "none.bin"', 13, "does not exist"),
        ("[[lm]]\nname", "[lm]\nname", 11, "is not TOML|double brackets"),
        ("top = 80", "top = 2020-01-01", 20, "cannot be a setting"),
        ("top = 80", "top = nan", 20, "is not a finite number"),
        ("top = 80", "top = {a = 1}", 20, "cannot be a setting"),
        ('template = "word_pair"\n', "", 18, r"template in \[features\] is missing"),
        ('template = "word_pair"', 'template = "mine.py:run()"', 19, "is not the name of a template"),
        ("pop_limit = 200", "pop_limit = 0", 23, "pop_limit must be a whole number of at least 1, got 0"),
        ("pop_limit = 200", "pop_limit = 1e3", 23, "a whole number of at least 1, got 1000.0"),
        ("pop_limit = 200", "pop_limit = true", 23, "a whole number of at least 1, got True"),
        ("pop_limit = 200", "poplimit = 200", 23, "did you mean 'pop_limit'?"),
        ("pop_limit = 200", "stack_limit = 200", 23, "'stack_limit' is not a known option of the decoder"),
        ("[decoder]", "[decoders]", 22, "'decoders' is not a known table"),
        (GOOD, "a = " + "[" * 5000, None, "TOML|nested"),
        ("format = 1", "format = " + "1" * 5000, None, "digits"),
        ('kind = "hiero"', "kind" + ".a" * 3000 + " = 1", None, "nested too deeply"),
        ("top = 80", "top" + ".a" * 3000 + " = 1", None, "nested too deeply"),
        ('[rules]\npath = "rules"', 'a = """\n[' + " " * 20_000 + '\n"""', None, r"a table \[rules\]"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(tmp_path, old, new, line, says):
    assert old in GOOD
    with pytest.raises(FormatError, match=says) as caught:
        read_system(model(tmp_path, GOOD.replace(old, new, 1)))
    assert caught.value.path == str(tmp_path / "system.toml")
    if line is not None:
        assert caught.value.line == line


def test_links_do_not_lead_outside(tmp_path):
    inside = tmp_path / "model"
    inside.mkdir()
    model(inside)
    (inside / "lm.bin").unlink()
    (tmp_path / "secret").write_bytes(b"")
    (inside / "lm.bin").symlink_to(tmp_path / "secret")
    with pytest.raises(IrregularFileError, match=r"lm\.bin: is a link"):
        read_system(inside)


def test_a_folder_that_is_no_model(tmp_path):
    with pytest.raises(MissingFileError, match=r"there is no system.toml"):
        read_system(tmp_path)
    with pytest.raises(MissingFileError, match="no such folder"):
        read_system(tmp_path / "none")


def test_a_system_that_cannot_be_is_not_made():
    with pytest.raises(ConfigError, match="leaves the model directory"):
        System("hiero", rules="../rules")
    with pytest.raises(ConfigError, match="option of the decoder"):
        System("hiero", decoder={"beam": 3})
