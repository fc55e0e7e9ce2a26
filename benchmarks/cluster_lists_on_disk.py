"""Lists of up to a million sentences by worker processes, taken in by the driver as `tune --train` does.

Sentences are recombined as in `cluster_lists.py`. Lists get BLEU statistics and are written to a folder part by
part; then they are opened (mapped), checked, merged to distinct candidates part by part, and the best of each is
found. One JSON line at each number of sentences, and one for each step after that. Memory is that of the driver
beyond model, text and references. Run it with this folder in PYTHONPATH: workers are asked for their CPU time.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cluster_lists
import measure
import numpy as np
import plain_workers

from tunesmith.decoding.work.spec import DecoderSpec, OpenDecoder
from tunesmith.execution.cluster import open_cluster, read_place
from tunesmith.metrics import Bleu
from tunesmith.tuning import KBestSource
from tunesmith.tuning.pools.lists import ListPool


def workers_cpu(cluster: Any) -> float:
    """CPU seconds of all workers so far; 0 without any."""
    return 0.0 if cluster is None else float(sum(cluster.client.run(plain_workers.own_cpu).values()))


def bytes_below(folder: Path) -> int:
    """Bytes of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


class Used:
    """What the driver and its workers have used since now; memory since `memory`, in kB.

    Memory of its own (RssAnon) is sampled twice a second for its peak; pages of mapped files (RssFile), which the
    system may take back, are in a column of their own.
    """

    def __init__(self, cluster: Any, memory: int) -> None:
        self._cluster, self._memory, self._peak = cluster, memory, 0
        self._workers, self._own = workers_cpu(cluster), time.process_time()
        self._scheduler = self._of_scheduler()
        self._wall, self._done = time.perf_counter(), threading.Event()
        threading.Thread(target=self._sample, daemon=True).start()

    def _of_scheduler(self) -> float:
        return 0.0 if self._cluster is None else plain_workers.scheduler_cpu(self._cluster.client)

    def _sample(self) -> None:
        while not self._done.wait(0.5):
            self._peak = max(self._peak, measure.memory_kilobytes("RssAnon"))

    def row(self) -> dict[str, float]:
        """Seconds of CPU and memory in MB."""
        own = measure.memory_kilobytes("RssAnon")
        return {
            "workers_cpu": workers_cpu(self._cluster) - self._workers,
            "driver_cpu": time.process_time() - self._own,
            "wall": time.perf_counter() - self._wall,
            "scheduler_cpu": self._of_scheduler() - self._scheduler, "driver_mb": (own - self._memory) / 1024,
            "driver_peak_mb": (max(self._peak, own) - self._memory) / 1024,
            "mapped_mb": measure.memory_kilobytes("RssFile") / 1024,
        }  # fmt: skip

    def end(self) -> None:
        """Stop looking at memory."""
        self._done.set()


def reported(kind: str, fields: dict[str, Any]) -> None:
    """Print a row with four digits."""
    short = {name: float(f"{value:.4g}") if isinstance(value, float) else value for name, value in fields.items()}
    measure.report(f"cluster_lists_on_disk {kind}", {**short, "load": round(os.getloadavg()[0], 1)})


def lists(given: argparse.Namespace) -> None:
    """Decode, and write the lists; one JSON line for each size."""
    start = measure.memory_kilobytes("RssAnon")
    opened = opened_model(given)
    weights = np.array(opened.decoder.weights)
    model = measure.memory_kilobytes("RssAnon")
    lines, references = cluster_lists.recombined(max(given.sentences), seed=1)
    text = measure.memory_kilobytes("RssAnon")
    metric = Bleu().prepare(references)
    reported("input", {
        "sentences": len(lines), "words": sum(line.count(" ") + 1 for line in lines),
        "model_mb": (model - start) / 1024, "text_mb": (text - model) / 1024,
        "references_mb": (measure.memory_kilobytes("RssAnon") - text) / 1024,
    })  # fmt: skip
    settings = {"k": given.k, "pop_limit": given.pop_limit, "workers": given.workers}
    with contextlib.ExitStack() as stack:
        place = f"local:workers={given.workers},tls=no"
        if given.plain:
            place = stack.enter_context(plain_workers.plain_cluster(given.workers))
        cluster = stack.enter_context(open_cluster(read_place(place)))
        cluster.client.wait_for_workers(given.workers)
        few = KBestSource(opened.lists, lines[-1024:], references[-1024:], given.k, executor=cluster)
        list(few.parts(weights * (1 + 1e-9), threads=1))  # workers open the model
        source = KBestSource(opened.lists, lines, references, given.k, executor=cluster)
        used = Used(cluster, measure.memory_kilobytes("RssAnon"))

        def parts() -> Iterator[ListPool]:
            first = candidates = 0
            sizes = iter([*sorted(given.sentences), None])
            until = next(sizes)
            for part in source.parts(weights, threads=1):
                part = part.measured(metric, source="train", first=first, threads=1)
                first += part.sentences
                candidates += len(part)
                yield part
                late = used.row()["wall"] > given.seconds if first % 10240 == 0 else False
                while until is not None and (first >= until or late):
                    row = used.row()
                    reported("lists", {
                        "sentences": first, "candidates": candidates, **row,
                        "workers_ms_a_sentence": 1000 * row["workers_cpu"] / first,
                        "driver_ms_a_sentence": 1000 * row["driver_cpu"] / first,
                        "disk_bytes_a_sentence": bytes_below(given.folder) / first, **settings,
                    })  # fmt: skip
                    until = next(sizes)
                    if late:
                        return

        ListPool.write(parts(), given.folder / "found")
        reported("written", {**used.row(), "disk_mb": bytes_below(given.folder) / 2**20})


def opened_model(given: argparse.Namespace) -> OpenDecoder:
    """The decoder, in this process."""
    return DecoderSpec.of(given.model, pop_limit=given.pop_limit).open()


def after(given: argparse.Namespace) -> None:
    """What a round does with the lists on disk; one JSON line for each step."""
    opened = opened_model(given)
    memory = measure.memory_kilobytes("RssAnon")

    def step(name: str, do: Callable[[], Any]) -> Any:
        used = Used(None, memory)
        found = do()
        reported(name, {**used.row(), "disk_mb": bytes_below(given.folder) / 2**20})
        used.end()
        return found

    found = step("opened", lambda: ListPool(opened.lists.load(given.folder / "found")))
    step("checked", lambda: found.check(Bleu()))
    found.release()
    merged = step("merged", lambda: found.merged(None, given.folder / "merged"))
    found.release()
    best = step("best", lambda: merged.best(np.array(opened.decoder.weights)).score(Bleu()))
    reported("result", {"sentences": merged.sentences, "candidates": len(merged), "bleu": float(best)})


def main() -> None:
    """One JSON line for each size, and each step after the last one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("folder", type=Path, help="for the lists; must be empty or new")
    parser.add_argument("--sentences", type=int, nargs="*", default=[8_000, 32_000], help="ascending")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="without nannies; see plain_workers.py")
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument("--pop-limit", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="take what is decoded by then")
    parser.add_argument("--step", choices=["lists", "after", "both"], default="both")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.step != "after":
        lists(given)
    if given.step != "lists":
        after(given)


if __name__ == "__main__":
    main()
