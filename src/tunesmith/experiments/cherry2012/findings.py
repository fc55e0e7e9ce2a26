"""What Cherry and Foster (2012, sections 5 and 5.1) found, claim by claim, against the figures of these data.

A verdict is a rule over the tables and says why. Scores are averages of both tests and of the runs of a row. What
rests on a difference that is not significant, or within what runs of a row differ by, cannot be determined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tunesmith.experiments.cherry2012.results import ALPHA, CurvePoint, Pair, TunerResult
from tunesmith.experiments.cherry2012.rows import FEATURES
from tunesmith.experiments.findings import ABSENT, APPEARS, OPEN, Finding, MissingRowsError, judge
from tunesmith.experiments.repetitions import mean

NEAR = 0.2
"""Difference that counts as equal: in the paper, mr is always within 0.2 of batch lattice MIRA."""
DIRECT = ("pro", "mr", "svm")
ONLINE = "mira"
"""The paper's name of online MIRA."""


class Evidence(NamedTuple):
    """What findings are judged by.   sets: feature sets of the kind of model, the smallest first, Big last."""

    rows: Mapping[tuple[str, str], TunerResult]
    pairs: Sequence[Pair]
    curves: Mapping[str, Sequence[CurvePoint]]
    sets: Sequence[str]

    def average(self, tuner: str, features: str) -> float:
        """Return the mean score of a row on both tests; the finding cannot be judged where the row was not run."""
        _need(self, (tuner, features))
        return mean(self.rows[tuner, features].averages)

    def tuners(self, features: str) -> list[str]:
        return [tuner for tuner, of in self.rows if of == features and not self.rows[tuner, of].row.ours]

    def spread(self, features: str) -> float:
        """Return the largest SD of the rows with these features."""
        found = [each.deviation for (_, of), each in self.rows.items() if of == features]
        return max((each for each in found if each is not None), default=0.0)

    def gains(self, features: str) -> dict[str, float]:
        """Return gains of all tuners but MERT, above k-best MERT with the set before Big."""
        base = self.average("kb-mert", self.sets[-2])
        return {
            tuner: self.average(tuner, features) - base for tuner in self.tuners(features) if "mert" not in tuner
        }


def judge_findings(
    results: Sequence[TunerResult], pairs: Sequence[Pair], curves: Mapping[str, Sequence[CurvePoint]], kind: str
) -> list[Finding]:
    """Judge all findings of the paper, in its order."""
    rows = {(each.row.tuner, each.row.features): each for each in results}
    evidence = Evidence(rows, pairs, curves, [name for name in FEATURES[kind] if name != "overfit"])
    return judge(_RULES, evidence)


def _need(evidence: Evidence, *rows: tuple[str, str]) -> None:
    if missing := [
        f"{tuner} with {features}" for tuner, features in rows if (tuner, features) not in evidence.rows
    ]:
        raise MissingRowsError(", ".join(missing))


def _several(evidence: Evidence, features: str) -> list[str]:
    found = evidence.tuners(features)
    if len(found) < 3:
        raise MissingRowsError(f"three tuners with {features}")
    return found


def _compared(evidence: Evidence, features: str) -> dict[str, float]:
    """Return P of the tuners that are compared with k-best MERT."""
    known = {tuner: evidence.rows[tuner, features].baseline for tuner in evidence.tuners(features)}
    if not (found := {tuner: each.p for tuner, each in known.items() if each is not None}):
        raise MissingRowsError(f"tuners with {features} other than kb-mert")
    return found


def _small_alike(evidence: Evidence) -> tuple[str, str]:
    small = evidence.sets[0]
    _several(evidence, small)
    _need(evidence, ("kb-mert", small))
    scores = [evidence.average(tuner, small) for tuner in evidence.tuners(small)]
    least = min(_compared(evidence, small).values())
    why = f"{min(scores):.2f} to {max(scores):.2f}; the smallest p against kb-mert is {least:.3f}"
    return (ABSENT if least < ALPHA else APPEARS), why


