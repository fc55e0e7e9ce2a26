"""A decoder as a description that can travel: everything that its translations depend on."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from tunesmith import execution
from tunesmith.config import SYSTEM, WEIGHTS, FeaturePart
from tunesmith.corpus.text_files import Lines, Text, line_blocks
from tunesmith.decoding.candidates import ListDecoder
from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.jackknife import JackknifeDecoder
from tunesmith.decoding.left_out import LeftOut
from tunesmith.decoding.model import TranslationModel
from tunesmith.decoding.phrase import PhraseDecoder
from tunesmith.decoding.translation import Decoding
from tunesmith.errors import ConfigError
from tunesmith.execution import Executor, Here, Opened, Work, kinds
from tunesmith.features import split_features
from tunesmith.grammar import OwnRules
from tunesmith.io import StrPath
from tunesmith.io.digest import Digest, file_digest
from tunesmith.io.inside import Inside
from tunesmith.search import CandidateSet
from tunesmith.weights import Weights

NamedWeights = dict[str, float]


class DecoderSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model directory, what its parts are, and how it is searched.

    model: the folder.   digests: of its parts, so that another model in the same place is refused; without any,
    whatever the folder holds is taken.   options: of the search, where they differ from the model's.
    weights: by name, of each fold where folds are left out and their weights differ; without any, the model's.
    features: templates in place of the model's.   forced: source and target phrases that are always used.
    left_out: the lines are training data, and are decoded as if they were not.
    """

    model: str
    digests: dict[str, str] = {}
    options: dict[str, int | float | bool] = {}
    weights: NamedWeights | tuple[NamedWeights, ...] | None = None
    features: tuple[FeaturePart, ...] | None = None
    forced: tuple[tuple[str, str], ...] = ()
    left_out: LeftOut | None = None

    @classmethod
    def of(cls, model: StrPath, weights: Weights | None = None, **options: float | bool) -> DecoderSpec:
        """Describe the decoder of a model directory as it is now."""
        return cls(str(model), {}, options, None if weights is None else dict(weights.items())).sealed()

    def sealed(self) -> DecoderSpec:
        """The same with absolute names, and digests of what is there now."""
        folder = Path(self.model).resolve()
        return msgspec.structs.replace(
            self,
            model=str(folder),
            digests=_digests(TranslationModel.open(folder)),
            left_out=None if self.left_out is None else self.left_out.sealed(),
        )

    def open(self, *, threads: int = 1) -> OpenDecoder:
        """The decoder, in this process; ConfigError where the folder holds another model."""
        return OpenDecoder(self, Models().of(self, threads=threads))


class OpenDecoder:
    """A decoder that is open in this process, with what it leaves out of the model for each line.

    model: opened before.   weights: in place of those described.   text: that of `left_out`, where it is read.
    note: is called with what a user should know.   decoder: of this model, to be used again.
    """

    def __init__(
        self,
        spec: DecoderSpec,
        model: TranslationModel,
        weights: Weights | None = None,
        text: Text | None = None,
        note: Callable[[str], None] = lambda text: None,
        decoder: Decoder | None = None,
    ) -> None:
        self.spec, self.model = spec, model
        options = model.options(**spec.options)
        self.own: OwnRules | None = None
        """What each line of the training data gave to the rules, where that is left out."""
        self._folds: JackknifeDecoder | None = None
        if spec.left_out is not None:
            self.own, self._folds = spec.left_out.open(model, options, text, note)
        alone = [model.decoder(weights, options) if decoder is None else decoder]
        decoders = alone if self._folds is None else self._folds.decoders
        self.decoder = decoders[0]
        """The decoder; that of the first fold, where folds are left out."""
        for fold, each in enumerate(decoders):
            named = spec.weights[fold] if isinstance(spec.weights, tuple) else spec.weights
            chosen = Weights.from_mapping(named) if weights is None and named is not None else weights
            if chosen is not None and (weights is None or self._folds is not None):
                each.set_weights(chosen)
            if spec.forced:
                if not isinstance(each, PhraseDecoder):
                    raise ConfigError("--force is for phrase-based models; this one is hierarchical")
                each.force(spec.forced)

    def leaving_out(
        self, left_out: LeftOut, text: Text | None = None, note: Callable[[str], None] = lambda text: None
    ) -> OpenDecoder:
        """The same for training data; features that are found while decoding have the same numbers in both."""
        spec = msgspec.structs.replace(self.spec, left_out=left_out)
        return OpenDecoder(spec, self.model, text=text, note=note, decoder=self.decoder)

    @cached_property
    def lists(self) -> ListDecoder:
        """The same as tuners know it."""
        lists: ListDecoder
        if self._folds is not None:
            lists = self._folds
        else:
            lists = ListDecoder(self.decoder, str(self.model.signature(self.decoder.options)))
        if self.spec.forced:
            lists.signature += f"|forced:{_digest_of(self.spec.forced)}"
        lists.describe = self.described
        return lists

    def described(self, k: int, weights: NDArray[np.float64]) -> Work[Lines, CandidateSet]:
        """Lists of length k under these weights as work for another process."""
        names = self.decoder.index
        rows = [
            {names.name(at): value for at, value in enumerate(row) if value}
            for row in np.atleast_2d(weights).tolist()
        ]
        found = rows[0] if weights.ndim == 1 else tuple(rows)
        return KBest(msgspec.structs.replace(self._sealed, weights=found), k)

    @cached_property
    def _sealed(self) -> DecoderSpec:
        return self.spec.sealed()

    def own_of(self, block: Lines) -> OwnRules | None:
        """Own rules of these lines; None where nothing is left out."""
        if self.own is None:
            return None
        if block.numbers is None:
            raise ConfigError("lines without numbers: which pairs of the training data they are must be known")
        return self.own.of_pairs(block.numbers)

    def k_best(self, block: Lines, k: int, *, threads: int = 1) -> CandidateSet:
        """The k best derivations of each line, best first."""
        return self.lists.k_best(block.lines, k, threads=threads, own=self.own_of(block))

    def decode(self, block: Lines, k: int = 1, *, threads: int = 1) -> list[Decoding]:
        """Decode lines; not for held-out folds, which give lists alone."""
        if self._folds is not None:
            raise ConfigError("held-out folds are decoded to k-best lists only")
        return self.decoder.k_best(block.lines, k, threads=threads, own=self.own_of(block))


