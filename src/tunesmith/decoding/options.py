"""Limits of searches."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

from tunesmith import _core
from tunesmith.checks import above, finite, given, whole_number

LARGEST_POP_LIMIT = 65535
LONGEST_SENTENCE = 65533
LONG_SENTENCE = 2000
"""Words; the longest sentences have some hundreds, even if words are characters."""
_MOST = 2**31 - 1
_BYTES = 2**62


@dataclass(frozen=True)
class SearchOptions:
    """Limits of any search.

    All but `timeout` count work: results do not depend on the machine.

    pop_limit: a span or stack ends when this many hypotheses score at least as well as the estimate of any other.
        table_limit: target sides tried per source side, best first; 0 tries all.
    max_words: words of a sentence that are searched; further words are translated one by one. 0 means no limit.
    max_pops, max_edges, max_bytes: hypotheses scored, edges kept and memory for one sentence; beyond any of them,
        the rest of the sentence is translated with minimal effort. 0 means no limit. timeout: seconds for one
        sentence, with minimal effort afterwards. Results then depend on the machine; tuning refuses it.
    """

    adjective: ClassVar[str]
    method: ClassVar[str]
    always_told: ClassVar[tuple[str, ...]]
    bounds: ClassVar[dict[str, tuple[int, int]]] = {
        "pop_limit": (1, LARGEST_POP_LIMIT), "table_limit": (0, _MOST), "max_words": (0, _MOST),
        "max_pops": (0, _BYTES), "max_edges": (0, _BYTES), "max_bytes": (0, _BYTES)}  # fmt: skip

    pop_limit: int = 200
    table_limit: int = 20
    max_words: int = LONG_SENTENCE
    max_pops: int = 0
    max_edges: int = 0
    max_bytes: int = 0
    timeout: float | None = None

    def __post_init__(self) -> None:
        for name, (low, high) in self.bounds.items():
            whole_number(low, high, **{name: getattr(self, name)})
        above(0, **given(timeout=self.timeout))
        finite(**given(timeout=self.timeout))

    def settings(self) -> dict[str, int | float]:
        """Return settings for a signature, without disabled limits and the default `max_words`."""
        off = ("max_pops", "max_edges", "max_bytes", "timeout", "punctuation_walls")
        values = {name: getattr(self, name) for name in self.always_told}
        if self.max_words != LONG_SENTENCE:
            values["max_words"] = self.max_words
        return values | {name: value for name in off if (value := getattr(self, name, None))}

    @property
    def native(self) -> _core.DecoderOptions:
        native = _core.DecoderOptions()
        of_any = {field.name for field in dataclasses.fields(SearchOptions)}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name in of_any:
                setattr(native, field.name, value)
            else:
                native.set(field.name, int(value))
        return native


@dataclass(frozen=True)
class DecoderOptions(SearchOptions):
    """Limits of hierarchical search; see `SearchOptions` for limits of any search.

    max_span: source words that a rule of the table may cover; glue rules join these parts.
    """

    adjective: ClassVar[str] = "hierarchical"
    method: ClassVar[str] = "cube"
    always_told: ClassVar[tuple[str, ...]] = ("pop_limit", "max_span", "table_limit")
    bounds: ClassVar[dict[str, tuple[int, int]]] = {**SearchOptions.bounds, "max_span": (1, _MOST)}

    max_span: int = 20


@dataclass(frozen=True)
class StackOptions(SearchOptions):
    """Limits of phrase-based search; see `SearchOptions` for limits of any search.

    stack_limit: hypotheses extended for each number of covered words.
    distortion_limit: source words that may be jumped over; 0 translates from left to right, -1 means no limit (but
        for jumps of more than 255 words). max_length: source words of a phrase. punctuation_walls: nothing after a
        punctuation mark is translated before all that precedes it (Moses' monotone-at-punctuation).
    """

    adjective: ClassVar[str] = "phrase-based"
    method: ClassVar[str] = "stacks"
    always_told: ClassVar[tuple[str, ...]] = (
        "pop_limit", "stack_limit", "distortion_limit", "max_length", "table_limit")  # fmt: skip
    bounds: ClassVar[dict[str, tuple[int, int]]] = {
        **SearchOptions.bounds, "stack_limit": (1, LARGEST_POP_LIMIT), "distortion_limit": (-1, _MOST),
        "max_length": (1, _MOST)}  # fmt: skip

    stack_limit: int = 200
    distortion_limit: int = 5
    max_length: int = 7
    punctuation_walls: bool = False


@dataclass(frozen=True)
class LeftToRightOptions(SearchOptions):
    """Limits of left-to-right hierarchical search; see `SearchOptions` for limits of any search.

    max_span: source words that a rule of the table may cover; glue rules join these parts. stack_limit: hypotheses
        extended for each number of covered words.
    queue_diversity: initial hypotheses of each cube (Siahbani and Sarkar 2014); 1 is cube pruning.
    max_open_spans: untranslated source spans of a hypothesis, the rest of the sentence included; 0 means no limit.
        A sentence without a translation under this limit is searched without it.
    """

    adjective: ClassVar[str] = "left-to-right"
    method: ClassVar[str] = "left-to-right"
    always_told: ClassVar[tuple[str, ...]] = ("pop_limit", "stack_limit", "max_span", "table_limit")
    sometimes_told: ClassVar[dict[str, int]] = {"queue_diversity": 1, "max_open_spans": 0}
    bounds: ClassVar[dict[str, tuple[int, int]]] = {
        **SearchOptions.bounds, "max_span": (1, _MOST), "stack_limit": (1, LARGEST_POP_LIMIT),
        "queue_diversity": (1, LARGEST_POP_LIMIT), "max_open_spans": (0, _MOST)}  # fmt: skip

    max_span: int = 20
    stack_limit: int = 200
    queue_diversity: int = 1
    max_open_spans: int = 0

    def settings(self) -> dict[str, int | float]:
        """Return settings for a signature, without default limits."""
        changed = {name: getattr(self, name) for name, usual in self.sometimes_told.items()}
        return super().settings() | {
            name: value for name, value in changed.items() if value != self.sometimes_told[name]
        }
