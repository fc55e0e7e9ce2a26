"""`python -m fuzz.properties`: the property tests with random examples, file by file until the time is over."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from fuzz.options import seconds, session_seed

_TESTS = Path(__file__).parents[1] / "python"
_NOTHING_COLLECTED = 5


def property_files() -> list[Path]:
    """Files of tests that use hypothesis."""
    return sorted(path for path in _TESTS.rglob("test_*.py") if "hypothesis" in path.read_text(encoding="utf-8"))


def run(limit: float, seed: int) -> int:
    """Run them; 0 if no test failed. `pytest -m hypothesis --hypothesis-seed=SEED FILE` repeats what did."""
    random = Random(seed)
    end = time.monotonic() + limit
    failed: list[str] = []
    ran = 0

    def one(path: Path, number: int) -> None:
        nonlocal ran
        if time.monotonic() > end:
            return
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "hypothesis"]
        command += ["--hypothesis-profile", "fuzz", f"--hypothesis-seed={number}", str(path)]
        ended = subprocess.run(command, cwd=_TESTS.parents[1], capture_output=True, text=True, check=False)
        ran += 1
        if ended.returncode not in (0, _NOTHING_COLLECTED):
            failed.append(f"{' '.join(command)}\n{ended.stdout[-6000:]}{ended.stderr[-2000:]}")

    while time.monotonic() < end:
        files = property_files()
        random.shuffle(files)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for path in files:
                pool.submit(one, path, random.getrandbits(32))
    print("\n".join(failed))
    print(f"property tests: {ran} files with random seeds, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(run(seconds(), session_seed()))
