"""JSON files that we write and read back: what is written is read, anything else is one line with the way out."""

import json
import math
from functools import partial
from typing import Literal

import msgspec
import pytest
from support.damage.damage import bits_flipped, cut_off, refused

from tunesmith.errors import FormatError, MissingFileError
from tunesmith.experiments.foundations import ABOUT, refuse_other_data
from tunesmith.experiments.stages import MARKER, Place, Stage, StageObserver, is_done, read_marker, run_stage
from tunesmith.io import documents
from tunesmith.io.documents import Count, Number, read_document, read_rows, write_document, write_rows
from tunesmith.training.steps import STAMPS, Stamps, TrainingStep

AGAIN = "make it again"


class Example(msgspec.Struct):
    kind: Literal["example"]
    count: Count
    values: dict[str, Number] = {}
    text: str | None = None


WHOLE = Example("example", 3, {"a": 1, "b": 2.5, "c": -0.1}, "茶\u2028")


def test_what_is_written_is_read(tmp_path):
    write_document(tmp_path / "one", WHOLE)
    assert read_document(tmp_path / "one", Example, AGAIN) == WHOLE
    write_rows(tmp_path / "many", [WHOLE, WHOLE])
    assert list(read_rows(tmp_path / "many", Example, AGAIN)) == [WHOLE, WHOLE]
    write_document(tmp_path / "one", Example("example", 0, {"a": math.nan, "b": -math.inf}))
    assert read_document(tmp_path / "one", Example, AGAIN).values == {"a": None, "b": None}


WRONG = {
    "another type": ('{"kind": "example", "count": "hidden"}', "Expected `int`, got `str` - at `$.count`"),
    "another kind": ('{"kind": "hidden", "count": 1}', "a value that is not known"),
    "a field is missing": ('{"kind": "example"}', "missing required field `count`"),
    "negative": ('{"kind": "example", "count": -1}', "`int` >= 0"),
    "infinite": ('{"kind": "example", "count": Infinity}', "at `$.count`"),
    "too large a number": ('{"kind": "example", "count": 1, "values": {"hidden": 1e999}}', "out of range"),
    "half a pair": ('{"kind": "example", "count": 1, "text": "\\ud800 hidden"}', "not JSON"),
    "no JSON": ("root:hidden:0", "not JSON"),
    "nested": ('{"x": ' + "[" * 100_000, "nested too deeply"),
    "empty": ("", "not JSON"),
    "a list": ("[]", "Expected `object`, got `array`"),
    "more behind": ('{"kind": "example", "count": 1} hidden', "trailing characters"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_said_and_not_quoted(tmp_path, kind):
    text, message = WRONG[kind]
    path = tmp_path / "file"
    path.write_text(text)
    rows = [] if kind == "empty" else [lambda: list(read_rows(path, Example, AGAIN))]
    for read in [lambda: read_document(path, Example, AGAIN), *rows]:
        with pytest.raises(FormatError) as caught:
            read()
        assert message in str(caught.value)
        assert str(caught.value).startswith(str(path))
        assert str(caught.value).endswith(AGAIN)
        assert "hidden" not in str(caught.value)


def test_size_and_place_are_bounded(tmp_path, monkeypatch):
    with pytest.raises(MissingFileError):
        read_document(tmp_path / "none", Example, AGAIN)
    monkeypatch.setattr(documents, "_LARGEST", 1 << 20)
    (tmp_path / "large").write_bytes(b" " * (1 << 21))
    with pytest.raises(FormatError, match="larger than 1 MB; make it again"):
        read_document(tmp_path / "large", Example, AGAIN)
    with pytest.raises(FormatError, match="longer than 1 MB; make it again"):
        list(read_rows(tmp_path / "large", Example, AGAIN))


def damaged(data):
    yield from cut_off(data)
    yield from bits_flipped(data, 300)
    document = json.loads(data)
    for key in document:
        yield json.dumps({name: value for name, value in document.items() if name != key}).encode()
        for wrong in (-1, "x", None, [], {}, math.inf, 10**30):
            yield json.dumps({**document, key: wrong}).encode()


def test_a_damaged_stage_is_run_again(tmp_path):
    stage = Stage("one", {"seed": 1}, lambda place: {"score": 1.5})
    run_stage(tmp_path, stage, StageObserver())
    path = tmp_path / "one" / MARKER
    for text in damaged(path.read_bytes()):
        path.write_bytes(text)
        refused(partial(read_marker, tmp_path / "one"), str(path))
        if is_done(tmp_path, stage):
            refused(lambda: Place(tmp_path, tmp_path).result(stage)["score"], str(path))
    run_stage(tmp_path, stage, StageObserver())
    assert is_done(tmp_path, stage)
    with pytest.raises(FormatError, match="the result has no other"):
        Place(tmp_path, tmp_path).result(stage)["other"]


def test_damaged_stamps_and_names_of_experiments_are_refused(tmp_path):
    (tmp_path / "in").write_text("a\n")
    (tmp_path / "out").write_text("b\n")
    step = TrainingStep("one", {"in": tmp_path / "in"}, {"seed": 1}, ("out",), lambda: None)
    stamps = Stamps(tmp_path)
    stamps.set(step)
    path = tmp_path / STAMPS
    for text in damaged(path.read_bytes()):
        path.write_bytes(text)
        refused(lambda: Stamps(tmp_path).why(step), str(path))
    folder = tmp_path / "experiment"
    folder.mkdir()
    write_document(folder / ABOUT, {"kind": "tunesmith experiment", "name": "liu2013", "settings": {}})
    refuse_other_data(folder, "liu2013")
    for text in damaged((folder / ABOUT).read_bytes()):
        (folder / ABOUT).write_bytes(text)
        refused(partial(refuse_other_data, folder, "liu2013"), str(folder))
