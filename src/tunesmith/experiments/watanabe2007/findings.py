"""Findings of Watanabe et al. (2007, sections 5 and 6), claim by claim, compared with the figures on these data.

A claim appears or does not appear if its differences are significant (both tests below 0.05); otherwise it cannot
be determined. Open data is devtest, and the other fold for Table 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tunesmith.experiments.findings import ABSENT, APPEARS, OPEN, Finding, MissingRowsError, judge
from tunesmith.experiments.watanabe2007.results import ALPHA, Comparison, RowResult, p_of

SIMILAR = 1.0
"""Points of BLEU; closed and open test of MERT differ by 0.35 in the paper."""


class Evidence(NamedTuple):
    """Data for judging findings."""

    rows: Mapping[str, RowResult]
    comparison: Comparison

    def need(self, *names: str) -> None:
        if missing := [name for name in names if name not in self.rows]:
            raise MissingRowsError(", ".join(missing))

    def gain(self, name: str, base: str, data: str) -> tuple[float, bool, str]:
        """Return the difference of BLEU, whether it is significant, and both as text."""
        self.need(name, base)
        found = self.comparison.difference(name, base, data)
        return found.score, p_of(found) < ALPHA, f"{data} {found.score:+.2f} (p {p_of(found):.3f})"


Rule = Callable[[Evidence], tuple[str, str]]


def _verdict(*parts: tuple[bool, bool]) -> str:
    """Judge pairs (as claimed, significant): all must hold, and a significant counterexample refutes."""
    if any(not right and sure for right, sure in parts):
        return ABSENT
    return APPEARS if all(right and sure for right, sure in parts) else OPEN


def _above(name: str, base: str, data: str = "devtest") -> Rule:
    def rule(evidence: Evidence) -> tuple[str, str]:
        gain, sure, why = evidence.gain(name, base, data)
        return _verdict((gain > 0, sure)), f"{name} against {base}: {why}"

    return rule


def _overfits(name: str, base: str) -> Rule:
    """Return a rule for rows that are better where they were tuned and worse elsewhere."""

    def rule(evidence: Evidence) -> tuple[str, str]:
        closed, sure_closed, why_closed = evidence.gain(name, base, "dev")
        opened, sure_open, why_open = evidence.gain(name, base, "devtest")
        verdict = _verdict((closed > 0, sure_closed), (opened < 0, sure_open))
        return verdict, f"{name} against {base}: {why_closed}, {why_open}"

    return rule


def _worst_margins(evidence: Evidence) -> tuple[str, str]:
    name, others = "10-oracle-1-best", ("1-oracle-1-best", "1-oracle-10-best", "all")
    gains = [evidence.gain(name, other, "devtest") for other in others]
    why = "; ".join(f"against {other}: {each[2]}" for other, each in zip(others, gains, strict=True))
    return _verdict(*((gain < 0, sure) for gain, sure, _ in gains)), why


def _fewer_active(evidence: Evidence) -> tuple[str, str]:
    names = ("10-oracle-1-best", "1-oracle-1-best", "1-oracle-10-best", "all")
    evidence.need(*names)
    active = {name: evidence.rows[name].active for name in names}
    why = ", ".join(f"{name} {count:.0f}" for name, count in active.items())
    return (APPEARS if active[names[0]] == min(active.values()) else ABSENT), why


def _mert_similar(evidence: Evidence) -> tuple[str, str]:
    evidence.need("folds-mert")
    found = evidence.rows["folds-mert"]
    apart = found.closed["BLEU"].mean - found.open["BLEU"].mean
    why = f"closed {found.closed['BLEU'].mean:.2f}, open {found.open['BLEU'].mean:.2f}"
    return (APPEARS if abs(apart) < SIMILAR else ABSENT), why


def _case(evidence: Evidence) -> tuple[str, str]:
    return OPEN, "the data are lower-cased"


_RULES: Sequence[tuple[str, Rule]] = (
    ("Prefix and suffix forms over-fit: best on dev, worse than surface forms elsewhere (Table 1)",
     _overfits("prefix-suffix", "surface")),
    ("Word classes avoid over-fitting: above surface forms on open data (Table 1)", _above("class", "surface")),
    ("Masked digits generalise likewise (Table 1)", _above("digits", "surface")),
    ("All token types are better than surface forms on open data (Table 1)", _above("all", "surface")),
    ("Target bigrams over-fit (Table 2)", _overfits("target-bigram", "word-pairs")),
    ("Insertion features resolve it (Table 2)", _above("insertion", "target-bigram")),
    ("Hierarchical features are somewhat effective, on one of two tests (Table 2)", _above("all", "insertion")),
    ("1-oracle 1-best is significantly above the baseline (Table 3)", _above("1-oracle-1-best", "mert")),
    ("More rivals fit dev better, at the cost of open data (Table 3)",
     _overfits("1-oracle-10-best", "1-oracle-1-best")),
    ("10-oracle 1-best is worst (Table 3)", _worst_margins),
    ("It has the fewest active features (Table 3)", _fewer_active),
    ("10-oracle 10-best is significantly above the baseline (Table 3)", _above("all", "mert")),
    ("Gains by document are better than by sentence (Table 3)", _above("all", "sentence-bleu")),
    ("MERT does alike in closed and open test (Table 4)", _mert_similar),
    ("Online training is significantly above MERT in the open test (Table 4)",
     _above("folds-online", "folds-mert", "open")),
    ("Scores with case", _case),
)  # fmt: skip


def judge_findings(rows: Mapping[str, RowResult], comparison: Comparison) -> list[Finding]:
    """Return all findings of the paper, in its order."""
    return judge(_RULES, Evidence(rows, comparison))
