"""Language models: ARPA text and binary images."""

from __future__ import annotations

import gzip
import io
from functools import cache
from pathlib import Path

from fuzz.kind import Files, Kind
from fuzz.memory import scratch
from fuzz.reseal import reseal_images
from tunesmith.lm import ClassModel, LmOptions, NgramModel, load_model
from tunesmith.lm.training import estimate
from tunesmith.search import WordLists
from tunesmith.search.list_features.base import add_features, make_feature

_LINES = ["the cat sat", "a cat sat on the mat", "我 爱 茶", "the mat", "a b a b a"]


@cache
def image(order: int = 3) -> bytes:
    """A small binary model."""
    with scratch("tunesmith-seed-") as folder:
        NgramModel.train(_LINES, LmOptions(order=order)).save(Path(folder) / "lm")
        return (Path(folder) / "lm").read_bytes()


@cache
def arpa(order: int = 3) -> bytes:
    """The same as text."""
    with scratch("tunesmith-seed-") as folder:
        estimate(_LINES, LmOptions(order=order)).write_arpa(Path(folder) / "lm.arpa")
        return (Path(folder) / "lm.arpa").read_bytes()


@cache
def class_model(order: int = 2) -> bytes:
    """A small model of classes."""
    classes = {"the": "0", "a": "0", "cat": "1", "mat": "1", "茶": "x", "<unk>": "x"}
    with scratch("tunesmith-seed-") as folder:
        ClassModel.train(_LINES, classes, LmOptions(order=order)).save(Path(folder) / "lm")
        return (Path(folder) / "lm").read_bytes()


def _query_classes(folder: Path) -> None:
    model = load_model(folder / "input")
    model.score([*_LINES[:2], "x"])
    if isinstance(model, ClassModel):
        model.words.find("the")


def _query(folder: Path) -> None:
    model = NgramModel.load(folder / "input")
    model.score([*_LINES[:2], "x"])
    model.score_words(_LINES[:1])
    model.vocabulary  # noqa: B018
    state, _ = model.piece([int(model.ids(["the"])[0]), 0], begin=True)
    model.piece([(state, 0.0), 0])


def _copied(folder: Path) -> None:
    from tunesmith import _core
    from tunesmith.errors import core_errors

    with core_errors("input"):
        model = NgramModel(_core.LmModel.from_bytes((folder / "input").read_bytes()))
    model.score(_LINES)
    model.vocabulary  # noqa: B018


def _feature(folder: Path) -> None:
    from tunesmith.search import CandidateSet

    texts = ["the cat", "a mat"]
    lists = CandidateSet.from_matrix([[1.0], [2.0]], [0, 2], texts=texts)
    assert isinstance(lists.words, WordLists)
    add_features(lists, [make_feature(f"lm:path={folder / 'input'}")])


def _seeds(make: object) -> object:
    def seeds() -> list[Files]:
        found: list[Files] = [{"input": make(order)} for order in (1, 2, 3)]  # type: ignore[operator]
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as out:
            out.write(found[1]["input"])
        return [*found, {"input": packed.getvalue()}]

    return seeds


def kinds() -> list[Kind]:
    words = (b"\\1-grams:", b"\\2-grams:", b"\\3-grams:", b"\\end\\", b"<s>", b"</s>", b"<unk>", b"ngram 2=1")
    return [
        Kind("arpa", _seeds(arpa), _query, separators=(b"\t", b" ", b"="), words=words),  # type: ignore[arg-type]
        Kind("lm-image", _seeds(image), _query, reseal=reseal_images),  # type: ignore[arg-type]
        Kind("lm-bytes", lambda: [{"input": image(order)} for order in (1, 2, 3)], _copied, reseal=reseal_images),
        Kind(
            "class-lm",
            lambda: [{"input": class_model(order)} for order in (1, 2)],
            _query_classes,
            separators=(b"\t", b" "),
            words=(b"<unk>", b"<s>", b"tunesmith-lm "),
        ),
        Kind("lm-feature", lambda: [{"input": arpa(2)}, {"input": image(2)}], _feature, reseal=reseal_images),
    ]
