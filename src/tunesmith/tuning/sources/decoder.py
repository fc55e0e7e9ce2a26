"""n-best lists of a decoder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import execution
from tunesmith.corpus.given_text import GivenLines, GivenReferences, lines_of, references_of
from tunesmith.corpus.subwords import check_subwords, join_references
from tunesmith.corpus.text_files import Lines, labelled
from tunesmith.errors import WrongTypeError
from tunesmith.execution import Blocks, Executor, Here, Opened
from tunesmith.features.index import FeatureIndex
from tunesmith.io import StrPath
from tunesmith.search.lists.candidates import CandidateSet, index_of
from tunesmith.search.lists.pieces import joined_words, vocabulary_subwords
from tunesmith.tuning.pools.base import Floats
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.sources.base import ListSource, Start, check_decoded, named, numbered_alike, numbers_of
from tunesmith.tuning.sources.decoders import (
    Blockwise,
    Described,
    Folded,
    KBestDecoder,
    LeftOut,
    Loading,
    Naming,
    Overlapping,
    Resting,
    Signed,
    Updating,
    Weighted,
    Worded,
    k_best_decoder,
)
from tunesmith.tuning.sources.digests import references_digest, text_digest
from tunesmith.weights import Weights


class KBestSource(ListSource):
    """The k best translations of a decoder, made again for every weight vector.

    decoder: a model directory, a decoder of one, or any object with `features`, `set_weights` and `k_best`. lines:
        sentences to decode, or their file.
    references: files, or texts of each sentence. start: weights by number or name, or a file of them; default:
        weights of the decoder.
    name: identifies the decoder in settings; default: its `signature`.
    leave_one_out: the lines are training data, and each is decoded as if it were not in it; passed to `k_best` of
        the decoder as `leave_one_out`.
    executor: decodes blocks; default: threads of this process.
    subwords: kind of pieces of the model, `bpe`, `sentencepiece` or `none`; None for detection by the words of the
        model. Words are joined, features stay as they are; references may be words or pieces. `labels`: the domain
        of each line, for a model with domains.
    """

    fixed = False

    def __init__(
        self,
        decoder: KBestDecoder | StrPath | Any,
        lines: GivenLines,
        references: GivenReferences,
        k: int = 100,
        *,
        start: Start | None = None,
        name: str | None = None,
        leave_one_out: LeftOut | None = None,
        executor: Executor | None = None,
        subwords: str | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        check_subwords(subwords)
        lines = lines_of(lines)
        references = references_of(references, len(lines))
        decoder = k_best_decoder(decoder)
        check_decoded(k, len(lines), references=references)
        if leave_one_out is not None:
            check_decoded(k, len(lines), **{"leave-one-out counts": leave_one_out})
        found = vocabulary_subwords(decoder.target_words) if isinstance(decoder, Worded) else "none"
        self.subwords, self.asked_subwords = found if subwords is None else subwords, subwords
        asked = None if subwords is None and found == "none" else self.subwords
        self.references, _ = join_references(references, asked)
        self.decoder, self.k = decoder, k
        self.lines: Sequence[str] = list(lines)
        self.labels = labels
        self._given = self.lines if labels is None else labelled(self.lines, labels)
        self._leave_one_out, self._executor = leave_one_out, executor
        self.sentences = len(lines)
        begin = decoder.weights if start is None and isinstance(decoder, Weighted) else start
        if begin is not None and named(begin):
            begin, _ = self.vector(Weights.of(begin))
        self._start = None if begin is None else numbers_of(begin)  # a copy: tuning changes them
        own_name = str(decoder.signature) if isinstance(decoder, Signed) else ""
        self._name = name or own_name or type(decoder).__name__

    def start(self) -> Floats | None:
        """Return given weights, or the weights of the decoder."""
        return self._start

    def vector(self, weights: Weights) -> tuple[Floats, list[str]]:
        """Return weights by number, and the names that the source does not have.

        A decoder may know features that have not occurred yet.
        """
        return self.decoder.vector(weights) if isinstance(self.decoder, Naming) else self.features.vector(weights)

    @property
    def sentence_folds(self) -> tuple[NDArray[np.int64], int] | None:
        """Held-out fold of each sentence, and the number of folds; None without folds."""
        if self._leave_one_out is None or not isinstance(self.decoder, Folded):
            return None
        folds = self.decoder.folds
        return folds[self._leave_one_out.pairs[: self.sentences]], int(folds.max()) + 1

    @property
    def features(self) -> FeatureIndex:
        return index_of(self.decoder.features)

    def candidates(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> CandidateSet:
        [found] = self._decoded(weights, [range(self.sentences) if sentences is None else sentences], threads)
        return found

    def parts(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> Iterator[ListPool]:
        """Decode no more lines at once than the decoder asks for."""
        chosen = range(self.sentences) if sentences is None else sentences
        size = self.decoder.lines_at_once if isinstance(self.decoder, Blockwise) else len(chosen)
        blocks = [chosen[begin : begin + size] for begin in range(0, len(chosen), size)]
        return map(ListPool, self._decoded(weights, blocks, threads))

    def rest(self) -> None:
        """Let the decoder give back memory until the next decoding, where it can."""
        if isinstance(self.decoder, Resting):
            self.decoder.rest()

    @property
    def takes_changes(self) -> bool:
        """Whether `parts_after` is supported: the decoder of this process can change single weights."""
        return self._executor is None and isinstance(self.decoder, Updating)

    @property
    def overlaps(self) -> bool:
        """Whether another thread may decode: with a decoder of this process that says so."""
        return self._executor is None and isinstance(self.decoder, Overlapping) and self.decoder.overlaps

    def parts_after(
        self, ids: NDArray[np.uint32], values: Floats, sentences: Sequence[int], *, threads: int = 1
    ) -> Iterator[ListPool]:
        """Yield `parts` under the weights of the last decoding, some of which have changed to these values."""
        assert isinstance(self.decoder, Updating)
        self.decoder.update_weights(ids, values)
        yield ListPool(self._joined(self._k_best(self._block(sentences), threads)))

    def _decoded(self, weights: Floats, blocks: Sequence[Sequence[int]], threads: int) -> Iterator[CandidateSet]:
        """Yield the lists of blocks of sentences, in order."""
        decoder = self.decoder

        def opening(threads: int) -> Callable[[Lines], CandidateSet]:
            decoder.set_weights(weights)
            return lambda block: self._k_best(block, threads)

        make = decoder.describe if isinstance(decoder, Described) else None
        receive = decoder.receive if isinstance(decoder, Described) else None
        work = Opened(opening, None if make is None else lambda: make(self.k, weights), receive)
        for found in execution.map(work, Blocks(blocks, self._block), self._executor or Here(threads)):
            here = self._executor is None or found.features is self.features
            yield self._joined(found if here else numbered_alike(found, self.features))

    def _joined(self, found: CandidateSet) -> CandidateSet:
        if self.subwords == "none" or found.words is None:
            return found
        return found.replaced(words=joined_words(found.words, self.subwords))

    def _block(self, sentences: Sequence[int]) -> Lines:
        leave_one_out = self._leave_one_out
        numbers = (
            None if leave_one_out is None else leave_one_out.pairs[np.asarray(sentences, dtype=np.int64)].tolist()
        )
        return Lines([self._given[at] for at in sentences], numbers)

    def _k_best(self, block: Lines, threads: int) -> CandidateSet:
        """Decode in this process; `leave_one_out` is passed only if there is something to leave out."""
        leave_one_out = {}
        if self._leave_one_out is not None and block.numbers is not None:
            leave_one_out["leave_one_out"] = self._leave_one_out.of_pairs(block.numbers)
        found = self.decoder.k_best(block.lines, self.k, threads=threads, **leave_one_out)
        if not isinstance(found, CandidateSet):
            raise WrongTypeError(
                f"k_best of {type(self.decoder).__name__} must return a CandidateSet, got {type(found).__name__}"
            )
        return found

    def subset(self, sentences: Sequence[int]) -> KBestSource:
        chosen = [int(at) for at in sentences]
        leave_one_out = None if self._leave_one_out is None else self._leave_one_out.select(chosen)
        lines, references = [self.lines[at] for at in chosen], [self.references[at] for at in chosen]
        labels = None if self.labels is None else [self.labels[at] for at in chosen]
        return KBestSource(
            self.decoder, lines, references, self.k, start=self._start, name=self._name,
            leave_one_out=leave_one_out, executor=self._executor, subwords=self.asked_subwords, labels=labels,
        )  # fmt: skip

    def load(self, folder: Path) -> ListPool:
        load = self.decoder.load if isinstance(self.decoder, Loading) else CandidateSet.load
        return ListPool(load(folder))

    def settings(self) -> dict[str, Any]:
        found = {
            "kind": "k-best",
            "k": self.k,
            "decoder": self._name,
            "sentences": self.sentences,
            "source": text_digest(self._given),
            "references": references_digest(self.references),
        }
        if self.subwords != "none":
            found["subwords"] = self.subwords
        return found if self._leave_one_out is None else {**found, "left_out": self._leave_one_out.signature}
