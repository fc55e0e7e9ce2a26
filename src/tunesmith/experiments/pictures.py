"""Pictures of experiments: figures of the page, written to files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tunesmith.evaluation.pages.drawing import Figure, svg_file
from tunesmith.io import atomic_writer
from tunesmith.io.inside import inside

Pictures = Mapping[str, Sequence[Figure]]


def write_pictures(folder: Path, pictures: Pictures) -> None:
    """Write one .svg each, dark on white."""
    for name, figures in pictures.items():
        with atomic_writer(inside(folder) / f"{name}.svg") as out:
            out.write(svg_file(figures))
