"""What every experiment stands on: its data, and the model that is made of them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from tunesmith import resuming
from tunesmith.corpus.phrasebook import generate
from tunesmith.errors import ConfigError
from tunesmith.experiments.laboratory import Laboratory
from tunesmith.experiments.settings import ExperimentSettings
from tunesmith.experiments.stages import Place, Stage
from tunesmith.io.documents import read_document, write_document
from tunesmith.io.inside import inside
from tunesmith.settings import settings_of

ABOUT, KIND = "experiment.json", "tunesmith experiment"


class About(msgspec.Struct):
    """What is read of the file that says what a folder is."""

    name: str = ""


def foundations(laboratory: Laboratory) -> tuple[Stage, Stage]:
    """The stages `data` and `model`; two experiments with the same ones may share the folders."""
    settings = laboratory.settings
    used: dict[str, Any] = {"seed": settings.seed}
    if laboratory.data is None:
        used["phrasebook"] = asdict(settings.phrasebook)
    else:
        used |= {"digest": laboratory.data.digest, "source": laboratory.data.source,
                 "target": laboratory.data.target}  # fmt: skip
    data = Stage("data", used, lambda place: _write_data(place, laboratory), cost=100)
    model: dict[str, Any] = {
        "extraction": asdict(settings.extraction),
        "training": settings_of(laboratory.train_options),
    }
    if settings.phrases is not None:
        model["kind"] = settings.kind
    return data, Stage("model", model, laboratory.train_model, (data,), resumable=True, cost=3000)


def _write_data(place: Place, laboratory: Laboratory) -> dict[str, Any]:
    """The phrasebook, or what is taken out of training data; files that are there already are only counted."""
    corpus = laboratory.corpus
    if laboratory.data is None:
        generate(laboratory.settings.phrasebook).write(place.folder)
    corpus.write()
    sizes = {name: len(corpus.evaluation(name).lines) for name in ("dev", "devtest", "test")}
    return {"digest": corpus.digest, "train": len(corpus.bitext()), **sizes}


def write_about(folder: Path, name: str, settings: ExperimentSettings) -> None:
    """What the folder is: `refuse_other_data` looks for it."""
    write_document(inside(folder) / ABOUT, {"kind": KIND, "name": name, "settings": settings.as_dict()})


def refuse_other_data(folder: Path, name: str, about: str = ABOUT) -> None:
    """Stages are removed when settings change: never in a folder that is not of the experiment called `name`."""
    folder = inside(folder)
    resuming.refuse_other_data(folder, lambda names: about in names, "the experiment")
    if folder.is_dir() and about in {entry.name for entry in folder.iterdir()}:
        there = read_document(folder / about, About, "name another folder").name
        if there != name:
            raise ConfigError(f"{folder}: holds the experiment {there[:50]!r}, not {name}; name another folder")
