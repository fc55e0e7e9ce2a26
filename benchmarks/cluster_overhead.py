"""What a cluster costs: 100-best lists of zh-en training lines by two worker processes, and by two threads here.

MODEL is a directory of `tunesmith train`. Runs alternate; each is measured by wall time and by the CPU time of all
processes, which on a busy machine is the steadier one. The CPU time of the driver alone (sending, unpacking,
numbering) is what bounds the number of workers: docs/research/cluster.md.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import statistics
import time
from itertools import islice
from pathlib import Path
from typing import Any

import measure
import numpy as np
import plain_workers

from tunesmith.decoding.work.spec import DecoderSpec
from tunesmith.execution import Executor, pack
from tunesmith.execution.cluster import open_cluster, read_place
from tunesmith.io import read_lines
from tunesmith.metrics import Bleu
from tunesmith.tuning import KBestSource

SOURCE, TARGET = (measure.SHARED / f"data/zh-en/train.{side}.gz" for side in ("zh", "en"))
K = 100


def workers_cpu(cluster: Any) -> float:
    """CPU seconds of all workers so far, and of the scheduler where it is a process of its own."""
    found = cluster.client.run(_own_cpu)
    return float(sum(found.values())) + plain_workers.scheduler_cpu(cluster.client)


def _own_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def decode(source: KBestSource, weights: np.ndarray, threads: int) -> tuple[int, int]:
    """Candidates, and bytes of their features, statistics and words."""
    candidates = size = 0
    metric = Bleu().prepare([list(each) for each in source.references])
    first = 0
    for part in source.parts(weights, threads=threads):
        part = part.measured(metric, source="train", first=first, threads=threads)
        first += part.sentences
        candidates += len(part)
        size += sum(array.nbytes for array in _arrays(part.candidates).values())
    return candidates, size


def _arrays(candidates: Any) -> dict[str, Any]:
    from tunesmith.search.lists.arrays import arrays_of

    return arrays_of(candidates)


def main() -> None:
    """One JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sentences", type=int, default=4000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--plain", action="store_true", help="without nannies; see plain_workers.py")
    given = parser.parse_args()
    lines = list(islice(iter(read_lines(SOURCE)), given.sentences))
    references = [[line] for line in islice(iter(read_lines(TARGET)), given.sentences)]
    opened = DecoderSpec.of(given.model).open()
    weights = np.array(opened.decoder.weights)
    rows: dict[str, list[dict[str, float]]] = {"threads": [], "workers": []}
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(plain_workers.plain_cluster(2)) if given.plain else "local:workers=2,tls=no"
        cluster = stack.enter_context(open_cluster(read_place(place)))
        cluster.client.wait_for_workers(2)

        def run(kind: str, executor: Executor | None, number: int) -> None:
            changed = weights * (1 + 1e-6 * number)  # a block of the same weights would not be done again
            source = KBestSource(opened.lists, lines, references, K, executor=executor)
            before, own, wall = workers_cpu(cluster), _own_cpu(), time.perf_counter()
            candidates, size = decode(source, changed, 2)
            rows[kind].append({
                "wall": time.perf_counter() - wall, "driver_cpu": _own_cpu() - own,
                "cpu": workers_cpu(cluster) - before + _own_cpu() - own,
                "candidates": candidates, "bytes_a_sentence": size / given.sentences,
            })  # fmt: skip

        for number in range(given.runs + 1):
            run("threads", None, number)
            run("workers", cluster, number)
        sent = len(pack(opened.packed_k_best(_block(lines[:960]), K)))
    found = {
        kind: {name: round(statistics.median(row[name] for row in each[1:]), 2) for name in each[0]}
        for kind, each in rows.items()
    }
    ratios = [two["cpu"] / one["cpu"] for one, two in zip(rows["threads"][1:], rows["workers"][1:], strict=True)]
    walls = [two["wall"] / one["wall"] for one, two in zip(rows["threads"][1:], rows["workers"][1:], strict=True)]
    measure.report("cluster_overhead", {
        "sentences": given.sentences, "k": K, "runs": given.runs, **found,
        "cpu_ratio": round(statistics.median(ratios), 3), "wall_ratio": round(statistics.median(walls), 3),
        "bytes_sent_a_sentence": round(sent / 960), "load": round(os.getloadavg()[0], 1),
    })  # fmt: skip


def _block(lines: list[str]) -> Any:
    from tunesmith.corpus.text_files import Lines

    return Lines(lines)


if __name__ == "__main__":
    main()
