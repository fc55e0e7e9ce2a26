"""A decoder as a description that can travel: everything that its translations depend on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from tunesmith.config import SYSTEM, WEIGHTS
from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.model import TranslationModel
from tunesmith.errors import ConfigError
from tunesmith.execution import Work, kinds
from tunesmith.io import StrPath
from tunesmith.io.digest import file_digest
from tunesmith.weights import Weights


class DecoderSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model directory, what its parts are, and how it is searched.

    model: the folder.   digests: of its parts, so that another model in the same place is refused.
    options: of the search, where they differ from the model's.   weights: by name; without any, the model's.
    """

    model: str
    digests: dict[str, str]
    options: dict[str, int | float | bool] = {}
    weights: dict[str, float] | None = None

    @classmethod
    def of(cls, model: StrPath, weights: Weights | None = None, **options: float | bool) -> DecoderSpec:
        """Describe the decoder of a model directory."""
        folder = Path(model).resolve()
        return cls(
            str(folder),
            _digests(TranslationModel.open(folder)),
            options,
            None if weights is None else dict(weights.items()),
        )

    def open(self, *, threads: int = 1) -> Decoder:
        """The decoder, in this process; ConfigError where the folder holds another model."""
        model = TranslationModel.open(self.model, threads=threads)
        found = _digests(model)
        changed = sorted(name for name in {**self.digests, **found} if self.digests.get(name) != found.get(name))
        if changed:
            raise ConfigError(
                f"{self.model}: {' and '.join(changed)} changed since this work was described; describe it again"
            )
        weights = None if self.weights is None else Weights.from_mapping(self.weights)
        return model.decoder(weights, model.options(**self.options))


def _digests(model: TranslationModel) -> dict[str, str]:
    """Digests of all parts of a model: rules and language models, what system.toml says, and start weights."""
    return {**model.digests, **{name: file_digest(model.folder / name, 16) for name in (SYSTEM, WEIGHTS)}}


@kinds.register("translate")
class Translate(Work[list[str], list[str]], frozen=True):
    """Translate lines; a block is some lines, its result their translations."""

    decoder: DecoderSpec

    def open(self, threads: int) -> Callable[[list[str]], list[str]]:
        decoder = self.decoder.open(threads=threads)
        return lambda lines: [one.text for one in decoder.translate(lines, threads=threads)]
