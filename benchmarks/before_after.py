"""The benchmarks of two commits compared: kernels run in turn by both, medians, whether the results are the same.

    git worktree add ../before COMMIT && make -C ../before build
    python benchmarks/before_after.py ../before . --folder work/ --prepare    # models and lists, each by its tree
    python benchmarks/before_after.py ../before . --folder work/ --runs 5 decode_hiero mira -o lines.jsonl
    python benchmarks/before_after.py --table lines.jsonl                     # rows of a Markdown table

Trees take turns; which is first changes with each run. Kernels are in kernels/; each runs in a new process.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

KERNELS = Path(__file__).with_name("run_kernels.py")
SIDES = ("before", "after")


def run(tree: Path, folder: Path, *words: str) -> str:
    """Run run_kernels.py by the Python of a tree; what it prints."""
    command = [tree.resolve() / ".venv/bin/python", KERNELS, folder, "--tree", tree.resolve(), *words]
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout


def measured(trees: dict[str, Path], folder: Path, name: str, number: int) -> list[dict[str, Any]]:
    """One run of a kernel by both trees."""
    order = SIDES if number % 2 == 0 else SIDES[::-1]
    lines = []
    for side in order:
        found = json.loads(run(trees[side], folder / side, name).splitlines()[-1])
        lines.append({"side": side, **found})
    return lines


def table(lines: list[dict[str, Any]]) -> list[str]:
    """Rows: kernel, what, before, after, after ÷ before; a row of memory and whether results are equal."""
    kernels: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        kernels[line["kernel"]][line["side"]].append(line)
    rows = []
    for name, sides in kernels.items():
        runs = min(len(sides[side]) for side in SIDES)
        if runs == 0:
            continue
        digests = {side: {line["digest"] for line in sides[side] if "digest" in line} for side in SIDES}
        same = "–" if not digests["before"] else "yes" if digests["before"] == digests["after"] else "NO"
        for what in sides["before"][0]:
            if what in ("kernel", "side", "digest", "bytes", "MB added"):
                continue
            before, after = (statistics.median(line[what] for line in sides[side]) for side in SIDES)
            ratio = after / before if before else float("nan")
            shown = [f"{value:.4g}" if "MB" not in what else f"{value:.1f}" for value in (before, after)]
            rows.append(f"| {name} | {what} | {shown[0]} | {shown[1]} | {ratio:.3f} | {same} | {runs} |")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="two trees and names of kernels")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--table", type=Path, nargs="+")
    options = parser.parse_intermixed_args()
    if options.table:
        lines = [json.loads(line) for path in options.table for line in path.read_text().splitlines()]
        print("\n".join(table(lines)))
        return
    trees = dict(zip(SIDES, map(Path, options.words[:2]), strict=True))
    if options.prepare:
        options.folder.mkdir(exist_ok=True)
        for side, tree in trees.items():
            run(tree, options.folder / side, "--prepare")
    for number in range(options.runs):
        for name in options.words[2:]:
            for line in measured(trees, options.folder, name, number):
                text = json.dumps(line, ensure_ascii=False)
                print(text, flush=True)
                if options.output:
                    with options.output.open("a") as file:
                        file.write(text + "\n")


if __name__ == "__main__":
    main()
