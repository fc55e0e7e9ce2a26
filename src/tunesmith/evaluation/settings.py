"""Settings of intervals and tests. No NumPy here: the command line reads its defaults from this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from tunesmith.checks import at_least, between, one_of
from tunesmith.signature import Fields, Signature

Correction = Literal["none", "holm", "bonferroni"]


@dataclass(frozen=True)
class Resampling:
    """Settings of intervals and of the two paired tests.

    samples: bootstrap resamples (0: no interval and no bootstrap test).
    level: of the interval; a p-value below 1 - level is called significant.
    trials: of approximate randomisation (0: no such test).
    correction: of p-values when several systems are compared with one base.
    """

    samples: int = 1000
    level: float = 0.95
    trials: int = 10000
    correction: Correction = "none"
    seed: int = 1

    def __post_init__(self) -> None:
        at_least(0, samples=self.samples, trials=self.trials, seed=self.seed)
        between(0, 1, **{"confidence level": self.level})
        one_of(get_args(Correction), correction=self.correction)

    @property
    def alpha(self) -> float:
        """A p-value below this is called significant."""
        return round(1 - self.level, 12)  # 0.05, not 0.050000000000000044

    def of_interval(self, signature: Signature) -> Signature:
        """Extend the signature of a score with its interval."""
        if not self.samples:
            return signature
        return signature.extended(ci=self._interval(), seed=self.seed)

    def of_comparison(self, signature: Signature, comparisons: int) -> Signature:
        """Extend the signature of a table with intervals and p-values of this number of comparisons."""
        if self.samples:
            signature = signature.extended(ci=self._interval())
            signature = signature.extended(pbs={"method": "bootstrap", "n": self.samples})
        if self.trials:
            signature = signature.extended(par={"method": "randomization", "n": self.trials})
        if self.correction != "none":
            signature = signature.extended(correction={"method": self.correction, "n": comparisons})
        return signature.extended(seed=self.seed) if self.samples or self.trials else signature

    def _interval(self) -> Fields:
        return {"method": "bootstrap", "n": self.samples, "level": self.level}
