"""Translations of a line and their derivations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.decoding.domain_copies import DomainCopies
from tunesmith.errors import core_errors
from tunesmith.features import FeatureMatrix, SpecialRule
from tunesmith.grammar import Rule, RuleTable
from tunesmith.search.graphs.graph import SearchGraph
from tunesmith.search.lazy import LazySequence


@dataclass(frozen=True)
class RuleApplication:
    """A rule of a derivation, with its source span and the applications that fill its gaps.

    rule: its number; numbers after the table's rules are special (`SpecialRule`).
    local: the score of its own features, without adjustment for leave-one-out.
    states: unweighted values of language models that it adds.
    """

    rule: int
    begin: int
    end: int
    local: float
    states: tuple[float, ...]
    parts: tuple[RuleApplication, ...] = ()

    def __iter__(self) -> Iterator[RuleApplication]:
        """Yield the application and all below it, parents first."""
        stack = [self]
        while stack:
            step = stack.pop()
            yield step
            stack.extend(reversed(step.parts))


@dataclass(frozen=True, eq=False)
class Model:
    """Model data that translations need for explanations.

    domains: copies of features, where the model has some.
    """

    table: RuleTable
    features: FeatureMatrix
    domains: DomainCopies | None = None


class Translation:
    """One derivation of a line: its words, score, features, rules and alignment, computed on access."""

    def __init__(self, native: _core.Decoded, rank: int, model: Model, domain: int = 0) -> None:
        self._native, self._rank, self._model, self._domain = native, rank, model, domain

    def __repr__(self) -> str:
        return f"Translation({self.text!r}, score={self.score:.4f})"

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """The words, separated by spaces."""
        return self._native.text(self._rank)

    @property
    def score(self) -> float:
        """The score of the model: weights times features."""
        return self._native.score(self._rank)

    @property
    def alignment(self) -> list[tuple[int, int]]:
        """Links between words as (source position, target position), combined from the links of the rules."""
        with core_errors(str(self._model.table.folder)):
            return self._native.alignment(self._rank)

    @cached_property
    def derivation(self) -> RuleApplication:
        """The rules as a tree; its root closes the sentence."""
        rows, local, states = self._native.steps(self._rank)
        done: list[RuleApplication] = []  # applications whose parent is not made yet, its first part last
        for at in range(len(rows) - 1, -1, -1):
            rule, begin, end, parts = rows[at].tolist()
            own = tuple(reversed(done[len(done) - parts :]))
            del done[len(done) - parts :]
            values = tuple(states[at].tolist()) if states.ndim == 2 else ()
            done.append(RuleApplication(rule, begin, end, float(local[at]), values, own))
        return done[0]

    def rule(self, step: RuleApplication) -> Rule | SpecialRule:
        rules = len(self._model.table)
        return self._model.table[step.rule] if step.rule < rules else SpecialRule(step.rule - rules)

    @cached_property
    def rules(self) -> tuple[int, ...]:
        """Numbers of the rules in pre-order, with repetitions."""
        return tuple(self._native.steps(self._rank)[0][:, 0].tolist())

    def feature_values(self) -> dict[int, float]:
        """Return values of all features that are not zero, by number."""
        values: dict[int, float] = {}
        for rule in self.rules:
            for id, value in self._model.features.row(rule):
                values[id] = values.get(id, 0.0) + value
        ids, found = self._native.state_values(self._rank)
        for id, value in zip(ids.tolist(), found.tolist(), strict=True):
            values[id] = values.get(id, 0.0) + value
        if self._model.domains is not None:
            values = self._model.domains.values_of(self._domain, values)
        return dict(sorted((id, value) for id, value in values.items() if value != 0))

    def named_features(self) -> dict[str, float]:
        index = self._model.features.index
        return {index.name(id): value for id, value in self.feature_values().items()}


class Decoding(LazySequence[Translation]):
    """Translations of a line, best first, with statistics of the search.

    pops: hypotheses scored.
    edges: those kept. limited: a limit cut the search short. timed_out: the clock did. domain: the number of that
        of the line, where the model has domains.
    """

    def __init__(self, native: _core.Decoded, model: Model, domain: int = 0) -> None:
        self.native, self.model, self.domain = native, model, domain
        self.pops, self.edges, self.bytes = native.pops, native.edges, native.bytes
        self.limited, self.timed_out = native.limited, native.timed_out

    def __len__(self) -> int:
        return len(self.native)

    def _item(self, at: int) -> Translation:
        return Translation(self.native, at, self.model, self.domain)

    @property
    def graph(self) -> SearchGraph:
        """Search graph: complete if requested, otherwise the part that the list is made of."""
        return SearchGraph(self.native.graph)

    @property
    def local_scores(self) -> NDArray[np.float64]:
        """Local scores of the applications of the graph, under the weights of the search."""
        return self.native.local_scores()

    @property
    def source(self) -> list[str]:
        """Words of the line, then words of forced phrases only: the source of graphs."""
        return self.native.words()

    @property
    def best(self) -> Translation:
        return self[0]
