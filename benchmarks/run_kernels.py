"""Kernels of the benchmarks: CPU seconds, memory, digest of the result. `before_after.py` calls it for two trees.

    python benchmarks/run_kernels.py FOLDER --prepare     # makes models and lists in FOLDER
    python benchmarks/run_kernels.py FOLDER NAME …        # one JSON line a kernel

Kernels (`kernels/`) use the benchmarks of TREE (`--tree`, this one by default) and names that older versions have
too, so the Python of an older worktree can run them.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import sys
from pathlib import Path

from kernels import KERNELS, PREPARE, Measured, bench


def alone(name: str, folder: Path) -> Measured:
    """Run a kernel in this process; what it added to the memory at its peak, and the peak."""
    measure = bench("measure")
    importlib.import_module("tunesmith")
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    before = measure.memory_kilobytes("VmRSS")
    found = KERNELS[name](folder)
    peak = measure.memory_kilobytes("VmHWM")
    return {**found, "MB": round(peak / 1024, 1), "MB added": round((peak - before) / 1024, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tree", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_intermixed_args()
    sys.path.insert(0, str(options.tree / "benchmarks"))
    if options.list:
        print(*KERNELS)
    if options.prepare:
        options.folder.mkdir()
        for work in PREPARE:
            work(options.folder)
    for name in options.names:
        print(json.dumps({"kernel": name, **alone(name, options.folder)}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
