"""`python -m fuzz.faults`: verbs that write, on a machine that fails them.

The disk is full, there is no memory, a stream is closed, a signal comes. A command must succeed, or end with its
code and one line; what was there before stays whole; and run again without the fault it writes what it should.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from fuzz.bench import Bench, Gold
from fuzz.contents import contents, differences, left_over
from fuzz.findings import FOLDER
from fuzz.forked import Ended, Forked, run
from fuzz.kill import make_older, wrong_end
from fuzz.memory import limit_addresses, scratch
from fuzz.options import seconds, session_seed
from fuzz.verbs import LONG, ONCE, VERBS, command

_LONGEST = 120.0
# Folders that grow step by step, and whose command continues.
_STEPWISE = ("train", "tune", "experiment", "demo", "phrasebook", "clean", "align")
_ENDS = {0, 1, 2, 130, -signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGPIPE}
_ENDS |= {128 + number for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE)}

Prepare = Callable[[], None]


def small_files(random: Random, largest: int) -> Prepare:
    """No file becomes longer than so much: writing fails in the middle, as on a full disk."""
    size = random.randint(0, largest)
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def little_memory(random: Random) -> Prepare:
    """Limit the process to this number of bytes more than it has."""
    more = random.choice((1, 4, 16, 64)) << random.randint(12, 20)
    return lambda: limit_addresses(more)


def closed_streams(random: Random) -> Prepare:
    """Some of standard input, output and error are closed, as `>&-` does."""
    which = [name for name in ("stdin", "stdout", "stderr") if random.random() < 0.5] or ["stdout"]

    def close() -> None:
        for name in which:
            getattr(sys, name).flush()
            os.close(("stdin", "stdout", "stderr").index(name))
            setattr(sys, name, None)

    return close


def full_streams(random: Random) -> Prepare:
    """Standard output or error go to a device that is full."""
    which = random.choice([[1], [2], [1, 2]])

    def fill() -> None:
        full = os.open("/dev/full", os.O_WRONLY)
        for descriptor in which:
            os.dup2(full, descriptor)

    return fill


class Faults(Bench):
    """Runs commands while something of the machine fails."""

    def case(self, name: str, fault: str, number: int) -> str | None:
        """What is wrong with a command that met a fault, or None."""
        gold = self.gold(name)
        random = Random(f"{self._seed}/{fault}/{name}/{number}")
        words = command(name, VERBS[name])
        folder = self._new("work")
        with self._disk(folder, gold, random) if fault == "full-disk" else contextlib.nullcontext():
            had_old = random.random() < 0.5 and fault != "full-disk" and name not in ONCE
            if had_old:
                run(words, folder)
            ended = self._run(words, folder, fault, gold, random)
            if wrong := self._wrong(name, fault, ended, folder, gold, had_old=had_old):
                return f"{fault}: {wrong}"
            if fault == "full-disk" or (ended.code == 0 and name in ONCE):
                return None
        make_older(folder)
        again = run(words, folder)
        if again.code != 0:
            return f"{fault}: run again it ended with {again.code}: {again.errors[-2000:]}"
        if differing := differences(gold.files, contents(folder)):
            return f"{fault}: run again it wrote other bytes: {differing[:10]}"
        if left := left_over(folder):
            return f"{fault}: left {left[:10]}"
        return None

    def _run(self, words: list[str], folder: Path, fault: str, gold: Gold, random: Random) -> Ended:
        largest = max(map(len, gold.files.values()), default=1)
        prepare: Prepare = {
            "small-files": lambda: small_files(random, largest),
            "no-memory": lambda: little_memory(random),
            "closed-streams": lambda: closed_streams(random),
            "full-streams": lambda: full_streams(random),
        }.get(fault, lambda: lambda: None)()
        process = Forked(words, folder, prepare)
        if fault == "signals":
            early = process.wait(random.uniform(0, 1.05) * gold.seconds)
            if early is not None:
                return early
            process.signal(random.choice((signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE)))
        ended = process.wait(_LONGEST)
        if ended is None:
            process.signal(signal.SIGKILL)
            process.wait()
        return ended or Ended(-99, "", "", _LONGEST)

    def _wrong(
        self, name: str, fault: str, ended: Ended, folder: Path, gold: Gold, *, had_old: bool
    ) -> str | None:
        if wrong := wrong_end(ended):
            return wrong
        if ended.code not in _ENDS and not (fault == "no-memory" and "SystemError" in ended.errors):
            return f"it ended with {ended.code}: {ended.errors[-2000:]}"
        lines = ended.errors.splitlines()
        if len(lines) > 3 or any(len(line) > 3000 for line in lines):
            return f"it said {len(lines)} lines: {ended.errors[:2000]}"
        if ended.code in (1, 2) and not any("tunesmith: " in line for line in lines) and "streams" not in fault:
            return f"it ended with {ended.code} without a word"
        if "tunesmith: " in ended.output:
            return f"the error went to standard output: {ended.output[-500:]}"
        there = contents(folder)
        if ended.code == 0 and (differing := differences(gold.files, there)):
            return f"it succeeded with other bytes: {differing[:10]}"
        if name.startswith(_STEPWISE):
            return None
        whole = {file: data for file, data in there.items() if not _unfinished(file)}
        kept = name.startswith("translate") and ended.code == 128 + signal.SIGINT  # the lines translated so far
        if differing := [
            file
            for file, data in whole.items()
            if gold.files.get(file) != data
            and not (kept and data.endswith(b"\n") and gold.files.get(file, b"").startswith(data))
        ]:
            return f"files are half-written: {differing[:10]}"
        if had_old and set(whole) != set(gold.files):
            return f"what was there before is gone: {sorted(set(gold.files) - set(whole))[:10]}"
        if left := left_over(folder):  # whoever is not killed cleans up
            return f"left {left[:10]} (ended with {ended.code})" if ended.code >= 0 else None
        return None

    @contextlib.contextmanager
    def _disk(self, folder: Path, gold: Gold, random: Random) -> Iterator[None]:
        """A disk for the folder that holds a part of what is to be written."""
        pages = sum(len(data) // 4096 + 1 for data in gold.files.values())
        options = f"size={4 * random.randint(1, max(pages, 1) + 2)}k"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
        try:
            yield
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


def _unfinished(file: str) -> bool:
    return any(part.endswith((".partial", ".old")) for part in file.split("/"))


def can_mount() -> bool:
    """Whether this process may mount small disks."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    with scratch("tunesmith-mount-") as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", folder], capture_output=True)
        if mounted.returncode == 0:
            subprocess.run(["umount", "-l", folder], check=True)
        return mounted.returncode == 0


