"""`tunesmith import-moses`: a Moses model as a model directory."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from tunesmith.cli.console import note, remark
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.options import Quiet


def import_moses(
    ini: Annotated[str, argument("MOSES.INI", "Configuration file of the model.")],
    output: Annotated[Path, option("-o --output FOLDER", "The model directory; must be new.")],
    left_to_right: Annotated[
        bool, option("--left-to-right", "For left-to-right search: rules in target normalised form alone.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Read a Moses model, hierarchical or phrase-based: tables, language models, limits, weights.

    Every constant is read from the ini file and the tables, so that a derivation has the score Moses gives it.
    Paths in the file are relative to it, or to the working folder.

    [bold]Examples[/bold]
      tunesmith import-moses moses.ini -o model/
      tunesmith import-moses moses.ini --left-to-right -o model/
    """
    from tunesmith.training import import_moses as importer

    start = time.perf_counter()
    system, notes = importer.import_moses(
        ini, output, lambda what: note(what, quiet=quiet), left_to_right=left_to_right
    )
    for text in notes:
        remark(text, quiet=quiet)
    options = ", ".join(f"{name} {value}" for name, value in system.decoder.items())
    note(f"wrote {output}: {options} ({time.perf_counter() - start:.1f} s)", quiet=quiet)