def _mert_in_trouble(evidence: Evidence) -> tuple[str, str]:
    middle = evidence.sets[-2]
    _several(evidence, middle)
    _need(evidence, ("kb-mert", middle))
    gains, tests = evidence.gains(middle), _compared(evidence, middle)
    above = [tuner for tuner, gain in gains.items() if gain > 0]
    sure = [tuner for tuner in above if tests[tuner] < ALPHA]
    why = f"{len(above)} of {len(gains)} tuners are above kb-mert, {len(sure)} significantly"
    if 2 * len(above) <= len(gains):
        return ABSENT, why
    return (APPEARS if sure else OPEN), why


def _lattice_mert(evidence: Evidence) -> tuple[str, str]:
    wanted = ("lb-mert", evidence.sets[-2])
    pair = next((each for each in evidence.pairs if (each.lattice.row.tuner, each.lattice.row.features) == wanted),
                None)  # fmt: skip
    if pair is None:
        raise MissingRowsError(f"kb-mert and lb-mert with {wanted[1]}")
    gain = mean(pair.lattice.averages) - mean(pair.lists.averages)
    spread = [each.deviation for each in (pair.lists, pair.lattice)]
    told = "" if None in spread else f", SD {spread[0]:.2f} → {spread[1]:.2f}"
    why = f"{gain:+.2f} (p {pair.compared.p:.3f}){told}"
    if not pair.compared.significant:
        return OPEN, why
    return (APPEARS if gain > 0 else ABSENT), why


def _big_gains(evidence: Evidence) -> tuple[str, str]:
    big = evidence.sets[-1]
    _several(evidence, big)
    _need(evidence, ("kb-mert", evidence.sets[-2]))
    gains, tests = evidence.gains(big), _compared(evidence, big)
    why = f"{mean(list(gains.values())):+.2f} on average, {min(gains.values()):+.2f} to {max(gains.values()):+.2f}"
    if mean(list(gains.values())) <= 0:
        return ABSENT, why
    sure = [tuner for tuner, gain in gains.items() if gain > 0 and tests[tuner] < ALPHA]
    return (APPEARS if sure else OPEN), f"{why}; {len(sure)} of them significant"


def _medium_has_it(evidence: Evidence) -> tuple[str, str]:
    middle, big = evidence.sets[-2:]
    _several(evidence, big)
    _need(evidence, ("kb-mert", middle), *((tuner, middle) for tuner in evidence.gains(big)))
    of_middle, of_big = (mean(list(evidence.gains(each).values())) for each in (middle, big))
    why = f"{of_middle:+.2f} with {middle}, {of_big:+.2f} with {big}"
    if of_big <= 0 and of_middle <= 0:
        return ABSENT, f"{why}: there is no gain"
    return (APPEARS if of_middle >= of_big / 2 else ABSENT), why


def _best(tuner: str, features: str, evidence: Evidence) -> tuple[str, str]:
    _several(evidence, features)
    _need(evidence, (tuner, features))
    scores = {each: evidence.average(each, features) for each in evidence.tuners(features)}
    best = max(scores, key=lambda each: scores[each])
    behind = scores[best] - scores[tuner]
    why = f"best is {best}" + ("" if best == tuner else f", {behind:.2f} above {tuner}")
    if best == tuner:
        return APPEARS, why
    return (OPEN if behind <= evidence.spread(features) else ABSENT), why


def _lattice_mira_medium(evidence: Evidence) -> tuple[str, str]:
    return _best("lb-mira", evidence.sets[-2], evidence)


def _lattice_mira_big(evidence: Evidence) -> tuple[str, str]:
    return _best("lb-mira", evidence.sets[-1], evidence)


def _svm_big(evidence: Evidence) -> tuple[str, str]:
    return _best("svm", evidence.sets[-1], evidence)


def _mira_alike(evidence: Evidence) -> tuple[str, str]:
    found = [each for each in evidence.pairs if each.lattice.row.tuner == "lb-mira"]
    if not found:
        raise MissingRowsError("kb-mira and lb-mira with the same features")
    sure = [each.lattice.row.features for each in found if each.compared.significant]
    least = min(each.compared.p for each in found)
    online = any(tuner == ONLINE for tuner, _ in evidence.rows)
    why = f"of lattices against lists the smallest p is {least:.3f}" + (
        "" if online else "; online MIRA was not run"
    )
    return (ABSENT if sure else APPEARS), why


