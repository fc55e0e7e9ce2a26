"""A decoder as a description that can travel: everything that its translations depend on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from tunesmith.config import FeaturePart
from tunesmith.corpus.text_files import Lines, Text
from tunesmith.decoding.bayes_risk import least_risk
from tunesmith.decoding.candidates import ListDecoder
from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.held_out import HeldOutDecoder
from tunesmith.decoding.model import TranslationModel
from tunesmith.decoding.phrase import PhraseDecoder
from tunesmith.decoding.translation import Decoding
from tunesmith.decoding.work.left_out import LeftOut
from tunesmith.decoding.work.numbered_weights import NumberedWeights
from tunesmith.decoding.work.open_models import Models, digests_of
from tunesmith.errors import ConfigError
from tunesmith.execution import Kept, Opened, Packet, Work
from tunesmith.features.python_features import refuse_elsewhere
from tunesmith.grammar import LeaveOneOutCounts
from tunesmith.io import StrPath
from tunesmith.io.digest import Digest
from tunesmith.search import CandidateSet
from tunesmith.weights import Weights

if TYPE_CHECKING:
    from tunesmith.decoding.work.kinds import FoundLine
    from tunesmith.decoding.work.listing import Listed
    from tunesmith.search.graphs.graph_bayes_risk import GraphBayesRisk

NamedWeights = dict[str, float]


class DecoderSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model directory, what its parts are, and how it is searched.

    model: the folder.   digests: of its parts, so that another model in the same place is refused; without any,
    whatever the folder holds is taken.   options: of the search, where they differ from the model's.
    weights: by name, of each fold where folds are left out and their weights differ; without any, the model's.
    numbered: the same as they travel, one or one for each fold, in place of `weights`.
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
    numbered: tuple[NumberedWeights, ...] = ()

    @classmethod
    def of(cls, model: StrPath, weights: Weights | None = None, **options: float | bool) -> DecoderSpec:
        """Describe the decoder of a model directory as it is now."""
        return cls(str(model), {}, options, None if weights is None else dict(weights.items())).sealed()

    def sealed(self) -> DecoderSpec:
        """Return the work with absolute names and digests of its files."""
        folder = Path(self.model).resolve()
        return msgspec.structs.replace(
            self,
            model=str(folder),
            digests=digests_of(TranslationModel.open(folder)),
            left_out=None if self.left_out is None else self.left_out.sealed(),
        )

    def open(self, *, threads: int = 1) -> OpenDecoder:
        """Return the decoder, in this process; ConfigError where the folder holds another model."""
        return OpenDecoder(self, Models().of(self, threads=threads))

    def kept(self, kept: Kept, *, threads: int = 1) -> OpenDecoder:
        """Return a decoder for a process that decodes repeatedly, each time with other weights."""
        bare = msgspec.structs.replace(self, weights=None, numbered=())
        opened = kept.get(("decoder", msgspec.json.encode(bare)), lambda: bare.open(threads=threads))
        opened.set_weights(self if self.numbered or self.weights is not None else _start_weights(self, opened))
        return opened

    def files(self) -> tuple[str, ...]:
        """Return the model directory, leave-one-out counts and text, by the names that a worker opens."""
        left_out = () if self.left_out is None else self.left_out.files()
        return (self.model, *left_out)

    def placed(self, places: Callable[[str], str]) -> DecoderSpec:
        """Return the work with each of `files` in another place."""
        left_out = None if self.left_out is None else self.left_out.placed(places)
        return msgspec.structs.replace(self, model=places(self.model), left_out=left_out)


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
        self.leave_one_out: LeaveOneOutCounts | None = None
        """What each line of the training data gave to the rules, where that is left out."""
        self._folds: HeldOutDecoder | None = None
        if spec.left_out is not None:
            self.leave_one_out, self._folds = spec.left_out.open(model, options, text, note)
        alone = [model.decoder(weights, options) if decoder is None else decoder]
        decoders = alone if self._folds is None else self._folds.decoders
        self.decoder = decoders[0]
        """The decoder; that of the first fold, where folds are left out."""
        self._decoders = decoders
        if weights is None:
            self.set_weights(spec)
        elif self._folds is not None:
            for each in decoders:
                each.set_weights(weights)
        if spec.forced:
            for each in decoders:
                if not isinstance(each, PhraseDecoder):
                    raise ConfigError("--force is for phrase-based models; this one is hierarchical")
                each.force(spec.forced)

    def set_weights(self, spec: DecoderSpec) -> None:
        """Use the weights of a description that is alike but for them; those before where it has none."""
        folds = len(self._decoders)
        for given in (spec.weights, spec.numbered):
            if isinstance(given, tuple) and len(given) not in (0, 1, folds):
                raise ConfigError(f"weights for {len(given)} folds; there are {folds}")
        for fold, each in enumerate(self._decoders):
            if spec.numbered:
                numbered = spec.numbered[fold if len(spec.numbered) > 1 else 0]
                each.set_weights(numbered.vector(each))
            elif spec.weights is not None:
                named = spec.weights[fold] if isinstance(spec.weights, tuple) else spec.weights
                each.set_weights(Weights.from_mapping(named))

    def leaving_out(
        self, left_out: LeftOut, text: Text | None = None, note: Callable[[str], None] = lambda text: None
    ) -> OpenDecoder:
        """Return the work for training data; features that decoding meets have equal numbers in both."""
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
        lists.receive = lists.received
        return lists

    def described(self, k: int, weights: NDArray[np.float64]) -> Work[Lines, CandidateSet]:
        """Return lists of length k under these weights as work for another process."""
        from tunesmith.decoding.work.kinds import KBest

        rows = tuple(NumberedWeights.of(row, self.decoder) for row in np.atleast_2d(weights))
        return KBest(msgspec.structs.replace(self._sealed, weights=None, numbered=rows), k)

    def described_decoding(
        self, risk: GraphBayesRisk | None = None, *, explained: bool = False
    ) -> Work[Lines, list[FoundLine]]:
        """Return translations under the present weights as work for another process.

        risk: minimum Bayes risk instead of the best score.   explained: with explanations.
        """
        from tunesmith.decoding.work.kinds import Decode

        return Decode(self._with_weights(), risk, explained)

    def described_listing(self, k: int, *, distinct: bool, alignment: bool) -> Work[Lines, Listed]:
        """Return n-best lists under the present weights, to be printed, as work for another process."""
        from tunesmith.decoding.work.listing import Listing, received

        work = Listing(self._with_weights(), k, distinct, alignment)
        return Opened(work.open, lambda: work, lambda packet: received(self.lists, packet))

    def _with_weights(self) -> DecoderSpec:
        weights = NumberedWeights.of(self.decoder.weights, self.decoder)
        return msgspec.structs.replace(self._sealed, weights=None, numbered=(weights,))

    @cached_property
    def _sealed(self) -> DecoderSpec:
        refuse_elsewhere(part.template for part in self.model.system.features)
        return self.spec.sealed()

    def own_of(self, block: Lines) -> LeaveOneOutCounts | None:
        """Return leave-one-out counts of these lines; None where nothing is left out."""
        if self.leave_one_out is None:
            return None
        if block.numbers is None:
            raise ConfigError("lines without numbers: which pairs of the training data they are must be known")
        return self.leave_one_out.of_pairs(block.numbers)

    def k_best(self, block: Lines, k: int, *, threads: int = 1) -> CandidateSet:
        """Return the k best derivations of each line, best first."""
        return self.lists.k_best(block.lines, k, threads=threads, leave_one_out=self.own_of(block))

    def packed_k_best(self, block: Lines, k: int, *, threads: int = 1) -> Packet:
        """Return `k_best` as a packet for another process."""
        lists = self.lists
        return lists.packed(lists.searched(block.lines, k, threads=threads, leave_one_out=self.own_of(block)))

    def decode(
        self, block: Lines, k: int = 1, *, threads: int = 1, risk: GraphBayesRisk | None = None
    ) -> list[Decoding]:
        """Decode lines; not for held-out folds, which give lists alone.

        risk: the best translations are those of minimum Bayes risk.
        """
        if self._folds is not None:
            raise ConfigError("held-out folds are decoded to k-best lists only")
        own = self.own_of(block)
        if risk is not None:
            return list(least_risk(self.decoder, block.lines, risk, threads=threads, leave_one_out=own))
        return self.decoder.k_best(block.lines, k, threads=threads, leave_one_out=own)


def _start_weights(spec: DecoderSpec, opened: OpenDecoder) -> DecoderSpec:
    return msgspec.structs.replace(spec, weights=dict(opened.model.start_weights().items()))


def _digest_of(phrases: tuple[tuple[str, str], ...]) -> str:
    digest = Digest()
    digest.add(msgspec.json.encode(phrases))
    return digest.hex()
