"""Verification of binary language models, of words and of classes, for `tunesmith check`."""

from __future__ import annotations

from pathlib import Path

from tunesmith.io.checks import Report, formats, is_like
from tunesmith.lm.class_file import CLASS_MAGIC
from tunesmith.lm.class_model import ClassModel
from tunesmith.lm.model import MAGIC, NgramModel


@formats.register("language model")
class ModelCheck:
    """Format of binary language models, which have a checksum for every megabyte."""

    noun = "a binary language model"

    def recognises(self, path: Path) -> bool:
        return is_like(path, MAGIC)

    def verify(self, path: Path, report: Report) -> None:
        NgramModel.load(path, check_all=True)
        report.is_whole(path)


@formats.register("class language model")
class ClassModelCheck:
    """Format of class language models, with checksums of words and of n-grams."""

    noun = "a class language model"

    def recognises(self, path: Path) -> bool:
        return is_like(path, CLASS_MAGIC)

    def verify(self, path: Path, report: Report) -> None:
        ClassModel.load(path)
        report.is_whole(path)
