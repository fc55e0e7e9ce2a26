"""Limits of the search that replace those of a model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from tunesmith.cli.declaring import option

SEARCH = "Search"


def _limit(form: str, about: str, least: int, show_default: str = "the model's") -> Any:
    return option(form, about, SEARCH, show_default=show_default, min=least)


@dataclass(frozen=True)
class SearchLimits:
    """Options of the search in place of the model's; None for those that stay."""

    pop_limit: Annotated[
        int | None, _limit("--pop-limit", "Hypotheses of a span or stack: more is better and slower.", 1)
    ] = None
    table_limit: Annotated[
        int | None, _limit("--table-limit", "Target sides of a source side; 0 takes all.", 0)
    ] = None
    max_span: Annotated[int | None, _limit("--max-span", "Hierarchical: source words a rule may cover.", 1)] = None
    stack_limit: Annotated[
        int | None,
        _limit("--stack-limit", "Phrase-based and left-to-right: hypotheses of a stack that are extended.", 1),
    ] = None
    distortion_limit: Annotated[
        int | None,
        _limit("--distortion-limit", "Phrase-based: words that may be jumped over; -1 means no limit.", -1),
    ] = None
    queue_diversity: Annotated[
        int | None, _limit("--queue-diversity", "Left-to-right: hypotheses that a cube begins with.", 1)
    ] = None
    max_open_spans: Annotated[int | None, _limit(
        "--max-open-spans", "Left-to-right: spans that a hypothesis has still to translate; 0 means no limit.", 0
    )] = None  # fmt: skip
    max_length: Annotated[int | None, _limit("--max-length", "Phrase-based: source words of a phrase.", 1)] = None
    punctuation_walls: Annotated[bool, option(
        "--punctuation-walls", "Phrase-based: nothing after a punctuation mark before all in front of it.", SEARCH
    )] = False  # fmt: skip
    max_words: Annotated[int | None, _limit(
        "--max-words", "Words of a line that are searched; those after them are translated one by one. 0 means "
        "no limit.", 0, "the model's, or 2000"
    )] = None  # fmt: skip
    max_pops: Annotated[
        int | None, _limit("--max-pops", "Hypotheses scored for one line; 0 means no limit.", 0)
    ] = None
    max_edges: Annotated[int | None, _limit("--max-edges", "Edges kept for one line; 0 means no limit.", 0)] = None
    max_bytes: Annotated[
        int | None, _limit("--max-bytes", "Memory of the search for one line; 0 means no limit.", 0)
    ] = None

    def changes(self) -> dict[str, int | float | bool]:
        """Return the options that replace limits of the model."""
        values = {**asdict(self), "punctuation_walls": self.punctuation_walls or None}
        return {name: value for name, value in values.items() if value is not None}

    def typed(self) -> str:
        """Return the options that were given, by name."""
        return ", ".join("--" + name.replace("_", "-") for name in self.changes())


@dataclass(frozen=True)
class TimedSearchLimits(SearchLimits):
    """Limits, with the time limit that tuning does not have: results of a time limit depend on the machine."""

    timeout: Annotated[float | None, option(
        "--timeout SECONDS", "Limit for a line; results then depend on the machine.", SEARCH, show_default="off"
    )] = None  # fmt: skip
