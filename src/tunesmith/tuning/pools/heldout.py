"""Weights judged on lists or graphs that they were not tuned on, by the tuned metric and by others.

Tuning towards a metric inflates it; whether the translations are better is seen on other sentences and with other
metrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tunesmith.errors import ConfigError
from tunesmith.io.documents import read_document, write_document
from tunesmith.metrics import Metric
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.pools.base import References
from tunesmith.tuning.pools.graphs import GraphPool
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.weights import Weights


@dataclass(frozen=True)
class Judged:
    """One metric on one data set, under the start weights and under the tuned ones."""

    data: str
    metric: str
    start: float
    score: float
    higher_is_better: bool = True

    @property
    def worse(self) -> bool:
        """Whether the tuned weights are worse than the start weights."""
        return self.score < self.start if self.higher_is_better else self.score > self.start


def judge_graphs(
    data: str,
    graphs: GraphPool,
    references: References,
    metrics: Sequence[Metric],
    start: Weights,
    tuned: Weights,
    *,
    threads: int = 1,
) -> list[Judged]:
    """Return what both weights choose from these graphs, by every metric.

    Features without a weight weigh nothing.
    """
    vectors = [graphs.features.vector(each)[0] for each in (start, tuned)]
    found = []
    for metric in metrics:
        pool = graphs.measured(metric.prepare_for(references, None), source=data, first=0)
        before, after = (pool.best(vector, threads=threads).score(metric) for vector in vectors)
        found.append(Judged(data, metric.label, before, after, metric.higher_is_better))
    return found


def write_judged(path: Path, judged: Sequence[Judged]) -> None:
    write_document(path, [asdict(each) for each in judged])


def read_judged(path: Path) -> list[Judged]:
    """Return what `write_judged` wrote; FormatError for anything else."""
    return read_document(path, list[Judged], "judge the run again: tunesmith tune … --heldout")


def judge(
    data: str,
    candidates: CandidateSet,
    references: References | None,
    metrics: Sequence[Metric],
    start: Weights,
    tuned: Weights,
    *,
    sources: Sequence[str] | None = None,
    threads: int = 1,
) -> list[Judged]:
    """Return what both weights choose from these lists, by every metric. Features without a weight weigh nothing.

    references: None where the lists carry statistics, which must then be those of the only metric.
    """
    vectors = [candidates.features.vector(each)[0] for each in (start, tuned)]
    found = []
    for metric in metrics:
        scored = candidates
        if references is not None:
            if len(references) != candidates.sentences:
                raise ConfigError(
                    f"the lists of {data} have {candidates.sentences} sentences and there are references for "
                    f"{len(references)}; give the references of the same sentences in the same order"
                )
            scored = candidates.with_statistics(metric.prepare_for(references, sources), threads=threads)
        elif scored.statistics is None or scored.statistics.shape[1] != metric.width:
            raise ConfigError(f"{data}: {metric.label} needs references")
        pool = ListPool(scored)
        before, after = (pool.best(vector, threads=threads).score(metric) for vector in vectors)
        found.append(Judged(data, metric.label, before, after, metric.higher_is_better))
    return found
