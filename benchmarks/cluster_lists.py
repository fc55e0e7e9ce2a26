"""Lists of ever more sentences by worker processes: whether time and memory grow as docs/research/cluster.md says.

Sentences are recombined: the first half of one zh-en training sentence, the second half of another. The driver
takes in 100-best lists with BLEU statistics and keeps all of them. One JSON line for each size.
"""

from __future__ import annotations

import argparse
import resource
import time
from itertools import islice
from pathlib import Path
from typing import Any

import cluster_overhead
import measure
import numpy as np

from tunesmith.decoding.work.spec import DecoderSpec
from tunesmith.execution.cluster import open_cluster, read_place
from tunesmith.io import read_lines
from tunesmith.metrics import Bleu
from tunesmith.tuning import KBestSource


def recombined(count: int, seed: int = 1) -> tuple[list[str], list[list[str]]]:
    """Return `count` sentences with a reference each."""
    sides = [[line.split() for line in islice(iter(read_lines(path)), 49_000)]
             for path in (cluster_overhead.SOURCE, cluster_overhead.TARGET)]  # fmt: skip
    drawn = np.random.default_rng(seed).integers(len(sides[0]), size=(count, 2))

    def joined(side: list[list[str]]) -> list[str]:
        halves = [(line[: (len(line) + 1) // 2], line[(len(line) + 1) // 2 :]) for line in side]
        return [" ".join(halves[a][0] + halves[b][1]) for a, b in drawn]

    return joined(sides[0]), [[line] for line in joined(sides[1])]


def workers_cpu(cluster: Any) -> float:
    """CPU seconds of all workers so far."""
    return float(sum(cluster.client.run(_own_cpu).values()))


def _own_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """One JSON line for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sentences", type=int, nargs="*", default=[1000, 2000, 4000, 8000])
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    opened = DecoderSpec.of(given.model).open()
    weights = np.array(opened.decoder.weights)
    with open_cluster(read_place(f"local:workers={given.workers},tls=no")) as cluster:
        cluster.client.wait_for_workers(given.workers)
        for number, sentences in enumerate([200, *given.sentences]):  # workers open the model for the first
            lines, references = recombined(sentences, seed=number)
            metric = Bleu().prepare(references)
            source = KBestSource(opened.lists, lines, references, cluster_overhead.K, executor=cluster)
            memory = measure.memory_kilobytes("VmRSS")
            workers, own, wall = workers_cpu(cluster), time.process_time(), time.perf_counter()
            held, first = [], 0
            for part in source.parts(weights, threads=1):
                held.append(part.measured(metric, source="train", first=first, threads=1))
                first += part.sentences
            row = {
                "sentences": sentences, "words": sum(line.count(" ") + 1 for line in lines),
                "candidates": sum(map(len, held)), "wall": round(time.perf_counter() - wall, 1),
                "workers_cpu_ms_a_sentence": 1000 * (workers_cpu(cluster) - workers) / sentences,
                "driver_cpu_ms_a_sentence": 1000 * (time.process_time() - own) / sentences,
                "driver_mb": (measure.memory_kilobytes("VmRSS") - memory) / 1024,
                "driver_bytes_a_sentence": 1024 * (measure.memory_kilobytes("VmRSS") - memory) / sentences,
            }  # fmt: skip
            if number:
                rounded = {name: float(f"{value:.4g}") for name, value in row.items()}
                measure.report("cluster_lists", {**rounded, "workers": given.workers})
            del held


if __name__ == "__main__":
    main()
