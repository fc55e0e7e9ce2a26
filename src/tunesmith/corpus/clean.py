"""Cleaning parallel text: which pairs are kept, which are removed, and why. Nothing goes uncounted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tunesmith.corpus.bitext import Bitext
from tunesmith.corpus.filters import Filter
from tunesmith.errors import ConfigError


@dataclass(frozen=True)
class Removed:
    """A pair that was removed: its line (from 1), the filter's reason, and what exactly was seen."""

    line: int
    reason: str
    detail: str


@dataclass(frozen=True)
class CleanReport:
    """What cleaning did. `kept_lines` are the lines (from 1) of the kept pairs in the original text."""

    original: Bitext
    kept: Bitext
    kept_lines: list[int]
    removed: list[Removed]
    counts: dict[str, int]  # reason → pairs removed, for every filter in its order, 0 included

    def as_dict(self) -> dict[str, object]:
        return {"pairs": len(self.original), "kept": len(self.kept), "removed": self.counts}

    def removed_rows(self) -> Iterator[str]:
        r"""Yield `line<TAB>reason<TAB>source<TAB>target` of every removed pair.

        A tab or backslash inside a sentence is written as `\t` or `\\`, so that there are always four fields.
        """
        for item in self.removed:
            source, target = self.original.source[item.line - 1], self.original.target[item.line - 1]
            yield f"{item.line}\t{item.reason}\t{_field(source)}\t{_field(target)}"


def clean(bitext: Bitext, filters: Sequence[Filter]) -> CleanReport:
    """Apply the filters to every pair in order; the first that objects gives the reason."""
    kept_lines: list[int] = []
    removed: list[Removed] = []
    counts = dict.fromkeys(_reasons(filters), 0)
    for line, objection in enumerate(_objections(bitext, filters), 1):
        if objection is None:
            kept_lines.append(line)
        else:
            removed.append(Removed(line, *objection))
            counts[objection[0]] += 1
    kept = Bitext(
        [bitext.source[line - 1] for line in kept_lines],
        [bitext.target[line - 1] for line in kept_lines],
        bitext.notes,
    )
    return CleanReport(bitext, kept, kept_lines, removed, counts)


def _reasons(filters: Sequence[Filter]) -> list[str]:
    reasons = [filter.reason for filter in filters]
    for reason in reasons:
        if reasons.count(reason) > 1:
            raise ConfigError(f"two filters give the same reason {reason!r}; they could not be told apart")
    return reasons


def _objections(pairs: Iterable[tuple[str, str]], filters: Sequence[Filter]) -> Iterator[tuple[str, str] | None]:
    """Yield for every pair the reason and detail of the first filter that objects, or None; in one pass."""
    checks = [(filter.reason, filter.checker()) for filter in filters]
    for source, target in pairs:
        for reason, check in checks:
            if (detail := check(source, target)) is not None:
                yield reason, detail
                break
        else:
            yield None


def _field(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t")
