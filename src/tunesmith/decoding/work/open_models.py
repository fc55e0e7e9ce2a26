"""Open models of a process, by their descriptions."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tunesmith.config import SYSTEM, WEIGHTS, FeaturePart
from tunesmith.decoding.model import TranslationModel
from tunesmith.errors import ConfigError
from tunesmith.features import split_features
from tunesmith.io import StrPath
from tunesmith.io.digest import file_digest
from tunesmith.io.inside import Inside

if TYPE_CHECKING:
    from tunesmith.decoding.work.spec import DecoderSpec


class Models:
    """Open models of this process, each opened once; thread-safe.

    root: a folder of tunesmith that contains the files of descriptions; below it no link is followed.
    """

    def __init__(self, root: Inside | None = None) -> None:
        self._root = root
        self._opened: dict[tuple[str, bytes], TranslationModel] = {}
        self._lock = threading.Lock()

    def placed(self, path: str) -> StrPath:
        """Return the path that a description names, as a path inside the root if it lies there."""
        if self._root is None:
            return path
        root = Path(self._root)  # Python 3.13 asks for the parents of what a path is compared with
        return self._root / Path(path).relative_to(root) if Path(path).is_relative_to(root) else path

    def of(self, spec: DecoderSpec, *, threads: int = 1) -> TranslationModel:
        """Return the model of a decoder description; ConfigError if the folder holds another one.

        Models of one folder with different templates share everything else.
        """
        own = (spec.model, msgspec.json.encode(None))
        key = (spec.model, msgspec.json.encode(spec.features))
        with self._lock:
            if own not in self._opened:
                self._opened[own] = TranslationModel.open(self.placed(spec.model), threads=threads)
            if spec.digests:
                _refuse_changed(spec, digests_of(self._opened[own]))
            if key not in self._opened:
                self._opened[key] = _with_features(self._opened[own], spec.features, threads)
            return self._opened[key]


def _with_features(
    model: TranslationModel, parts: tuple[FeaturePart, ...] | None, threads: int
) -> TranslationModel:
    if parts is None:
        return model
    local, across = split_features(parts)
    same = local.specs == split_features(model.system.features)[0].specs
    features = model.features.with_own_index() if same else None
    return dataclasses.replace(
        model,
        system=dataclasses.replace(model.system, features=parts),
        features=features or local.compile(model.table, threads=threads, on_demand=True),
        state_features=across,
    )


def _refuse_changed(spec: DecoderSpec, found: dict[str, str]) -> None:
    changed = sorted(name for name in {**spec.digests, **found} if spec.digests.get(name) != found.get(name))
    if changed:
        raise ConfigError(
            f"{spec.model}: {' and '.join(changed)} changed since this work was described; describe it again"
        )


def digests_of(model: TranslationModel) -> dict[str, str]:
    """Return digests of all parts of a model: rules, language models, system.toml and start weights."""
    return {**model.digests, **{name: file_digest(model.folder / name, 16) for name in (SYSTEM, WEIGHTS)}}
