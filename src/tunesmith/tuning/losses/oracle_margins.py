"""Margins between oracles that are kept and the best translations of the moment (Watanabe et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from tunesmith import _core
from tunesmith.checks import at_least, one_of, within
from tunesmith.errors import ConfigError
from tunesmith.metrics.base import Metric
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.losses.base import Loss, losses
from tunesmith.tuning.losses.documents import Documents, numbers_of, read_documents
from tunesmith.tuning.objectives import Floats
from tunesmith.tuning.pools.base import Listed
from tunesmith.tuning.pools.gains import statistics_of


@losses.register("oracle_margins")
@dataclass(frozen=True)
class OracleMargins(Loss[Listed, "Margins"]):
    """Every oracle should score above each rival by the difference of their gains.

    Oracles are the best translations that were ever seen of a sentence.

    oracles: how many are kept of each sentence (m).
    rivals: how many translations they should be above (k); not the length of lists.
    oracle: what those kept are best by: score and gain together (`model+gain`, the hope of `HopeFear`), so that
        margins are asked of translations that the model can come to prefer; or the `gain` alone, as printed.
    rival: what margins are asked against: the highest scores without their gain (`model-gain`, the fear of
        `HopeFear`), or the highest scores of the `model`, as printed.
    gain: BLEU of the `document` with the translation in place of the sentence's oracle (section 4.2), or BLEU+1 of
        the `sentence` alone (their Table 3).
    document: lines of a document, the last one perhaps shorter; or `Documents`, typed as a file with a line for
        each sentence, the name of its document; None where all sentences are one.
    scale: gains are multiplied by the `reference` words of the document, so that one sentence counts alike in
        small and large ones, or taken as they are (`none`).
    """

    pool: ClassVar[type] = Listed

    oracles: int = 10
    rivals: int = 10
    oracle: Literal["model+gain", "gain"] = "model+gain"
    rival: Literal["model-gain", "model"] = "model-gain"
    gain: Literal["document", "sentence"] = "document"
    document: int | Documents | None = field(default=None, metadata={"read": read_documents})
    scale: Literal["reference", "none"] = "reference"

    def __post_init__(self) -> None:
        within(1, 1000, oracles=self.oracles, rivals=self.rivals)
        if isinstance(self.document, int):
            at_least(1, document=self.document)
        one_of(("model+gain", "gain"), oracle=self.oracle)
        one_of(("model-gain", "model"), rival=self.rival)
        one_of(("document", "sentence"), gain=self.gain)
        one_of(("reference", "none"), scale=self.scale)

    @classmethod
    def plain(cls) -> OracleMargins:
        """Return the published algorithm."""
        return cls(oracle="gain", rival="model")

    @property
    def objective(self) -> type[Margins]:
        return Margins

    def prepare(self, pool: Listed, metric: Metric, seed: int) -> Margins:
        if metric.bleu_smoothing is None:
            raise ConfigError(
                f"OracleMargins is for metrics that are like BLEU, {metric.label} is not; take mixed-mira"
            )
        numbers_of(self.document, pool.sentences)
        return Margins(pool.candidates, statistics_of(pool.candidates, metric).astype(np.float64), self)


@dataclass(frozen=True, eq=False)
class Margins:
    """The objective of `OracleMargins` on lists: what their candidates are worth.

    statistics: a row for each candidate.
    """

    candidates: CandidateSet
    statistics: Floats
    settings: OracleMargins

    @property
    def columns(self) -> int:
        return self.candidates.columns

    @property
    def sentences(self) -> int:
        return self.candidates.sentences

    def gains(self, rows: Floats, rest: Floats) -> Floats:
        """Return what rows of statistics are worth.   rest: the sum over the oracles of the other sentences."""
        if self.settings.gain == "sentence":
            gains: Floats = _core.bleu_plus_one(np.ascontiguousarray(rows), False, False, False)
            words = rows[:, 1]
        else:
            documents = np.ascontiguousarray(rest + rows)
            gains, words = _core.bleu(documents, _core.Smoothing.none, 0.0, False), documents[:, 1]
        return gains * words if self.settings.scale == "reference" else gains
