"""Features with copies for each domain: weights of each domain, and copies among the features of candidates.

The label of a sentence is known before the search. So the search of domain m reads the weights w + w_m, and costs
what it costs without copies; candidates get the values of their copies afterwards.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tunesmith.corpus.text_files import Text
from tunesmith.errors import ConfigError, FormatError
from tunesmith.features import FeatureMatrix
from tunesmith.features.domains import Domains, copy_name, original_name
from tunesmith.features.names import template_of
from tunesmith.search import FactoredMatrix

if TYPE_CHECKING:
    from tunesmith.decoding.candidate_arrays import CandidateArrays
    from tunesmith.decoding.decoder import Decoder

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_NONE, _NEW = -1, -2  # no copy; not looked up yet
_SENTENCES = 256  # whose features are written out at once
_NO_PAIRS = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float64))


class DomainCopies:
    """The domains of a model, and the numbers of copies in its index.

    chosen: what the model says.   labels: of its training pairs, which rules have.
    """

    def __init__(self, chosen: Domains, labels: Sequence[str], features: FeatureMatrix) -> None:
        self.names = chosen.known(labels)
        self.labels = [labels.index(name) if name in labels else -1 for name in self.names]
        """The number that rules know each domain by."""
        self.has_copies = tuple(name != chosen.default for name in self.names)
        """Whether a domain has copies; the default one has none."""
        self._templates, self._features, self._index = chosen.copied, features, features.index
        self._number = {name: at for at, name in enumerate(self.names)}
        self._copies = np.empty((len(self.names), 0), dtype=np.int64)  # by domain and original feature
        self._originals = np.empty(0, dtype=np.int64)  # by feature; _NONE where it is not a copy
        self._domains = np.empty(0, dtype=np.int64)
        self._lock = threading.RLock()  # of the arrays; nothing is waited for while it is held

    def split(self, lines: Sequence[str]) -> tuple[list[str], Integers]:
        """Return lines `label<TAB>text` as texts and the numbers of their domains."""
        texts, numbers = [], []
        for line in lines:
            label, tab, text = line.partition("\t")
            if not tab:
                raise FormatError(
                    f"a line without a label; this model has the domains {self._listed()}: give --labels FILE, or "
                    "lines label<TAB>text"
                )
            texts.append(text)
            numbers.append(self.number(label))
        return texts, np.array(numbers, dtype=np.int64)

    def number(self, label: str) -> int:
        """Return the number of a domain; ConfigError for one that is not known."""
        found = self._number.get(label.strip())
        if found is None:
            raise ConfigError(
                f"the label {label.strip()!r} is not a domain of this model; it has {self._listed()}"
            )
        return found

    def possible(self, names: Iterable[str], can_have: Callable[[str], bool]) -> list[str]:
        """Return the names that copies can have, each after its original.

        can_have: whether the search can have a feature of this name that has not been met.
        """
        found = []
        for name in names:
            parts = original_name(name)
            if parts is None or template_of(parts[0]) not in self._templates:
                continue
            at = self._number.get(parts[1])
            if at is not None and self.has_copies[at] and (parts[0] in self._index or can_have(parts[0])):
                found += [parts[0], name]
        return found

    def weights(self, vector: Floats) -> list[Floats]:
        """Return for each domain w + w_m, by the numbers of original features."""
        with self._lock:
            self._learn()
            originals, domains = self._originals, self._domains
        copies = np.flatnonzero(originals[: len(vector)] != _NONE)
        found = []
        for domain in range(len(self.names)):
            own = copies[domains[copies] == domain]
            sums = vector.copy()
            np.add.at(sums, originals[own], vector[own])
            found.append(sums)
        return found

    def changes(self, ids: NDArray[np.uint32], vector: Floats) -> list[tuple[NDArray[np.uint32], Floats]]:
        """Return for each domain the weights that differ after these features of `vector` have changed."""
        with self._lock:
            return self._changes(ids.astype(np.int64), vector)

    def _changes(self, changed: Integers, vector: Floats) -> list[tuple[NDArray[np.uint32], Floats]]:
        self._learn()
        is_copy = self._originals[changed] != _NONE
        found = []
        for domain in range(len(self.names)):
            copied = changed[is_copy & (self._domains[changed] == domain)]
            own = np.unique(np.concatenate([changed[~is_copy], self._originals[copied]]))
            copies = self._copies[domain, own]
            there = (copies >= 0) & (copies < len(vector))
            values = vector[own]
            values[there] += vector[copies[there]]
            found.append((own.astype(np.uint32), values))
        return found

    def in_arrays(self, found: CandidateArrays) -> CandidateArrays:
        """Return candidates of the core with the values of copies among their sparse pairs."""
        without = FactoredMatrix.from_rules(
            self._features, found.sentences, found.rule_offsets, found.rules, found.state_ids, found.states,
            (found.pair_offsets, found.pair_ids, found.pair_values),
        )  # fmt: skip
        matrix = self.in_matrix(without, found.domains)
        return replace(
            found, pair_offsets=matrix.pair_offsets, pair_ids=matrix.pair_ids, pair_values=matrix.pair_values
        )

    def in_matrix(self, matrix: FactoredMatrix, domains: Integers) -> FactoredMatrix:
        """Return candidates with the values of copies among their sparse pairs.   domains: of each sentence.

        New copies get numbers in the order of the candidates; ConfigError for domains that are not of the model.
        """
        if len(domains) != len(matrix.sentences) - 1:
            raise ConfigError(f"domains of {len(domains)} sentences for {len(matrix.sentences) - 1}")
        if len(domains) and not 0 <= domains.min() <= domains.max() < len(self.names):
            raise ConfigError(f"numbers of domains go from 0 to {len(self.names) - 1}")
        cuts = matrix.sentences[[*range(0, len(domains), _SENTENCES), len(domains)]]
        domain_of = np.repeat(domains, np.diff(matrix.sentences))
        parts = [self._pairs(matrix, domain_of, begin, end) for begin, end in pairwise(cuts.tolist())]
        counts, ids, values = (np.concatenate(each) for each in zip(*parts, strict=True)) if parts else _NO_PAIRS
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return replace(
            matrix, columns=len(self._index), pair_offsets=offsets, pair_ids=ids.astype(np.uint32),
            pair_values=values.astype(np.float32),
        )  # fmt: skip

    def _pairs(
        self, matrix: FactoredMatrix, domain_of: Integers, begin: int, end: int
    ) -> tuple[Integers, Integers, Floats]:
        """Return how many sparse pairs these candidates have with their copies, and numbers and values of them."""
        offsets, columns, values = matrix.native.list_rows(np.arange(begin, end))
        rows = np.repeat(np.arange(begin, end), np.diff(offsets))
        copies = self._copies_of(domain_of[rows], columns.astype(np.int64))
        fires = copies >= 0
        first, last = matrix.pair_offsets[[begin, end]].tolist()
        old = np.repeat(np.arange(begin, end), np.diff(matrix.pair_offsets[begin : end + 1]))
        row = np.concatenate([old, rows[fires]])
        ids = np.concatenate([matrix.pair_ids[first:last], copies[fires]])
        order = np.lexsort((ids, row))
        own = np.concatenate([matrix.pair_values[first:last], values[fires]])
        return np.bincount(row - begin, minlength=end - begin), ids[order], own[order]

    def values_of(self, domain: int, values: dict[int, float]) -> dict[int, float]:
        """Return values of features by number, with those of their copies in a domain that have a number."""
        found = dict(values)
        for column, value in values.items():
            name = self._index.name(column)
            if self.has_copies[domain] and template_of(name) in self._templates:
                number = self._index.find(copy_name(name, self.names[domain]))
                if number is not None:
                    found[number] = value
        return found

    def _copies_of(self, domains: Integers, columns: Integers) -> Integers:
        """Return numbers of the copies of these features; new ones in the order in which they come."""
        with self._lock:
            return self._numbered(domains, columns)

    def _numbered(self, domains: Integers, columns: Integers) -> Integers:
        self._learn()
        found = self._copies[domains, columns]
        new = np.flatnonzero(found == _NEW)
        if not new.size:
            return found
        _, first = np.unique(domains[new] * len(self._index) + columns[new], return_index=True)
        for at in new[np.sort(first)].tolist():
            domain, column = int(domains[at]), int(columns[at])
            self._copies[domain, column] = self._new_copy(domain, column)
        self._learn()
        return self._copies[domains, columns]

    def _new_copy(self, domain: int, column: int) -> int:
        name = self._index.name(column)
        if not self.has_copies[domain] or template_of(name) not in self._templates:
            return _NONE
        copy = copy_name(name, self.names[domain])
        if self._index.frozen:
            known = self._index.find(copy)
            return _NONE if known is None else known
        return self._index.add(copy)

    def _learn(self) -> None:
        """Take up names that the index has got since; copies are never columns of the matrix."""
        seen, size = len(self._originals), len(self._index)
        if seen == size:
            return
        self._originals = np.concatenate([self._originals, np.full(size - seen, _NONE)])
        self._domains = np.concatenate([self._domains, np.full(size - seen, _NONE)])
        self._copies = np.concatenate([self._copies, np.full((len(self.names), size - seen), _NEW)], axis=1)
        for at in range(max(seen, self._features.columns), size):
            parts = original_name(self._index.name(at))
            if parts is None or parts[1] not in self._number:
                continue
            original, domain = self._index.find(parts[0]), self._number[parts[1]]
            if original is not None:
                self._originals[at], self._domains[at] = original, domain
                self._copies[domain, original] = at

    def _listed(self) -> str:
        return ", ".join(self.names)


def check_labels(decoder: Decoder, text: Text) -> None:
    """Refuse labels for a model without domains, and labels that it does not know."""
    if text.labels is None:
        return
    if decoder.domains is None:
        raise ConfigError(
            "this model has no domains, so it takes no labels; leave them out, or train one with "
            "--features …,domains:names=…,templates=…"
        )
    for label in dict.fromkeys(text.labels):
        decoder.domains.number(label)
