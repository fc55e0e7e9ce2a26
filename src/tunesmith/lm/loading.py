"""Loading language models of any kind, recognised by content."""

from __future__ import annotations

import os

from tunesmith.errors import FormatError
from tunesmith.io import StrPath, display_name
from tunesmith.io.paths import as_path
from tunesmith.lm.class_file import CLASS_MAGIC
from tunesmith.lm.class_model import ClassModel
from tunesmith.lm.model import NgramModel

LanguageModel = NgramModel | ClassModel
_PREFIX = "class:"


def load_model(path: StrPath, *, check_all: bool = False) -> LanguageModel:
    """Read a model of words (`NgramModel.load`) or of classes, which is verified as a whole."""
    if is_class_model(path):
        return ClassModel.load(path)
    return NgramModel.load(path, check_all=check_all)


def is_class_model(path: StrPath) -> bool:
    """Return whether a file is a class language model."""
    if os.fspath(path) == "-" or not as_path(path).is_file():
        return False
    with as_path(path).open("rb") as stream:
        return stream.read(len(CLASS_MAGIC)) == CLASS_MAGIC


def typed_path(text: str) -> str:
    """Return the file that a user names: `FILE`, or `class:FILE`, which must be a class language model."""
    if not text.startswith(_PREFIX):
        return text
    path = text.removeprefix(_PREFIX)
    if as_path(path).is_file() and not is_class_model(path):
        raise FormatError(
            "is not a class language model; make one with: tunesmith lm train --classes MAP",
            path=display_name(path),
        )
    return path
