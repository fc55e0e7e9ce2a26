"""`python -m fuzz.kill`: verbs that write are killed at random moments; run again they give the same bytes.

Each case: run the command, kill it (SIGKILL, SIGTERM or SIGINT at a random moment, or SIGKILL right before a
random change of a file), run it again to its end. What it wrote must be what an uninterrupted run writes, and
nothing unfinished may be left. A command that was over before it was killed does not count.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fuzz.bench import Bench
from fuzz.contents import contents, differences, left_over
from fuzz.findings import FOLDER
from fuzz.forked import NOT_BEGUN, Ended, Forked, run
from fuzz.memory import scratch
from fuzz.options import seconds, session_seed
from fuzz.verbs import LONG, ONCE, VERBS, command

_CHANGES = frozenset({"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link"})
_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
_KILLED = {code for number in _SIGNALS for code in (-number, 128 + number)}
_LONGEST = 120.0
_TRIES = 100
_AN_HOUR = 3600.0


class Kills(Bench):
    """Kills commands and runs them again.   kills: how many it has met at work."""

    kills = 0

    def case(self, name: str, number: int) -> str | None:
        """What is wrong with a command that was killed and run again, or None.

        A kill that comes when the command is over is none: it is run again in a new folder, and killed earlier.
        """
        random = Random(f"{self._seed}/{name}/{number}")
        limits = Limits(self.gold(name).seconds)
        told = ""
        for _ in range(_TRIES):
            folder = self._new("work")
            killed, how = self._killed(name, folder, limits, random)
            told += how
            if wrong := self._wrong(killed, name, folder):
                return f"{told}{wrong}"
            if not _was_killed(killed):
                continue
            make_older(folder)
            if random.random() < 1 / 3:  # some are killed twice, if the kill comes in time
                killed, how = self._killed(name, folder, Limits(limits.seconds), random)
                told += how
                if wrong := self._wrong(killed, name, folder):
                    return f"{told}{wrong}"
                make_older(folder)
            whole = name in ONCE and not differences(self.gold(name).files, contents(folder))
            if killed.code != 0 and not whole:  # right before its end: it would refuse what is there
                again = run(command(name, VERBS[name]), folder)
                if again.code != 0:
                    return f"{told}run again it ended with {again.code}: {again.errors[-3000:]}"
                wrong = self._wrong(again, name, folder)
            return None if wrong is None else f"{told}run again {wrong}"
        return f"{told}in {_TRIES} tries it was never killed"

    def _killed(self, name: str, folder: Path, limits: Limits, random: Random) -> tuple[Ended, str]:
        """Kill the command, or be too late and lower the limits; how it ended, and what was done to it."""
        words = command(name, VERBS[name])
        if random.random() < 0.4:
            number = random.randint(1, limits.changes)
            ended = run(words, folder, lambda: _die_at_change(number))
            limits.changes = max(number - 1, 1) if ended.code == 0 else limits.changes
            told = f"killed at change {number}"
        else:
            which = random.choice(_SIGNALS)
            moment = random.uniform(0, limits.seconds)
            ended = _signalled(Forked(words, folder), which, moment)
            limits.seconds = moment if ended.code == 0 else limits.seconds
            told = f"{which.name} at {moment:.3f} s"
        self.kills += _was_killed(ended)
        return ended, f"{told}, ended with {ended.code}; "

    def _wrong(self, ended: Ended, name: str, folder: Path) -> str | None:
        """What is wrong with the way a command ended and, where it did its work, with what it wrote."""
        if wrong := wrong_end(ended):
            return wrong
        if ended.code != 0:
            known = _was_killed(ended) or ended.code == NOT_BEGUN
            return None if known else f"it failed before it was killed: {ended.errors[-3000:]}"
        if differing := differences(self.gold(name).files, contents(folder)):
            return f"it wrote other bytes: {differing[:10]}"
        if left := left_over(folder):
            return f"it left: {left[:10]}"
        return None


@dataclass
class Limits:
    """Up to which second and which change of a file a command is killed; lowered when that was too late."""

    seconds: float
    changes: int = 60


def _was_killed(ended: Ended) -> bool:
    """Whether it was at work when it was killed: neither over nor to begin."""
    return ended.code in _KILLED


def _signalled(process: Forked, which: int, moment: float) -> Ended:
    if (early := process.wait(moment)) is not None:
        return early
    process.signal(which)
    if (late := process.wait(_LONGEST)) is not None:
        return late
    process.signal(signal.SIGKILL)
    process.wait()
    return Ended(-99, "", "", _LONGEST)


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


def _die_at_change(number: int) -> None:
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
    print(f"kills: {len(names)} verbs, {sum(cases.values())} cases, {kills.kills} kills, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