def _online(evidence: Evidence) -> tuple[str, str]:
    _need(evidence, *((ONLINE, each) for each in evidence.sets))
    below = {each: evidence.average("kb-mira", each) - evidence.average(ONLINE, each) for each in evidence.sets}
    why = ", ".join(f"{each} {gain:+.2f}" for each, gain in below.items())
    if all(gain >= 0 for gain in below.values()):
        return APPEARS, why
    within = all(gain >= -evidence.spread(each) for each, gain in below.items())
    return (OPEN if within else ABSENT), why


def _mr_consistent(evidence: Evidence) -> tuple[str, str]:
    _need(evidence, *((tuner, each) for each in evidence.sets for tuner in ("lb-mira", *DIRECT)))
    best = {each: evidence.average("lb-mira", each) for each in evidence.sets}
    below = {tuner: max(best[each] - evidence.average(tuner, each) for each in best) for tuner in DIRECT}
    why = "most below lb-mira: " + ", ".join(f"{tuner} {most:.2f}" for tuner, most in below.items())
    if below["mr"] == min(below.values()):
        return (APPEARS if below["mr"] <= NEAR else OPEN), why
    return ABSENT, why


def _tune_range(points: Sequence[CurvePoint]) -> float:
    scores = [point.scores["tune"] for point in points]
    return max(scores) - min(scores)


def _figure(evidence: Evidence) -> tuple[Sequence[CurvePoint], dict[str, Sequence[CurvePoint]]]:
    curves = {points[0].row.tuner: points for points in evidence.curves.values() if len(points) > 1}
    mira = curves.get("lb-mira")
    others = {tuner: points for tuner, points in curves.items() if tuner in ("mr", "svm")}
    if mira is None or not others:
        raise MissingRowsError("figure-lb-mira and figure-mr or figure-svm")
    return mira, others


def _control(evidence: Evidence) -> tuple[str, str]:
    mira, others = _figure(evidence)
    ranges = {tuner: _tune_range(points) for tuner, points in others.items()}
    told = ", ".join(f"{tuner} {each:.1f}" for tuner, each in ranges.items())
    why = f"range of tune: {told}, lb-mira {_tune_range(mira):.1f}"
    return (APPEARS if min(ranges.values()) > _tune_range(mira) else ABSENT), why


def _about_right(evidence: Evidence) -> tuple[str, str]:
    mira, others = _figure(evidence)

    def both(point: CurvePoint) -> float:
        return mean([point.scores["test"], point.scores["devtest"]])

    best = max(both(point) for points in others.values() for point in points)
    scores = [both(point) for point in mira]
    why = f"tests of lb-mira {min(scores):.2f} to {max(scores):.2f}, best of the others {best:.2f}"
    if min(scores) >= best - NEAR:
        return APPEARS, why
    return (OPEN if max(scores) >= best - NEAR else ABSENT), why


_RULES: Sequence[tuple[str, Callable[[Evidence], tuple[str, str]]]] = (
    ("With Small features the tuners are mostly indistinguishable", _small_alike),
    ("MERT begins to show problems with the 18 features of Medium", _mert_in_trouble),
    ("Lattice MERT mitigates them", _lattice_mert),
    ("With Big the others are above k-best MERT with Medium (by 0.4)", _big_gains),
    ("Most of that gain is there with Medium", _medium_has_it),
    ("Batch lattice MIRA is best with Medium", _lattice_mira_medium),
    ("Batch lattice MIRA is best with Big (two of three pairs)", _lattice_mira_big),
    ("All MIRA variants perform similarly", _mira_alike),
    ("Batch MIRA is at least as good as online MIRA", _online),
    ("Of the direct optimisers mr is the most consistent, within 0.2 of lattice MIRA", _mr_consistent),
    ("svm is best with Big on Chinese, an outlier", _svm_big),
    ("A penalty has more control over the tuning score than the step cap of MIRA (Figure 1)", _control),
    ("The narrow band of MIRA is about right on test (Figure 1)", _about_right),
)
