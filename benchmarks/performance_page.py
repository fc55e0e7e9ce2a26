"""The tables and pictures of docs/research/performance.md, from the lines of performance.py."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from decode_picture import GRID, INK, MUTED, OURS, SETTINGS, STYLE, draw, with_dark_twin
from matplotlib.figure import Figure

from tunesmith.io import atomic_writer, read_lines

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/research/performance.md"
LINES = ROOT / "docs/research/tables/performance.jsonl"
PICTURES = ROOT / "docs/pictures"
sys.path.append(str(ROOT / "tools"))
import published_tables  # noqa: E402

Line = dict[str, Any]
Table = tuple[Sequence[str], list[list[object]]]


def of(lines: list[Line], benchmark: str) -> list[Line]:
    """Lines of one benchmark."""
    return [line for line in lines if line["benchmark"] == benchmark]


def search(lines: list[Line], benchmark: str, goals: dict[float, str]) -> Table:
    """Peers, with our time at the mean model score of each of their points."""
    rows: list[list[object]] = []
    for line in of(lines, f"{benchmark}_ratio"):
        for point in line["points"]:
            peer = point["peer"] + (", measured" if point["measured"] else ", scaled")
            goal = goals.get(round(point["mean_model_score"], 2), "") if point["peer"] == "Moses2" else ""
            ours, times = point["our_cpu_seconds"], point["times_faster_scaled"]
            shown = ["not reached", ""] if ours is None else [f"{ours:.3f}", f"{times:.2f}"]
            score = f"{point['mean_model_score']:.4f}"
            rows.append([peer, score, f"{point['here_cpu_seconds']:.2f}", *shown, goal])
    return ("peer", "mean model score", "its CPU s", "ours there", "times faster", "goal"), rows


def tuning(lines: list[Line]) -> Table:
    rows: list[list[object]] = [
        [line["pop_limit"], f"{line['cpu_seconds']:.1f}", f"{line['seconds']:.1f}", f"{line['dev']:.2f}",
         f"{line['test']:.2f}"]
        for line in of(lines, "hiero_tuning")
    ]  # fmt: skip
    return ("pop limit while tuning", "CPU s", "s by the clock, two threads", "BLEU dev", "BLEU test"), rows


def threads(lines: list[Line]) -> Table:
    rows: list[list[object]] = [
        [line["work"], f"{line['one_seconds']:.2f}", f"{line['two_seconds']:.2f}", f"{line['times_faster']:.2f}",
         f"{line['two_cpu_seconds'] / line['one_cpu_seconds']:.2f}", f"{line['load']:.1f}"]
        for line in of(lines, "threads")
    ]  # fmt: skip
    return ("work", "one thread, s", "two, s", "times faster", "CPU of two over one", "load"), rows


def growth(lines: list[Line]) -> Table:
    rows: list[list[object]] = []
    for line in of(lines, "growth"):
        values = zip(line["sizes"], line["cpu_seconds"], line["added_mb"], strict=True)
        for at, (size, seconds, memory) in enumerate(values):
            last = f"{line['exponent']:.2f}" if at + 1 == len(line["sizes"]) else ""
            rows.append([line["work"] if at == 0 else "", f"{size:,}", f"{seconds:.2f}", f"{memory:.0f}", last])
    return ("work", "size", "CPU s", "memory added, MB", "exponent"), rows


def language_models(lines: list[Line]) -> Table:
    rows: list[list[object]] = []
    for line in [*of(lines, "lm_train"), *of(lines, "lm_train_memory")]:
        programs = [("tunesmith lm train", "")] + ([("lmplz", "lmplz_")] if "lmplz_seconds" in line else [])
        for program, prefix in programs:
            times = [f"{line[prefix + name]:.2f}" for name in ("seconds", "cpu_seconds")]
            size = [f"{line['tokens']:,}", line["memory_option"]]
            rows.append([*size, program, *times, f"{line[prefix + 'peak_mb']}"])
    return ("tokens", "memory given", "program", "s", "CPU s", "peak, MB"), rows


def queries(lines: list[Line]) -> Table:
    rows: list[list[object]] = [
        [f"{line['text']}, words a second", f"{line['words_a_second']:,}", f"{line['kenlm_words_a_second']:,}",
         f"{line['ratio']:.2f}"]
        for line in of(lines, "lm_score")
    ]  # fmt: skip
    for line in of(lines, "lm_query"):
        for what, key in (("a call from Python for each word, ns", "text_step_ns"),
                          ("loading the ARPA file, s", "load_arpa_seconds")):  # fmt: skip
            rows.append([what, line[key], line[f"kenlm_{key}"], f"{line[f'kenlm_{key}'] / line[key]:.2f}"])
    return ("what", "ours", "kenlm", "times faster"), rows


def proximity(lines: list[Line]) -> Table:
    rows: list[list[object]] = []
    for line in of(lines, "prox_oscar"):
        for row in line["rows"]:
            ratios = row["times_faster"]["dense"]
            rows.append([f"{row['u']:,}", row["input"], row["strengths"], row["microseconds"]["dense"],
                         *(f"{ratios[peer]:.2f}" for peer in ("skglm", "sklearn", "scipy"))])  # fmt: skip
    return ("weights", "input", "strengths", "ours, µs", "× skglm", "× scikit-learn", "× argsort + scipy"), rows


def tuners(lines: list[Line]) -> Table:
    rows: list[list[object]] = []
    for name in ("mira", "mert", "pro", "pro plain"):
        for line in of(lines, f"tune {name}"):
            unit = "seconds_a_pass" if "seconds_a_pass" in line else "seconds"
            scaled = line[f"moses_{unit}_scaled"]
            rows.append([name, unit.replace("_", " "), f"{line[unit]:.5f}", f"{scaled:.5f}",
                         f"{line['times_faster_than_moses_scaled']:.2f}"])  # fmt: skip
    return ("tuner", "unit", "ours", "Moses, scaled", "times faster"), rows


def metrics(lines: list[Line]) -> Table:
    rows: list[list[object]] = [
        [line["metric"], line["text"], f"{line['ratio']:.1f}", "yes" if line["equal"] else "no"]
        for line in of(lines, "chrf_ter")
    ]
    return ("metric", "text", "times faster than sacrebleu", "equal"), rows


def starting(lines: list[Line]) -> Table:
    names = ("print the version", "lm train", "translate")
    rows: list[list[object]] = [
        [name, f"{line[name]['cpu_seconds']:.3f}", f"{line[name]['peak_mb']:.1f}"]
        for line in of(lines, "start")
        for name in names
    ]
    return ("command", "CPU s", "peak, MB"), rows


def conditions(lines: list[Line]) -> Table:
    """What the machine was like when each benchmark ran."""
    first = {line["script"]: line for line in reversed(lines)}
    rows: list[list[object]] = [
        [f"`{name}`", line["date"], f"{line['calibration_before']:.3f}", f"{line['load']:.1f}", line["version"]]
        for name, line in sorted(first.items())
    ]
    return ("benchmark", "day", "calibration, s", "load before", "version"), rows


HIERO_GOALS = {-33.71: "3", -33.66: "3", -33.65: "3", -33.64: "6"}
PHRASE_GOALS = {-36.21: "3", -36.2: "3"}
TABLES: dict[str, tuple[str, Callable[[list[Line]], Table]]] = {
    "hierarchical-search": ("speed_decode", lambda lines: search(lines, "decode", HIERO_GOALS)),
    "phrase-based-search": ("speed_phrase_decoding", lambda lines: search(lines, "phrase_decoding", PHRASE_GOALS)),
    "tuning-a-hierarchical-system": ("speed_hiero_tuning", tuning),
    "two-threads": ("speed_threads", threads),
    "growth": ("speed_growth", growth),
    "language-models": ("speed_lm_train", language_models),
    "queries": ("speed_lm_query", queries),
    "proximity-operator": ("speed_prox", proximity),
    "tuners-on-lists": ("speed_tuning", tuners),
    "chrf-and-ter": ("speed_chrf_ter", metrics),
    "starting": ("speed_start", starting),
    "conditions": ("", conditions),
}
"""By name: the benchmark that a table is made of, empty for all of them."""


def signature(lines: list[Line], script: str) -> str:
    """What the figures of a benchmark were computed with, and when."""
    first = next(line for line in lines if script in ("", line["script"]))
    found = {"benchmark": script or "all", "date": first["date"], "calibration": first["calibration_before"]}
    return "|".join(f"{key}:{value}" for key, value in {**found, "version": first["version"]}.items())


def growth_picture(lines: list[Line], path: Path) -> None:
    """Time against size, both over the smallest point; the diagonal is linear growth."""
    with mpl.rc_context({**STYLE, "svg.hashsalt": "growth"}):
        figure = Figure(figsize=(7.2, 4.6))
        axes = figure.add_axes((0.1, 0.13, 0.87, 0.8))
        axes.plot([1, 12], [1, 12], color=MUTED, linewidth=1.2, linestyle="--")
        for line, marker in zip(of(lines, "growth"), "os^D", strict=False):
            sizes = [size / line["sizes"][0] for size in line["sizes"]]
            times = [seconds / line["cpu_seconds"][0] for seconds in line["cpu_seconds"]]
            axes.plot(sizes, times, color=OURS, marker=marker, linewidth=1.6, label=line["work"].partition(":")[0])
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_ticks([1, 3, 10], ["1", "3", "10"])
            axis.set_ticks([], minor=True)
        axes.grid(color=GRID, linewidth=0.8)
        axes.set_xlabel("size over the smallest", color=INK)
        axes.set_ylabel("CPU time over that of the smallest", color=INK)
        axes.legend(frameon=False)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    with atomic_writer(path) as file:
        file.write(with_dark_twin(text.getvalue()))


def pictures(lines: list[Line]) -> None:
    """Curves of both searches next to the peers, and growth."""
    for name, file in (("decode", "performance-hiero.svg"), ("phrase_decoding", "performance-phrase.svg")):
        ours = {line["pop_limit"]: line for line in of(lines, name)}
        for ratio in of(lines, f"{name}_ratio"):
            draw(ours, ratio, PICTURES / file, SETTINGS[name])
    if of(lines, "growth"):
        growth_picture(lines, PICTURES / "performance-growth.svg")


def make_page() -> None:
    """Write tables with their data, and pictures; tables of the page that no benchmark makes stay."""
    lines = [json.loads(line) for line in read_lines(LINES) if line]
    file = published_tables.file_of(PAGE)
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for name, (script, make) in TABLES.items():
        titles, rows = make(lines)
        if not rows:
            continue
        cells = [list(titles), ["---"] * len(titles), *([str(cell) for cell in row] for row in rows)]
        shown = ["| " + " | ".join(row) + " |" for row in cells]
        table = published_tables.Found(name, name, 0, shown)
        data[name] = published_tables.as_data(table, signature(lines, script))
    with atomic_writer(file) as out:
        out.write(published_tables._document(data))
    published_tables.write(PAGE)
    pictures(lines)
