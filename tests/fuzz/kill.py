"""`python -m fuzz.kill`: verbs that write are killed at random moments; run again they give the same bytes.

Each case: run the command, kill it (SIGKILL, SIGTERM or SIGINT at a random moment, or SIGKILL right before a
random change of a file), run it again to its end. What it wrote must be what an uninterrupted run writes, and
nothing unfinished may be left.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from pathlib import Path
from random import Random

from fuzz.bench import Bench, Gold
from fuzz.contents import contents, differences, left_over
from fuzz.findings import FOLDER
from fuzz.forked import Ended, Forked, run
from fuzz.memory import scratch
from fuzz.options import seconds, session_seed
from fuzz.verbs import LONG, ONCE, VERBS, command

_CHANGES = frozenset({"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link"})
_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
_LONGEST = 120.0
_AN_HOUR = 3600.0


class Kills(Bench):
    """Kills commands and runs them again."""

    def case(self, name: str, number: int) -> str | None:
        """What is wrong with a command that was killed and run again, or None."""
        gold = self.gold(name)
        random = Random(f"{self._seed}/{name}/{number}")
        folder = self._new("work")
        words = command(name, VERBS[name])
        told = ""
        for _ in range(random.choice((1, 1, 2))):  # some are killed twice
            first, how = self._killed(words, folder, gold, random)
            told += f"{how}, ended with {first.code}; "
            if wrong := wrong_end(first):
                return f"{told}{wrong}"
            if first.code == 0 and name in ONCE:
                return None
            make_older(folder)
        again = run(words, folder)
        if again.code != 0:
            return f"{told}run again it ended with {again.code}: {again.errors[-3000:]}"
        if differing := differences(gold.files, contents(folder)):
            return f"{told}run again it wrote other bytes: {differing[:10]}"
        if left := left_over(folder):
            return f"{told}left: {left[:10]}"
        return None

    def _killed(self, words: list[str], folder: Path, gold: Gold, random: Random) -> tuple[Ended, str]:
        if random.random() < 0.4:
            number = random.randint(1, 60)
            ended = run(words, folder, lambda: _die_at_change(number, folder))
            return ended, f"killed at change {number}"
        which = random.choice(_SIGNALS)
        moment = random.uniform(0, 1.05) * gold.seconds
        process = Forked(words, folder)
        told = f"{which.name} at {moment:.3f} s"
        if (early := process.wait(moment)) is not None:
            return early, told
        process.signal(which)
        if (late := process.wait(_LONGEST)) is not None:
            return late, told
        process.signal(signal.SIGKILL)
        process.wait()
        return Ended(-99, "", "", _LONGEST), told


def wrong_end(ended: Ended) -> str | None:
    """What is wrong with the way a process ended that was killed or failed, or None."""
    if ended.code == -99:
        return f"it did not end within {_LONGEST:g} s"
    if "Traceback" in ended.errors or ended.code in (99, -signal.SIGSEGV, -signal.SIGABRT):
        return f"it ended with {ended.code} and said: {ended.errors[-3000:]}"
    return None


def make_older(folder: Path) -> None:
    """Unfinished files as old as those that are removed."""
    then = time.time() - _AN_HOUR
    for path in folder.rglob("*.partial"):
        os.utime(path, (then, then), follow_symlinks=False)


def _die_at_change(number: int, folder: Path) -> None:
    """Kill this process right before its change of files with this number."""
    seen = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if event not in _CHANGES or (event == "open" and not _for_writing(arguments)):
            return
        seen += 1
        if seen == number:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def _for_writing(arguments: tuple[object, ...]) -> bool:
    mode, flags = arguments[1], arguments[2]
    return any(letter in str(mode) for letter in "wax+") or bool(isinstance(flags, int) and flags & os.O_ACCMODE)


def main() -> int:
    """Exit code 0 without a finding, 1 with findings."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.kill", description=__doc__)
    parser.add_argument(
        "--verb", action="append", help="a verb of fuzz/verbs.py; all but those of minutes by default"
    )
    parser.add_argument("--case", type=int, help="only the case with this number")
    asked = parser.parse_args()
    names = asked.verb or [name for name in VERBS if name not in LONG]
    end = time.monotonic() + seconds()
    cases = dict.fromkeys(names, 0)
    found: dict[str, str] = {}
    with scratch("tunesmith-kill-") as folder:
        kills = Kills(Path(folder), session_seed())
        number = asked.case or 0
        while time.monotonic() < end and (asked.case is None or number == asked.case):
            for name in names:
                if time.monotonic() > end:
                    break
                cases[name] += 1
                if wrong := kills.case(name, number):
                    found[f"{name}/{session_seed()}-{number}"] = wrong
            number += 1
    for case, wrong in found.items():
        path = Path(FOLDER) / "kill" / f"{case.replace(' ', '-')}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wrong + "\n", encoding="utf-8")
        print(f"{case}: {wrong.splitlines()[0][:300]}")
    print(f"kills: {len(names)} verbs, {sum(cases.values())} cases, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
