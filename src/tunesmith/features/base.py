"""What a feature template is. Its scope says what it may see, and hence how often it runs.

| base class        | sees                                    | runs                              |
|-------------------|-----------------------------------------|-----------------------------------|
| `RuleFeature`     | one rule: words, links, scores, counts  | once per rule, before any search  |
| `SpanFeature`     | rule, source sentence, span             | once per application and sentence |
| `StateFeature`    | rule and the states of its antecedents  | every hypothesis; in C++          |
| `SentenceFeature` | source sentence and a whole translation | once per candidate (rescoring)    |

A template is a frozen dataclass of its settings, registered under the name that its features begin with: a
template `shape` that fires the detail `2_3` makes the feature `shape:2_3`; the empty detail makes `shape`.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.grammar import Rule, RuleTable
from tunesmith.registry import Registry

Fired = Iterator[tuple[str, float]]


class SpecialRule(IntEnum):
    """The rules that every sentence has; row r of the feature matrix is rule len(table) + r (cpp/features)."""

    unknown = 0
    glue = 1
    begin = 2
    end = 3


@dataclass(frozen=True)
class Batch:
    """Features of consecutive rules.

    Rule i fires `details[ids[k]]` with the value `values[k]`, for k from `starts[i]` to `starts[i + 1] - 1`.
    """

    details: Sequence[str]
    starts: NDArray[np.int64]
    ids: NDArray[np.int64]
    values: NDArray[np.float64]


class Feature(ABC):
    """A template of any scope.   dense: its features are few, and most translations have them."""

    scope: ClassVar[str]
    dense: ClassVar[bool] = False


class RuleFeature(Feature):
    """A template that sees one rule. Write `__call__`, or `batch` where NumPy can do many rules at once.

    A feature fired twice by a rule has the sum of the values.
    """

    scope: ClassVar[str] = "rule"

    def __call__(self, rule: Rule) -> Fired:
        """Return the features of one rule as (detail, value)."""
        raise NotImplementedError(f"{type(self).__name__} needs __call__(rule) or batch(table, begin, end)")

    def batch(self, table: RuleTable, begin: int, end: int) -> Batch:
        """Return the features of the rules `begin` to `end` - 1 of a table."""
        details: dict[str, int] = {}
        starts, ids, values = [0], [], []
        for number in range(begin, end):
            for detail, value in self(table[number]):
                ids.append(details.setdefault(detail, len(details)))
                values.append(value)
            starts.append(len(ids))
        return Batch(
            list(details), np.array(starts, np.int64), np.array(ids, np.int64), np.array(values, np.float64)
        )

    def special(self) -> Mapping[SpecialRule, Sequence[tuple[str, float]]]:
        """Return the features of unknown words and glue, which are in no table; none by default."""
        return {}

    def special_of(self, table: RuleTable) -> Mapping[SpecialRule, Sequence[tuple[str, float]]]:
        """Return `special`, where it depends on what comes with the table, such as word classes."""
        return self.special()


class NativeFeature(RuleFeature):
    """A rule template that the core computes."""

    @abstractmethod
    def native(self, table: RuleTable) -> _core.RuleTemplate:
        """Return the template of the core, for rules of this table."""


class DenseFeature(RuleFeature):
    """A rule template with a value for nearly every rule: columns of the dense block, computed by the core."""

    @abstractmethod
    def columns(self, table: RuleTable) -> Sequence[tuple[str, str, int]]:
        """Return detail, kind and number of the score of each column.

        Kinds: `log_score`, `word_penalty`, `rule_penalty`, `log_count`, `singleton`.
        """


class SpecialFeature(RuleFeature):
    """A rule template for unknown words and glue only."""

    @abstractmethod
    def special(self) -> Mapping[SpecialRule, Sequence[tuple[str, float]]]:
        """Return the features of unknown words and glue."""


class SearchFeature(Feature):
    """A template that the search computes. The core finds its own by the template's name."""

    def inputs(self, table: RuleTable) -> Mapping[str, object]:
        """Return what the core makes the feature from: by default the settings.

        Arrays are of float32 or uint64, in one piece.
        """
        if not dataclasses.is_dataclass(self):
            return {}
        return {entry.name: getattr(self, entry.name) for entry in dataclasses.fields(self)}

    def dense_details(self, table: RuleTable) -> Sequence[str]:
        """Return details of features that nearly every translation has; none where they are what occurs."""
        return ()


class SpanFeature(SearchFeature):
    """A template that also sees the sentence and where in it a rule is applied.

    Write `__call__`; it runs once for each rule that may cover a span of the sentence, never for a hypothesis.
    Templates of the core have none.
    """

    scope: ClassVar[str] = "span"

    def __call__(self, rule: Rule, sentence: Sequence[str], begin: int, end: int) -> Fired:
        """Return the features of a rule that covers the source words `begin` to `end` - 1, as (detail, value).

        A word that no rule translates, and a forced phrase that is not in the table, come as rules without scores.
        """
        raise NotImplementedError(f"{type(self).__name__} needs __call__(rule, sentence, begin, end)")


class StateFeature(SearchFeature):
    """A template that looks across rules. It is C++; here are its name and settings.

    It declares a state: two hypotheses are recombined only where all states agree.
    """

    scope: ClassVar[str] = "state"


class SentenceFeature(Feature):
    """A template that sees a whole translation; only for candidates that are complete (rescoring)."""

    scope: ClassVar[str] = "sentence"

    @abstractmethod
    def __call__(self, source: Sequence[str], translation: Sequence[str]) -> Fired:
        """Return the features of a translation as (detail, value)."""


templates: Registry[Feature] = Registry("feature template", "tunesmith.features")
register = templates.register
