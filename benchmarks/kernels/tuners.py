"""Tuners on recorded and on made lists; OSCAR."""

from __future__ import annotations

import functools
import statistics
from pathlib import Path
from typing import Any

import numpy as np

from kernels.common import Measured, bench, cpu, digest, kernel, shared


@kernel
def monsters(folder: Path) -> Measured:
    quality = bench("quality_monsters")
    import dataclasses

    measured: Measured = {}
    found = []
    for name in ("plain, ψ = 0.1", "filtered", "pro"):
        recipe = quality.tuners()[name]
        chosen = dataclasses.replace(recipe, metric=quality.METRIC, plan=recipe.plan.with_rounds(3))
        seconds, run = cpu(functools.partial(quality.run_pools, 40, chosen, 1))
        measured[name] = seconds
        found.append(run)
    return {**measured, "digest": digest(found)}


@kernel
def oscar(folder: Path) -> Measured:
    speed = bench("speed_oscar")
    measured = {f"a step, d = 10^{power}": 1e-6 * speed.by_dimension(10**power, 50_000, 3)["microseconds_a_step"]
                for power in (4, 5, 6)}  # fmt: skip
    measured["a step, 10^4 groups"] = 1e-6 * speed.by_groups(10**4, 0, 10_000)["microseconds_a_step"]
    found = speed.making(50_000)
    return {**measured, "differences": found["cpu_seconds"], "digest": digest(found["entries_a_pair"])}


@kernel
def prox(folder: Path) -> Measured:
    from tunesmith.tuning.regularizers import Oscar

    measured, found = {}, []
    random = np.random.default_rng(1)
    for size in (500, 10_000, 100_000):
        operator = Oscar(1e-10, 3e-8, dimension=max(size, 500_000))
        rows = [random.normal(size=size) for _ in range(max(5, 100_000 // size))]
        for kind, inputs in {"random": rows, "tied": [np.round(row, 2) for row in rows]}.items():
            seconds, _ = cpu(functools.partial(each_prox, operator, inputs), 15)
            measured[f"{size} {kind}"] = seconds / len(inputs)
            found.append(digest(operator.prox(inputs[0], 1.0)))
    return {**measured, "digest": digest(found)}


def each_prox(operator: Any, inputs: list[Any]) -> None:
    for row in inputs:
        operator.prox(row, 1.0)


def tuned(name: str, recipe: Any, seeds: tuple[int, ...] = (1, 2, 3)) -> Measured:
    """A recipe on the recorded lists of Moses."""
    speed = bench("speed_tuning")
    given, start, _ = speed.reference_lists(shared() / "reference/tune")
    speed.tuned(recipe, given, start, 1)  # what is imported or computed once
    runs = [speed.tuned(recipe, given, start, seed) for seed in seeds]
    return {name: statistics.median(run[0] for run in runs), "digest": digest([run[1] for run in runs])}


def large(name: str) -> Measured:
    """A recipe on 50,000 candidates with 500,000 features, 30 each; memory from the loaded lists on."""
    speed, measure = bench("speed_tuning"), bench("measure")
    given = speed.large_set(100, 500, 500_000, 30)
    start = np.zeros(given.columns)
    before = measure.memory_kilobytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    seconds, score, _ = speed.tuned(recipes().get(name), given, start, 1)
    added = (measure.memory_kilobytes("VmHWM") - before) / 1024
    return {f"{name}, large": seconds, f"MB {name}, large": added, "digest": digest(round(score, 6))}


def recipes() -> Any:
    return bench("speed_tuning").recipes


@kernel
def mert(folder: Path) -> Measured:
    return tuned("mert", recipes().mert(), (1,))


@kernel
def mira(folder: Path) -> Measured:
    return tuned("mira", recipes().mira())


@kernel
def pro(folder: Path) -> Measured:
    return tuned("pro", recipes().pro())


@kernel
def pro_plain(folder: Path) -> Measured:
    return tuned("pro plain", recipes().get("pro", plain=True), (1,))


@kernel
def svm(folder: Path) -> Measured:
    return tuned("svm", recipes().get("svm"), (1,))


@kernel
def ramp(folder: Path) -> Measured:
    return tuned("ramp", recipes().get("ramp"), (1,))


@kernel
def risk(folder: Path) -> Measured:
    speed = bench("speed_tuning")
    given, start, _ = speed.reference_lists(shared() / "reference/tune")
    objective = recipes().risk().loss.prepare(speed.ListPool(given), recipes().risk().metric, 1)
    seconds, (value, gradient) = cpu(lambda: objective.value_and_grad(start), 15)
    return {"risk, an evaluation": seconds, "digest": digest(round(value, 12), np.round(gradient, 10))}


@kernel
def risk_many(folder: Path) -> Measured:
    """1,000 lists of 100 with 30 of 500,000 features, one thread and two."""
    speed = bench("speed_tuning")
    given = speed.large_set(1000, 100, 500_000, 30)
    objective = recipes().risk().loss.prepare(speed.ListPool(given), recipes().risk().metric, 1)
    w = np.random.default_rng(3).normal(size=given.columns) * 0.1
    seconds, (value, gradient) = cpu(lambda: objective.value_and_grad(w), 51)
    return {
        "risk, an evaluation, 500,000 features": seconds,
        "digest": digest(round(value, 12), np.round(gradient, 12)),
    }


@kernel
def large_mira(folder: Path) -> Measured:
    return large("mira")


@kernel
def large_pro(folder: Path) -> Measured:
    return large("pro")


@kernel
def large_risk(folder: Path) -> Measured:
    return large("risk")
