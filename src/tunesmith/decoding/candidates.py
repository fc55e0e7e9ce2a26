"""k-best lists of a decoder as candidate sets, for tuners and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunesmith.corpus.text_files import Lines
from tunesmith.decoding.candidate_arrays import CandidateArrays, join_batches
from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.work.travelling_lists import packed_lists, unpacked_lists
from tunesmith.errors import ConfigError, FormatError
from tunesmith.execution import Packet, Work
from tunesmith.features import FeatureIndex
from tunesmith.features.names import template_of
from tunesmith.features.start import is_dense
from tunesmith.grammar import LeaveOneOutCounts
from tunesmith.search import CandidateSet, FactoredMatrix, PlainMatrix, WordLists
from tunesmith.weights import Weights


class FoundLists(NamedTuple):
    """Lists, and the sparse features across rules of all that was found, in the order they were met.

    limited: of each line, whether a limit cut its search short.   domains: of each line, in a model with domains.
    """

    candidates: CandidateSet
    met: NDArray[np.uint32]
    limited: NDArray[np.bool_]
    domains: NDArray[np.int64]


class ListDecoder:
    """A decoder that hands out candidate sets; what tuners know of decoders.

    name: what settings of a run call the decoder, so that a run is not continued with another one.
    """

    lines_at_once = 256
    """Lines that are decoded within seconds, and whose lists are a few megabytes."""
    overlaps = True
    """The core decodes without Python's lock, and new features get their numbers under a lock of their own."""

    def __init__(self, decoder: Decoder, name: str = "") -> None:
        if decoder.options.timeout is not None:
            raise ConfigError(
                "a decoder with a timeout cannot be tuned: what it finds depends on the machine. Use --pop-limit"
            )
        self.decoder, self.signature = decoder, name
        self.features = decoder.index
        """All features; more may come while tuning."""
        self.describe: Callable[[int, NDArray[np.float64]], Work[Lines, CandidateSet]] | None = None
        """Makes work for another process of lists with this length and weights; None without a description."""
        self.receive: Callable[[Packet], CandidateSet] | None = None
        """Makes lists of the packets of that work; None without a description."""

    @property
    def weights(self) -> NDArray[np.float64]:
        return self.decoder.weights

    @property
    def target_words(self) -> list[str]:
        """The words of the model's target side, which may be pieces."""
        return self.decoder.target_words

    def vector(self, weights: Weights) -> tuple[NDArray[np.float64], list[str]]:
        """Return weights by number, and the names that no feature of the model has."""
        return self.decoder.vector(weights)

    def set_weights(self, weights: NDArray[np.float64]) -> None:
        self.decoder.set_weights(weights)

    def update_weights(self, ids: NDArray[np.uint32], values: NDArray[np.float64]) -> None:
        """Set new values of some weights; what it costs depends on their number alone."""
        self.decoder.update_weights(ids, values)

    def load(self, folder: Path) -> CandidateSet:
        return CandidateSet.load(folder, self.decoder.features)

    def k_best(
        self,
        lines: Iterable[str],
        k: int,
        *,
        distinct: bool = False,
        threads: int = 1,
        leave_one_out: LeaveOneOutCounts | None = None,
    ) -> CandidateSet:
        """Return the k best derivations of each line, best first.

        leave_one_out: each line is translated as if its sentence pair were not in the training data.
        """
        return self.found(lines, k, distinct=distinct, threads=threads, leave_one_out=leave_one_out).candidates

    def found(
        self,
        lines: Iterable[str],
        k: int,
        *,
        distinct: bool = False,
        threads: int = 1,
        leave_one_out: LeaveOneOutCounts | None = None,
    ) -> FoundLists:
        """Return `k_best`, and what else the searches met."""
        return self._with_copies(
            self.searched(lines, k, distinct=distinct, threads=threads, leave_one_out=leave_one_out)
        )

    def searched(
        self,
        lines: Iterable[str],
        k: int,
        distinct: bool = False,
        threads: int = 1,
        leave_one_out: LeaveOneOutCounts | None = None,
    ) -> FoundLists:
        """Return `found` without copies of features for domains."""
        batches = self.decoder.array_batches(lines, k, distinct, threads, leave_one_out)
        arrays = join_batches(batches, self.decoder.table.target_vocabulary)
        return FoundLists(self.candidate_set(arrays), arrays.met, arrays.limited, arrays.domains)

    def packed(self, found: FoundLists) -> Packet:
        """Return what `searched` found as a packet for another process."""
        of_lines = {"limited": found.limited, "domains": found.domains}
        return packed_lists(found.candidates, found.met, self.decoder.table.target_vocabulary, of_lines)

    def unpacked(self, packet: Packet) -> FoundLists:
        """Return lists of an equal decoder in another process, with features numbered as in this process."""
        found, of_lines = unpacked_lists(packet, self.decoder.features, self.decoder.table.target_vocabulary)
        limited, domains = of_lines["limited"].astype(np.bool_), of_lines["domains"].astype(np.int64)
        try:
            return self._with_copies(FoundLists(found, np.empty(0, np.uint32), limited, domains))
        except ConfigError as error:
            raise FormatError(f"lists of a worker cannot be used: {error}") from None

    def received(self, packet: Packet) -> CandidateSet:
        """Return the lists of `unpacked`."""
        return self.unpacked(packet).candidates

    def _with_copies(self, found: FoundLists) -> FoundLists:
        copies, matrix = self.decoder.domains, found.candidates.matrix
        if copies is None:
            return found
        assert isinstance(matrix, FactoredMatrix)
        return found._replace(candidates=found.candidates.replaced(matrix=copies.in_matrix(matrix, found.domains)))

    def candidate_set(self, arrays: CandidateArrays) -> CandidateSet:
        matrix = FactoredMatrix.from_rules(
            self.decoder.features,
            arrays.sentences,
            arrays.rule_offsets,
            arrays.rules,
            arrays.state_ids,
            arrays.states,
            (arrays.pair_offsets, arrays.pair_ids, arrays.pair_values),
        )
        words = WordLists(arrays.vocabulary, arrays.words, arrays.word_offsets)
        return CandidateSet(
            matrix, arrays.sentences, features=self.features, words=words, model_scores=arrays.scores
        )