class Models:
    """Models that are open in this process, each once; several threads may ask.

    root: a folder of ours that descriptions name files of; below it no link is followed.
    """

    def __init__(self, root: Inside | None = None) -> None:
        self._root = root
        self._opened: dict[tuple[str, bytes], TranslationModel] = {}
        self._lock = threading.Lock()

    def placed(self, path: str) -> StrPath:
        """The path that a description names, inside of the root where it lies there."""
        below = self._root is not None and Path(path).is_relative_to(self._root)
        return path if self._root is None or not below else self._root / Path(path).relative_to(self._root)

    def of(self, spec: DecoderSpec, *, threads: int = 1) -> TranslationModel:
        """The model that a decoder is described with; ConfigError where the folder holds another one.

        Models of one folder with other templates share all else.
        """
        own = (spec.model, msgspec.json.encode(None))
        key = (spec.model, msgspec.json.encode(spec.features))
        with self._lock:
            if own not in self._opened:
                self._opened[own] = TranslationModel.open(self.placed(spec.model), threads=threads)
            if spec.digests:
                _refuse_changed(spec, _digests(self._opened[own]))
            if key not in self._opened:
                self._opened[key] = _with_features(self._opened[own], spec.features, threads)
            return self._opened[key]


def _with_features(
    model: TranslationModel, parts: tuple[FeaturePart, ...] | None, threads: int
) -> TranslationModel:
    if parts is None:
        return model
    local, across = split_features(parts)
    return dataclasses.replace(
        model,
        system=dataclasses.replace(model.system, features=parts),
        features=local.compile(model.table, threads=threads, on_demand=True),
        state_features=across,
    )


def _refuse_changed(spec: DecoderSpec, found: dict[str, str]) -> None:
    changed = sorted(name for name in {**spec.digests, **found} if spec.digests.get(name) != found.get(name))
    if changed:
        raise ConfigError(
            f"{spec.model}: {' and '.join(changed)} changed since this work was described; describe it again"
        )


def _digests(model: TranslationModel) -> dict[str, str]:
    """Digests of all parts of a model: rules and language models, what system.toml says, and start weights."""
    return {**model.digests, **{name: file_digest(model.folder / name, 16) for name in (SYSTEM, WEIGHTS)}}


def _digest_of(phrases: tuple[tuple[str, str], ...]) -> str:
    digest = Digest()
    digest.add(msgspec.json.encode(phrases))
    return digest.hex()


@kinds.register("translate")
class Translate(Work[Lines, list[str]], frozen=True):
    """Translate lines of tokens; the result of a block is their translations, as tokens."""

    decoder: DecoderSpec

    def open(self, threads: int) -> Callable[[Lines], list[str]]:
        opened = self.decoder.open(threads=threads)
        return lambda block: [each.best.text for each in opened.decode(block, threads=threads)]


@kinds.register("k_best")
class KBest(Work[Lines, CandidateSet], frozen=True):
    """Decode lines to lists of length k; the result of a block is a candidate set, which can be saved."""

    decoder: DecoderSpec
    k: int

    def open(self, threads: int) -> Callable[[Lines], CandidateSet]:
        opened = self.decoder.open(threads=threads)
        return lambda block: opened.k_best(block, self.k, threads=threads)


def translations(
    decoder: Decoder, lines: Iterable[str], *, threads: int = 1, executor: Executor | None = None
) -> list[str]:
    """Translate lines with a decoder that is open here, block by block."""
    work = Opened[Lines, list[str]](
        lambda threads: lambda block: [each.text for each in decoder.translate(block.lines, threads=threads)]
    )
    blocks = line_blocks(lines, ListDecoder.lines_at_once)
    return [text for block in execution.map(work, blocks, executor or Here(threads)) for text in block]
