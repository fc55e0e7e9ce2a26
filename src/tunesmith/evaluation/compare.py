"""Several systems against a base: differences, intervals, p-values of both paired tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from tunesmith.errors import ConfigError
from tunesmith.evaluation.bootstrap import (
    Interval,
    PairedBootstrap,
    bootstrap_scores,
    check_pair,
    interval_of,
    paired_of,
)
from tunesmith.evaluation.correction import corrected
from tunesmith.evaluation.randomization import Randomization, approximate_randomization
from tunesmith.evaluation.settings import Resampling
from tunesmith.metrics.base import Floats, Metric
from tunesmith.signature import Signature


@dataclass(frozen=True)
class PairedTests:
    """A system against the base. `p_bootstrap` and `p_randomization` are corrected if that was asked for."""

    difference: float
    better: bool
    bootstrap: PairedBootstrap | None
    randomization: Randomization | None
    p_bootstrap: float | None
    p_randomization: float | None
    alpha: float

    @property
    def significant_bootstrap(self) -> bool:
        """Whether the p-value is below the level, after correction."""
        return self.p_bootstrap is not None and self.p_bootstrap < self.alpha

    @property
    def significant_randomization(self) -> bool:
        """Whether the p-value is below the level, after correction."""
        return self.p_randomization is not None and self.p_randomization < self.alpha

    def as_dict(self) -> dict[str, object]:
        """Return the values of JSON output. Inside `bootstrap` and `randomization` are the uncorrected values."""
        return {
            "difference": self.difference,
            "better": self.better,
            "p_bootstrap": self.p_bootstrap,
            "p_randomization": self.p_randomization,
            "significant_bootstrap": self.significant_bootstrap,
            "significant_randomization": self.significant_randomization,
            "bootstrap": None if self.bootstrap is None else asdict(self.bootstrap),
            "randomization": None if self.randomization is None else asdict(self.randomization),
        }


@dataclass(frozen=True)
class SystemResult:
    """A row of the table; `tests` is None for the base."""

    name: str
    score: float
    interval: Interval | None
    tests: PairedTests | None

    def as_dict(self) -> dict[str, object]:
        return {
            "system": self.name,
            "score": self.score,
            "interval": None if self.interval is None else self.interval.as_dict(),
            "tests": None if self.tests is None else self.tests.as_dict(),
        }


@dataclass(frozen=True)
class Comparison:
    """The table of one metric; the base comes first."""

    systems: tuple[SystemResult, ...]
    higher_is_better: bool
    resampling: Resampling
    signature: Signature

    def as_dict(self) -> dict[str, object]:
        return {
            "higher_is_better": self.higher_is_better,
            "systems": [system.as_dict() for system in self.systems],
            "alpha": self.resampling.alpha,
            "correction": self.resampling.correction,
            "signature": self.signature.as_dict(),
        }


def compare(
    metric: Metric, systems: Mapping[str, Floats], signature: Signature, resampling: Resampling | None = None
) -> Comparison:
    """Compare each system with the first one; values are rows of statistics of the same sentences.

    Corrections are over the systems, for each metric and test on its own.
    """
    settings = resampling or Resampling()
    if len(systems) < 2:
        raise ConfigError(f"{len(systems)} systems: a comparison needs a base and at least one more")
    (base_name, base_rows), *others = systems.items()
    for _, rows in others:
        check_pair(base_rows, rows)
    scores = {name: float(metric.score(rows.sum(axis=0))) for name, rows in systems.items()}
    resampled = {
        name: bootstrap_scores(metric, rows, settings.samples, settings.seed)
        for name, rows in systems.items()
        if settings.samples
    }
    bootstraps = [
        paired_of(metric, scores[name] - scores[base_name], resampled[base_name], resampled[name])
        for name, _ in others
        if settings.samples
    ]
    randomizations = [
        approximate_randomization(metric, base_rows, rows, settings.trials, settings.seed)
        for _, rows in others
        if settings.trials
    ]
    p_bootstrap = corrected([test.p_value for test in bootstraps], settings.correction)
    p_randomization = corrected([test.p_value for test in randomizations], settings.correction)

    def result(name: str, tests: PairedTests | None) -> SystemResult:
        interval = interval_of(resampled[name], settings.level) if settings.samples else None
        return SystemResult(name, scores[name], interval, tests)

    def tests_of(at: int, name: str) -> PairedTests:
        difference = scores[name] - scores[base_name]
        return PairedTests(
            difference=difference,
            better=difference > 0 if metric.higher_is_better else difference < 0,
            bootstrap=bootstraps[at] if bootstraps else None,
            randomization=randomizations[at] if randomizations else None,
            p_bootstrap=p_bootstrap[at] if bootstraps else None,
            p_randomization=p_randomization[at] if randomizations else None,
            alpha=settings.alpha,
        )

    return Comparison(
        systems=(
            result(base_name, None),
            *(result(name, tests_of(at, name)) for at, (name, _) in enumerate(others)),
        ),
        higher_is_better=metric.higher_is_better,
        resampling=settings,
        signature=settings.of_comparison(signature, len(others)),
    )
