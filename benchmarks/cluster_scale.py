"""Sums over ever more ranked pairs: whether time and memory grow as the model of docs/research/cluster.md says.

Pairs are those of 100-best lists of some zh-en training sentences, decoded with MODEL, recombined: each new pair
has the values and the dense features of a real one; half of its rules are new in each copy. With `--workers` they
are also added up by processes of this machine.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import measure
import numpy as np
from training_pairs import training_pairs

from tunesmith.execution.cluster import open_cluster, read_place
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.sums.pairs import PairTerms
from tunesmith.tuning.sums.parts import Summing, in_parts
from tunesmith.tuning.sums.terms import Asked


def recombined(data: Differences, copies: int) -> Differences:
    """Return `copies` times the pairs. Half of the features are new in each copy, the others are shared by all."""
    old = len(data.penalised)
    shared, pairs, entries = old // 2, len(data), len(data.ids)
    ids, random = data.ids.astype(np.int64), np.random.default_rng(1)
    found, values = np.empty(copies * entries, np.uint32), np.empty(copies * entries, np.float32)
    offsets = np.zeros(copies * pairs + 1, np.int64)
    for copy in range(copies):
        here = slice(copy * entries, (copy + 1) * entries)
        found[here] = np.where(ids < shared, ids, ids + copy * (old - shared))
        values[here] = data.values * random.choice([-1.0, 1.0], p=[0.1, 0.9])
        offsets[copy * pairs + 1 : (copy + 1) * pairs + 1] = data.offsets[1:] + copy * entries
    dense = np.concatenate([data.dense] * copies)
    features = shared + copies * (old - shared)
    free = len(data.unpenalised)
    return Differences(
        offsets, found, values, dense, np.arange(free, free + features), np.arange(free), free + features, features
    )


def main() -> None:
    """One JSON line for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--copies", type=int, nargs="*", default=[1, 10, 100])
    parser.add_argument("--workers", type=int, default=0)
    given = parser.parse_args()
    real, _ = training_pairs(given.model, given.sentences, 2)
    for copies in given.copies:
        before = measure.memory_kilobytes("VmRSS")
        data = recombined(real, copies)
        terms = PairTerms.of(data)
        w = np.random.default_rng(2).normal(size=terms.columns) * 0.01
        asked = Asked("rounded hinge", {"w": w}, {"width": 0.1})
        begin = time.process_time()
        here = Summing(terms).ask(asked)
        seconds = time.process_time() - begin
        held = measure.memory_kilobytes("VmRSS") - before
        row = {
            "sentences": given.sentences * copies, "pairs": len(data), "features": terms.columns,
            "cpu_seconds": round(seconds, 4), "microseconds_a_pair": round(1e6 * seconds / len(data), 3),
            "mb": round(held / 1024), "bytes_a_pair": round(1024 * held / len(data)),
        }  # fmt: skip
        if given.workers:
            with open_cluster(read_place(f"local:workers={given.workers},tls=no")) as cluster:
                cluster.client.wait_for_workers(given.workers)
                with in_parts(terms, cluster) as parts:
                    parts.ask(asked)  # parts are opened once
                    begin, wall = time.process_time(), time.perf_counter()
                    there = parts.ask(asked)
                    row["driver_cpu_seconds"] = round(time.process_time() - begin, 4)
                    row["wall_seconds_there"] = round(time.perf_counter() - wall, 3)
                    row["parts"] = len(parts)
            assert there.vector.tobytes() == here.vector.tobytes()
        measure.report("cluster_scale", row)
        del data, terms, here  # before the next one is measured


if __name__ == "__main__":
    main()
