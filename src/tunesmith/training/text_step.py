"""The step from raw text to tokens, which also stores the files that `translate` needs to process its text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tunesmith.corpus.text_processing import SideOptions, SideProcessing
from tunesmith.io import StrPath, iter_lines, read_lines, write_lines
from tunesmith.training.steps import TrainingStep

SIDES = ("source", "target")
TOKENS = {side: f"train.{side}" for side in SIDES}
"""Files of the processed training data in a model directory."""


def text_step(
    files: dict[str, Path], options: dict[str, SideOptions], folder: Path, progress: Callable[[int, int], None]
) -> TrainingStep:
    """Make the step that processes both sides.   files: raw text of each side.   options: of each side."""
    made = [path for side in SIDES for path in options[side].part(side).files().values()]

    def run() -> str:
        told = []
        for at, side in enumerate(SIDES):
            lines = read_lines(files[side])
            processing = options[side].learn(lines, side, folder)
            write_lines(folder / TOKENS[side], processed(processing, lines, progress, at))
            told.append(f"{side} {processing.signature}")
        return ", ".join(told)

    return TrainingStep(
        "text", {side: files[side] for side in SIDES}, {side: options[side].settings() for side in SIDES},
        [*TOKENS.values(), *made], run,
    )  # fmt: skip


def processed(
    processing: SideProcessing, lines: Sequence[str], progress: Callable[[int, int], None], sides_done: int
) -> Iterator[str]:
    """Yield the tokens of each line, with progress over both sides."""
    for number, line in enumerate(lines, 1):
        if number % 1000 == 0:
            progress(sides_done * len(lines) + number, 2 * len(lines))
        yield processing.process(line)


class ProcessedText:
    """Tokens of a raw text, line by line; may be iterated repeatedly."""

    def __init__(self, processing: SideProcessing, path: StrPath) -> None:
        self._processing, self._path = processing, path

    def __iter__(self) -> Iterator[str]:
        return map(self._processing.process, iter_lines(self._path))
