"""Findings of Green et al. (2014), claim by claim, compared with the figures on these data.

A verdict is a rule over the tables, with a reason. A claim that rests on a difference that is not significant by
approximate randomisation cannot be determined. The rules were written before any figure was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tunesmith.experiments.findings import ABSENT, APPEARS, OPEN, Finding, MissingRowsError, judge
from tunesmith.experiments.green2014.results import RowResult


class Evidence(NamedTuple):
    """Data for judging findings."""

    rows: Mapping[str, RowResult]
    clusterings: Mapping[str, Mapping[str, float]]
    variance: Mapping[str, Mapping[str, float]]

    def row(self, name: str) -> RowResult:
        if name not in self.rows:
            raise MissingRowsError(name)
        return self.rows[name]

    def compared(self, name: str, base: str) -> tuple[float, float, str]:
        """Return the difference on test, its p-value, and both as text."""
        found = self.row(name)
        self.row(base)
        difference, p = found.difference(base), found.p(base)
        assert difference is not None
        assert p is not None
        return difference, p, f"{name} {difference:+.2f} against {base} on test (p {p:.3f})"


def judge_findings(
    results: Sequence[RowResult],
    clusterings: Mapping[str, Mapping[str, float]],
    variance: Mapping[str, Mapping[str, float]],
) -> list[Finding]:
    evidence = Evidence({each.row.name: each for each in results}, clusterings, variance)
    return judge(_RULES, evidence)


def _above(name: str, base: str) -> Callable[[Evidence], tuple[str, str]]:
    def rule(evidence: Evidence) -> tuple[str, str]:
        difference, _, why = evidence.compared(name, base)
        if not evidence.row(name).significant(base):
            return OPEN, why
        return (APPEARS if difference > 0 else ABSENT), why

    return rule


def _above_by_dev(evidence: Evidence) -> tuple[str, str]:
    """EXT+FILT against DENSE, each by the recipe that dev prefers."""
    rows = evidence.rows.values()
    dense = [each for each in rows if each.row.is_dense]
    rich = [each for each in rows if each.row.is_rich]
    if len(dense) < 2 or len(rich) < 2:
        raise MissingRowsError("EXT+FILT and DENSE by several recipes")
    best, base = (max(each, key=lambda one: one.scores["dev"]).row.name for each in (rich, dense))
    return _above(best, base)(evidence)


def _matches(name: str, base: str) -> Callable[[Evidence], tuple[str, str]]:
    def rule(evidence: Evidence) -> tuple[str, str]:
        difference, _, why = evidence.compared(name, base)
        if evidence.row(name).significant(base) and difference < 0:
            return ABSENT, why
        return APPEARS, why

    return rule


def _domains_never_lose(evidence: Evidence) -> tuple[str, str]:
    difference, _, why = evidence.compared("ext-filt-dom", "ext-filt")
    own, other = (evidence.row(name).domains["test"] for name in ("ext-filt-dom", "ext-filt"))
    gains = {domain: own[domain] - other[domain] for domain in own}
    why += "; " + ", ".join(f"{domain} {gain:+.2f}" for domain, gain in gains.items())
    if difference >= 0 and min(gains.values()) >= 0:
        return APPEARS, why
    lost = evidence.row("ext-filt-dom").significant("ext-filt") and difference < 0
    return (ABSENT if lost else OPEN), why


def _larger_models(evidence: Evidence) -> tuple[str, str]:
    pro, own = evidence.row("pro"), evidence.row("ext-filt")
    return (APPEARS if pro.active > own.active else ABSENT), f"{pro.active} features against {own.active}"


def _slower(evidence: Evidence) -> tuple[str, str]:
    pro, own = evidence.row("pro"), evidence.row("ext-filt")
    return (APPEARS if pro.minutes > own.minutes else ABSENT), (
        f"{60 * pro.minutes:.0f} s an epoch against {60 * own.minutes:.0f} s"
    )


def _over_fits(evidence: Evidence) -> tuple[str, str]:
    pro, own = evidence.row("pro"), evidence.row("ext-filt")
    _, _, why = evidence.compared("pro", "ext-filt")
    tune = pro.scores["tune"] - own.scores["tune"]
    why = f"tune {tune:+.2f}; {why}"
    gains = pro.significant("ext-filt") and (pro.difference("ext-filt") or 0) > 0
    return (APPEARS if tune > 0 and not gains else ABSENT), why


def _cut_offs(evidence: Evidence) -> tuple[str, str]:
    tried = [each for name, each in evidence.rows.items() if name.startswith("cutoff-")]
    if not tried:
        raise MissingRowsError("a row with a frequency cut-off")
    best = max(tried, key=lambda each: each.scores["dev"])  # chosen as a user would, not on test
    difference, _, why = evidence.compared(best.row.name, "ext-filt")
    if not best.significant("ext-filt"):
        return OPEN, f"{why}, {best.active} features against {evidence.row('ext-filt').active}"
    return (APPEARS if difference < 0 else ABSENT), why


def _one_reference(evidence: Evidence) -> tuple[str, str]:
    dense, _, first = evidence.compared("dense-1ref", "dense")
    rich, _, second = evidence.compared("ext-filt-1ref", "ext-filt")
    why = f"{first}; {second}"
    lost = evidence.row("ext-filt-1ref").significant("ext-filt") and rich < 0
    if lost and rich < dense:
        return APPEARS, why
    return (OPEN if rich < dense else ABSENT), why


def _variance(evidence: Evidence) -> tuple[str, str]:
    if not evidence.variance:
        raise MissingRowsError("dense with several references")
    plain, extended = evidence.variance["BLEU+1"], evidence.variance["with extensions"]
    why = f"M {plain['mean']:.1f}, SD {plain['deviation']:.1f}; with extensions M {extended['mean']:.1f}"
    return (APPEARS if plain["mean"] > plain["deviation"] else ABSENT), why


def _extensions(evidence: Evidence) -> tuple[str, str]:
    _, why = _variance(evidence)
    lower = evidence.variance["with extensions"]["mean"] < evidence.variance["BLEU+1"]["mean"]
    return (APPEARS if lower else ABSENT), why


def _vocabulary(evidence: Evidence) -> tuple[str, str]:
    if not evidence.clusterings:
        raise MissingRowsError("word classes")
    reduced, full = evidence.clusterings["target reduced"], evidence.clusterings["target full"]
    why = f"{reduced['seconds']:.2f} against {full['seconds']:.2f} s of processor time, "
    why += f"{reduced['words']:.0f} against {full['words']:.0f} words"
    return (APPEARS if reduced["seconds"] < full["seconds"] else ABSENT), why


_RULES: Sequence[tuple[str, Callable[[Evidence], tuple[str, str]]]] = (
    ("EXT+FILT is significantly above DENSE (Table 4)", _above("ext-filt", "dense")),
    ("The same with the recipes that dev chooses (ours)", _above_by_dev),
    ("SPARSE is significantly above DENSE (Table 4)", _above("sparse", "dense")),
    ("EXT alone matches SPARSE (Table 4)", _matches("ext", "sparse")),
    ("EXT+FILT is above SPARSE (Table 4)", _above("ext-filt", "sparse")),
    ("EXT+FILT+DOM is significantly above SPARSE (Table 4)", _above("ext-filt-dom", "sparse")),
    ("With domain features accuracy never decreases (Tables 4 and 5)", _domains_never_lose),
    ("PRO selects larger models than expected BLEU (Table 6a)", _larger_models),
    ("An epoch of PRO takes longer (Table 6a)", _slower),
    ("PRO over-fits: higher on tune, no gain on test (Table 6a)", _over_fits),
    ("L1 is better than frequency cut-offs (Table 6b)", _cut_offs),
    ("One reference costs EXT+FILT more than DENSE (Table 6c)", _one_reference),
    ("References differ: the mean of max - min BLEU+1 is above its SD (Figure 1)", _variance),
    ("Extensions of BLEU+1 lower that variance (section 6.2)", _extensions),
    ("Fewer words, by digits and rare words, are clustered faster (Table 1)", _vocabulary),
)
