"""Common first stages of experiments: data and model."""

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
    """Schema of the file that identifies a folder."""

    name: str = ""


def foundations(laboratory: Laboratory) -> tuple[Stage, Stage]:
    """Return the stages `data` and `model`; experiments with equal ones may share their folders."""
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
    """Write the phrasebook, or sets taken out of the training data; existing files are only counted."""
    corpus = laboratory.corpus
    if laboratory.data is None:
        generate(laboratory.settings.phrasebook).write(place.folder)
    corpus.write()
    sizes = {name: len(corpus.evaluation(name).lines) for name in ("dev", "devtest", "test")}
    return {"digest": corpus.digest, "train": len(corpus.bitext()), **sizes}


def write_about(folder: Path, name: str, settings: ExperimentSettings) -> None:
    """Write the file that identifies the folder for `refuse_other_data`."""
    write_document(inside(folder) / ABOUT, {"kind": KIND, "name": name, "settings": settings.as_dict()})


def refuse_other_data(folder: Path, name: str, about: str = ABOUT) -> None:
    """Refuse a folder that is not of the experiment `name`, since changed settings remove stages."""
    folder = inside(folder)
    resuming.refuse_other_data(folder, lambda names: about in names, "the experiment")
    if folder.is_dir() and about in {entry.name for entry in folder.iterdir()}:
        there = read_document(folder / about, About, "name another folder").name
        if there != name:
            raise ConfigError(f"{folder}: holds the experiment {there[:50]!r}, not {name}; name another folder")
