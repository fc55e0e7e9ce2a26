"""OSCAR in shards: how near the minimum, whether groups are those of one machine, and time on workers.

Ranked pairs of 100-best lists of the first zh-en training sentences, decoded with MODEL (a directory of `tunesmith
train` with the feature template id). Every learner runs to its end here. A short version of each also runs on 1, 2
and 4 worker processes of this machine, with the same shards: the weights have the same bytes (checked), the time
differs.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import measure
import numpy as np
from training_pairs import training_pairs

from tunesmith.evaluation.partitions import adjusted_rand_index
from tunesmith.execution.cluster import open_cluster, read_place
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.optimizers import Consensus, Fobos, Optimizer, OptimizerState, ParameterMixing, ShardedFobos
from tunesmith.tuning.optimizers.batch_oscar import BatchOscar
from tunesmith.tuning.regularizers import Oscar

SHARDS = 8


class Given:
    """An objective of these pairs."""

    def __init__(self, data: Differences) -> None:
        self.data, self.columns = data, data.columns

    def pairs(self, columns: Any, *, threads: int = 1) -> Differences:
        return self.data


def learners(passes: int) -> dict[str, Optimizer[Any, Any]]:
    """What is compared; the first gives the bound that all are measured by."""
    return {
        "batch OSCAR (exact sums)": BatchOscar(tolerance=1e-3, iterations=1000),
        "online OSCAR, one machine": Fobos(passes=passes),
        "mini-batches, dual averaging": ShardedFobos(shards=SHARDS, batch=64, passes=passes, rate=16),
        "mini-batches, FOBOS": ShardedFobos(shards=SHARDS, batch=64, passes=passes, dual_averaging=False),
        "consensus (ADMM)": Consensus(shards=SHARDS, tolerance=1e-3, rounds=300, passes=10),
        "parameter mixing": ParameterMixing(shards=SHARDS, passes=passes),
    }


def short(passes: int) -> dict[str, Optimizer[Any, Any]]:
    """The same with little to do."""
    whole: dict[str, Any] = learners(passes)
    changed: dict[str, dict[str, int]] = {name: {"passes": 1} for name in whole}
    changed["batch OSCAR (exact sums)"] = {"iterations": 8}
    changed["consensus (ADMM)"] = {"rounds": 4}
    return {name: replace(whole[name], **changed[name]) for name in whole}


def seconds_of(work: Any) -> tuple[Any, float, float]:
    """The result, wall time and CPU time of this process."""
    begin, cpu = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    found = work()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return found, time.perf_counter() - begin, used.ru_utime - cpu.ru_utime


def main() -> None:
    """One JSON line for each learner."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--l2d", type=float, default=0.005)
    given = parser.parse_args()
    data, start = training_pairs(given.model, given.sentences, 2)
    penalty = Oscar(l1=1e-10, l2d=given.l2d)
    limits = Limits.penalising(np.isin(np.arange(data.columns), data.unpenalised, invert=True))

    def learn(learner: Optimizer[Any, Any], executor: Any = None) -> OptimizerState:
        return learner.minimize(Given(data), penalty, start, limits=limits, executor=executor)

    rows: dict[str, dict[str, Any]] = {}
    found: dict[str, OptimizerState] = {}
    for name, learner in learners(given.passes).items():
        found[name], wall, cpu = seconds_of(lambda learner=learner: learn(learner))
        rows[name] = {"seconds": round(wall, 1), "cpu_seconds": round(cpu, 1)}
    brief = {}
    for name, learner in short(given.passes).items():
        brief[name], wall, cpu = seconds_of(lambda learner=learner: learn(learner))
        rows[name]["short_seconds"] = {"here": round(wall, 2)}
        rows[name]["short_cpu_of_driver"] = {"here": round(cpu, 2)}
    for workers in given.workers:
        with open_cluster(read_place(f"local:workers={workers},tls=no")) as cluster:
            cluster.client.wait_for_workers(workers)
            for name, learner in short(given.passes).items():
                if isinstance(learner, Fobos):
                    continue
                state, wall, cpu = seconds_of(lambda learner=learner, to=cluster: learn(learner, to))
                assert state.weights.tobytes() == brief[name].weights.tobytes(), name
                rows[name]["short_seconds"][f"{workers} workers"] = round(wall, 2)
                rows[name]["short_cpu_of_driver"][f"{workers} workers"] = round(cpu, 2)
    penalised = limits.factors != 0

    def agreement(name: str, other: str) -> float:
        """Over the features that have a weight in one of them; 0 is a group too."""
        one, two = (found[each].weights[penalised] for each in (name, other))
        used = (one != 0) | (two != 0)
        return round(adjusted_rand_index(one[used], two[used]), 3)

    batch, online = "batch OSCAR (exact sums)", "online OSCAR, one machine"
    least = found[batch].value
    for name, state in found.items():
        active = state.weights[penalised & (state.weights != 0)]
        row = {
            "learner": name, "sentences": given.sentences, "pairs": len(data), "features": int(penalised.sum()),
            "l2d": given.l2d, "shards": SHARDS, "objective": round(state.value, 5),
            "above_batch": round(state.value / least - 1, 5),
            "gap_of_batch": round(found[batch].details["gap"], 6),
            "rand_to_batch": agreement(name, batch),
            "rand_to_online": agreement(name, online),
            "active": len(active), "groups": len(np.unique(active)), **rows[name],
        }  # fmt: skip
        measure.report("cluster_oscar", row)


if __name__ == "__main__":
    main()