def known_faults() -> list[str]:
    """Faults that can be made on this machine."""
    found = ["small-files", "closed-streams", "signals"]
    if sys.platform == "linux":
        found += ["no-memory", "full-streams"]
    return [*found, "full-disk"] if can_mount() else found


def main() -> int:
    """Exit code 0 without a finding, 1 with findings."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.faults", description=__doc__)
    parser.add_argument(
        "--verb", action="append", help="a verb of fuzz/verbs.py; all but those of minutes by default"
    )
    parser.add_argument("--fault", action="append", help="one of the faults; all by default")
    parser.add_argument("--case", type=int, help="only the cases with this number")
    asked = parser.parse_args()
    names = asked.verb or [name for name in VERBS if name not in LONG]
    faults = asked.fault or known_faults()
    end = time.monotonic() + seconds()
    random = Random(session_seed())
    cases = dict.fromkeys(faults, 0)
    found: dict[str, str] = {}
    number = asked.case or 0
    with scratch("tunesmith-faults-") as folder:
        work = Faults(Path(folder), session_seed())
        while time.monotonic() < end and (asked.case is None or number == asked.case):
            pairs = [(name, fault) for name in names for fault in faults]
            random.shuffle(pairs)
            for name, fault in pairs:
                if time.monotonic() > end:
                    break
                cases[fault] += 1
                if wrong := work.case(name, fault, number):
                    found[f"{name}/{fault}-{session_seed()}-{number}"] = wrong
            number += 1
    for case, wrong in found.items():
        path = Path(FOLDER) / "faults" / f"{case.replace(' ', '-')}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wrong + "\n", encoding="utf-8")
        print(f"{case}: {' '.join(wrong.split())[:400]}")
    told = ", ".join(f"{fault} {count}" for fault, count in cases.items())
    print(f"faults: {len(names)} verbs, {sum(cases.values())} cases ({told}), {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
