"""Options of verbs that decode search graphs by minimum Bayes risk."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.declaring import option

if TYPE_CHECKING:
    from tunesmith.search.graphs.graph_bayes_risk import GraphBayesRisk

MBR = "Minimum Bayes risk"


class Evidence(str, Enum):
    """What is known of an n-gram."""

    expected = "expected"
    once = "once"


@dataclass(frozen=True)
class MbrSettings:
    """How derivations are weighed, and what n-grams that they share are worth; see `GraphBayesRisk`."""

    mbr_scale: Annotated[float, option(
        "--mbr-scale X", "How sharp the distribution over translations is; 0 makes all equal.", MBR, min=0.0
    )] = 1.0  # fmt: skip
    mbr_precision: Annotated[float, option(
        "--mbr-precision P", "Precision of single words, as the translations have it.", MBR
    )] = 0.8  # fmt: skip
    mbr_ratio: Annotated[float, option(
        "--mbr-ratio R", "Factor of the precision for each further word of an n-gram.", MBR
    )] = 0.6  # fmt: skip
    mbr_evidence: Annotated[Evidence, option(
        "--mbr-evidence NAME", "What counts of n-grams: the expected number, or the probability to occur.", MBR
    )] = Evidence.expected  # fmt: skip
    mbr_density: Annotated[float, option(
        "--mbr-density N", "Edges per word of the best translation that graphs are pruned to.", MBR
    )] = 50.0  # fmt: skip

    def risk(self) -> GraphBayesRisk:
        """Return the settings, checked."""
        from tunesmith.search.graphs.graph_bayes_risk import GraphBayesRisk

        return GraphBayesRisk(
            scale=self.mbr_scale,
            precision=self.mbr_precision,
            ratio=self.mbr_ratio,
            evidence=self.mbr_evidence.value,
            density=self.mbr_density,
        )
