"""Sentences whose translation changed for the better or the worse, as a report shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tunesmith.evaluation.pages import page as html
from tunesmith.tuning.runs.chosen import Chosen
from tunesmith.tuning.runs.documents import Sentence

_REFERENCES = 2
"""References that are shown; how many more there are is said."""


@dataclass(frozen=True)
class Change:
    """A sentence (counted from 0) before and after, with the score of each alone; derivations are texts."""

    sentence: int
    before: str
    after: str
    score_before: float
    score_after: float
    source: str | None = None
    references: tuple[str, ...] = ()
    derivations: tuple[str, str] | None = None

    def explained(self, before: str, after: str) -> Change:
        return replace(self, derivations=(before, after))

    def as_dict(self) -> dict[str, object]:
        """Return the fields for JSON; sentences are counted from 1, as lines are."""
        return {**vars(self), "sentence": self.sentence + 1}


@dataclass(frozen=True)
class Changes:
    """The largest gains and losses, and how many sentences changed at all.

    data, names: what was translated, and what the two systems are called.
    """

    gains: Sequence[Change]
    losses: Sequence[Change]
    changed: int
    better: int
    worse: int
    total: int
    data: str = "dev"
    names: tuple[str, str] = ("start", "tuned")

    def as_dict(self) -> dict[str, object]:
        shown = {key: [each.as_dict() for each in getattr(self, key)] for key in ("gains", "losses")}
        return {**vars(self), **shown}


def largest_changes(
    before: Chosen,
    after: Chosen,
    sentences: Sequence[Sentence] | None = None,
    *,
    higher_is_better: bool = True,
    limit: int = 5,
    data: str = "dev",
    names: tuple[str, str] = ("start", "tuned"),
) -> Changes | None:
    """Return the sentences whose score changed most; None for translations of different sentences."""
    if len(before) != len(after) or (sentences is not None and len(sentences) != len(after)):
        return None
    gain = (after.scores - before.scores) * (1 if higher_is_better else -1)
    different = np.array([a != b for a, b in zip(before.texts, after.texts, strict=True)], dtype=bool)
    gain = np.where(different & np.isfinite(gain), gain, 0.0)

    def change(at: int) -> Change:
        known = Sentence(None, ()) if sentences is None else sentences[at]
        texts = before.texts[at] or "", after.texts[at] or ""
        scores = float(before.scores[at]), float(after.scores[at])
        return Change(at, *texts, *scores, known.source, _real(known.references))

    order = np.argsort(-gain, kind="stable")
    gains = [change(at) for at in order[:limit].tolist() if gain[at] > 0]
    losses = [change(at) for at in order[::-1][:limit].tolist() if gain[at] < 0]
    counts = [int(np.count_nonzero(each)) for each in (different, gain > 0, gain < 0)]
    return Changes(gains, losses, counts[0], counts[1], counts[2], len(after), data, names)


def _real(references: Sequence[str]) -> tuple[str, ...]:
    """Return the references without padding: files of several are padded with repetitions or empty lines."""
    return tuple(dict.fromkeys(text for text in references if text.strip())) or tuple(references[:1])


def changes_section(found: Changes, digits: int = 1) -> list[str]:
    told = (
        f"{found.changed} of {found.total} sentences of {found.data} are translated differently by "
        f"{found.names[1]} than by {found.names[0]}: {found.better} better, {found.worse} worse, "
        "by the score of each alone."
    )
    parts = [html.paragraph(told)]
    for title, kind, changes in (("Largest gains", "good", found.gains), ("Largest losses", "bad", found.losses)):
        parts.append(f"<h3>{html.escape(title)}</h3>")
        parts += [_sentence(each, found.names, kind, digits) for each in changes]
        if not changes:
            parts.append(html.missing("none"))
    return parts


def _sentence(change: Change, names: tuple[str, str], kind: str, digits: int) -> str:
    before, after = html.word_changes(change.before, change.after)
    rows = [] if change.source is None else [("source", html.escape(change.source))]
    rows += [("reference", html.escape(text)) for text in change.references[:_REFERENCES]]
    if len(change.references) > _REFERENCES:
        more = len(change.references) - _REFERENCES
        told = f"and {more} more reference{'s' if more > 1 else ''}"
        rows.append(("", f'<span class="small">{told}</span>'))
    rows += [(names[0], before), (names[1], after)]
    shown = "".join(f"<dt>{html.escape(name)}</dt><dd>{text}</dd>" for name, text in rows)
    scores = f"{change.score_before:.{digits}f} → {change.score_after:.{digits}f}"
    derivations = ""
    if change.derivations is not None:
        inside = "".join(
            f"<h3>{html.escape(name)}</h3>{html.preformatted(text)}"
            for name, text in zip(names, change.derivations, strict=True)
        )
        derivations = html.folded("derivations", inside)
    return (
        f'<div class="sentence"><p class="small">sentence {change.sentence + 1} · '
        f'<span class="{kind}">{scores}</span></p><dl>{shown}</dl>{derivations}</div>'
    )
