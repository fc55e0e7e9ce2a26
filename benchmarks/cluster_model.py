"""How long a round of grouping takes on many workers, on paper and by simulation; where the driver is in the way.

A round decodes all training sentences (k-best lists), takes their lists in, and fits weights with a number of
gradients. The constants are times and sizes measured on one machine (docs/research/cluster.md says how); the
network is assumed. Three designs:

  driver   what there is: lists come to the driver, which measures and keeps them; it adds the sums of all parts
  stay     lists stay on workers, with their statistics; the driver gets sums, and adds them itself
  tree     as `stay`, and workers add sums of parts two by two before the driver sees one

On paper: stage by stage, the longest of what workers, driver and network need. By simulation: blocks of different
length go to workers as they become free (2 per worker and 2 more are known to the scheduler, as in
`execution.cluster`), and the driver takes results one by one, in order.
"""

from __future__ import annotations

import argparse
import heapq
import math
from dataclasses import dataclass, fields, replace
from typing import Any

import measure
import numpy as np


@dataclass(frozen=True)
class Costs:
    """Measured on one core unless said otherwise.

    decode: seconds of a sentence.   spread: standard deviation of the logarithm of a block's time.
    take_in: seconds of the driver for a sentence's list (unpack, number, measure, write).
    list_bytes: of a sentence's list as it travels.   task: seconds of scheduler and driver for a task.
    gradient: seconds of a sentence in one gradient.   touched: features of a part per sentence in it, at the most
    `share` of all features.   add: seconds to add one entry of a sum.   prox: seconds of one feature in an update.
    features: for each training sentence.   block: sentences.   gradients: of a fit.
    network: bytes a second of a machine, assumed.   latency: seconds of a message, assumed.
    """

    decode: float = 0.0039
    spread: float = 0.10
    take_in: float = 0.000066
    list_bytes: float = 9_200
    task: float = 0.005
    gradient: float = 0.000028
    touched: float = 27.0
    share: float = 0.5
    add: float = 2.8e-8
    prox: float = 8e-8
    features: float = 20.0
    block: int = 960
    gradients: int = 100
    network: float = 1e9
    latency: float = 0.0005


def paper(costs: Costs, pairs: int, workers: int, design: str) -> dict[str, float]:
    """Seconds of the stages of a round."""
    blocks = math.ceil(pairs / costs.block)
    features = costs.features * pairs**0.8  # rules are new less and less often (Heaps' law)
    per_worker = costs.decode * pairs / min(workers, blocks)
    driver = costs.task * blocks
    if design == "driver":
        driver += costs.take_in * pairs
    else:
        per_worker += costs.take_in * pairs / workers
    wire = costs.list_bytes * pairs / costs.network if design == "driver" else 0.0
    parts = min(blocks, 2 * workers)
    entries = min(costs.touched * pairs / parts, costs.share * features)
    of_worker = costs.gradient * pairs / workers
    broadcast = 8 * min(entries * parts / workers, features) / costs.network * math.log2(workers + 1)
    if design == "tree":
        level = costs.add * entries + 12 * entries / costs.network + costs.latency + costs.task
        adding = level * math.ceil(math.log2(max(parts, 2))) + 12 * costs.share * features / costs.network
        tasks = 2 * costs.task
    else:
        adding = parts * (costs.add * entries + 12 * entries / costs.network)
        tasks = costs.task * parts
    gradient = of_worker + broadcast + adding + tasks + costs.prox * features
    decoding = max(per_worker, driver, wire)
    return {
        "decode": per_worker, "driver": max(driver, wire), "decoding": decoding,
        "fit_workers": costs.gradients * of_worker, "fit": costs.gradients * gradient,
        "round": decoding + costs.gradients * gradient,
        "driver_gb": (costs.list_bytes * pairs if design == "driver" else 24 * features) / 1e9,
    }  # fmt: skip


def simulated(costs: Costs, pairs: int, workers: int, design: str, seed: int = 1, most: int = 200_000) -> float:
    """Seconds of the decoding of a round; blocks are larger where there would be more than `most`."""
    blocks = math.ceil(pairs / costs.block)
    scale = max(1.0, blocks / most)
    blocks = math.ceil(blocks / scale)
    sentences = costs.block * scale
    random = np.random.default_rng(seed)
    at_worker = costs.decode + (costs.take_in if design != "driver" else 0.0)
    each = (
        at_worker
        * sentences
        * np.exp(random.normal(-(costs.spread**2) / 2, costs.spread / math.sqrt(scale), blocks))
    )
    of_driver = costs.task * scale + (
        max(costs.take_in, costs.list_bytes / costs.network) * sentences if design == "driver" else 0.0
    )
    free = [0.0] * min(workers, blocks)
    heapq.heapify(free)
    taken, ended = 0.0, np.zeros(blocks)
    window = 2 * workers + 2
    released = np.zeros(
        blocks
    )  # when a block is known to the scheduler: once the one `window` before was taken in
    for number in range(blocks):
        begin = max(heapq.heappop(free), released[number]) + costs.latency
        ended[number] = begin + each[number]
        heapq.heappush(free, ended[number])
        taken = max(taken, ended[number]) + of_driver
        if number + window < blocks:
            released[number + window] = taken
    return taken


def main() -> None:
    """One JSON line for each size, number of workers and design."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for each in fields(Costs):
        parser.add_argument(f"--{each.name.replace('_', '-')}", type=type(each.default), default=each.default)
    parser.add_argument("--pairs", type=float, nargs="*", default=[1e6, 1e8])
    parser.add_argument("--workers", type=int, nargs="*", default=[10, 100, 1000])
    given = vars(parser.parse_args())
    costs = replace(Costs(), **{each.name: given[each.name] for each in fields(Costs)})
    for pairs in map(int, given["pairs"]):
        for workers in given["workers"]:
            for design in ("driver", "stay", "tree"):
                found: dict[str, Any] = paper(costs, pairs, workers, design)
                found["decoding_simulated"] = simulated(costs, pairs, workers, design)
                found["busy"] = found["decode"] / found["decoding_simulated"]
                row = {name: float(f"{value:.3g}") for name, value in found.items()}
                measure.report("cluster_model", {"pairs": pairs, "workers": workers, "design": design, **row})


if __name__ == "__main__":
    main()