def fired_features(candidates: CandidateSet) -> tuple[CandidateSet, list[int]]:
    """Return the candidates without sparse features that none of them has, and the dense columns.

    A model may have millions of features and a list a few hundred; only these get names. How a candidate is stored
    does not depend on the others: every candidate has all dense features and, of the others, those that fire.
    Features of rules are in the order of their numbers, others in that of their names, since the numbers that
    features get when they are met depend on the lines before.
    """
    rows = candidates.rows().astype(np.float32)  # what features are stored in; more digits say nothing
    names: FeatureIndex = candidates.features
    # Dense features of rules come first, those of the search last; templates are never mixed.
    dense = set(takewhile(lambda column: is_dense(template_of(names.name(column))), range(candidates.columns)))
    of_rules = candidates.columns
    if isinstance(candidates.matrix, FactoredMatrix):
        dense |= set(candidates.matrix.state_ids.tolist())
        of_rules = candidates.matrix.rule_features.columns
    found = dense | set(np.unique(rows.indices).tolist())
    numbered = sorted(column for column in found if column < of_rules or column in dense)
    columns = np.array([*numbered, *sorted(found - set(numbered), key=names.name)], dtype=np.int64)
    block = np.flatnonzero(np.isin(columns, sorted(dense))).astype(np.uint32)
    fired = candidates.replaced(
        matrix=PlainMatrix.from_csr(rows[:, columns]).stored_as(len(columns), None, block, np.float32),
        features=[names.name(column) for column in columns.tolist()],
    )
    return fired, block.tolist()
