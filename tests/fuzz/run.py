"""The session: shares out time among kinds and workers, watches them, counts."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import TextIO

from fuzz import findings
from fuzz.kind import Files, Kind
from fuzz.memory import scratch
from fuzz.worker import Done, Limits, Task, Worker

_FIRST, _LEAST, _MOST = 5, 1, 20_000  # cases of a task
_SLICE = 0.5  # seconds of a task, about
_ENOUGH = 20  # findings of a kind: then it is left alone


@dataclass
class Count:
    """What was done of a kind."""

    cases: int = 0
    seconds: float = 0.0
    findings: dict[int, str] = field(default_factory=dict)

    @property
    def speed(self) -> float:
        return self.cases / self.seconds if self.seconds else 0.0


@dataclass
class Session:
    """Kinds with their seeds.

    seconds, cases: both end it; None for no limit.   per_kind: cases of each kind, no more and no less.
    """

    kinds: Mapping[str, Kind]
    seeds: Mapping[str, list[Files]]
    seed: int = 1
    seconds: float | None = None
    cases: int | None = None
    per_kind: int | None = None
    workers: int = 2
    limits: Limits = field(default_factory=Limits)
    save_to: Path | None = None
    counts: dict[str, Count] = field(default_factory=dict)

    def run(self) -> bool:
        """Run it; whether there was no finding."""
        self.counts = {name: Count() for name in self.kinds}
        self._next = dict.fromkeys(self.kinds, 0)
        self._rest: dict[str, deque[range]] = {name: deque() for name in self.kinds}
        self._out = dict.fromkeys(self.kinds, 0)  # tasks of each kind that workers have
        self._began = time.monotonic()
        with scratch("tunesmith-fuzz-") as folder:
            self._folder = Path(folder)
            workers = [self._worker() for _ in range(self.workers)]
            try:
                self._share_out(workers)
            finally:
                for worker in workers:
                    worker.end()
        return not any(count.findings for count in self.counts.values())

    def _worker(self) -> Worker:
        return Worker(self.kinds, self.seeds, self.seed, self.limits, self._folder)

    def _share_out(self, workers: list[Worker]) -> None:
        for worker in workers:
            self._start(worker)
        while any(worker.task for worker in workers):
            ready = wait([worker.connection for worker in workers if worker.task], timeout=0.2)
            for at, worker in enumerate(workers):
                if worker.task is None:
                    continue
                if worker.connection in ready:
                    try:
                        self._count(worker, worker.connection.recv())
                    except (EOFError, ConnectionError):
                        workers[at] = self._replaced(worker, worker.wait())
                elif why := worker.overdue():
                    worker.end()
                    workers[at] = self._replaced(worker, why)

    def _replaced(self, worker: Worker, wrong: str) -> Worker:
        """A new worker that continues after the case which ended the old one."""
        task, number = worker.task, worker.at()
        assert task is not None
        count = self.counts[task.kind]
        count.cases += number - task.begin + 1
        self._found(task.kind, number, wrong)
        count.seconds += self.limits.seconds if wrong.startswith("hangs") else 0.1
        self._give_back(task, number + 1)
        new = self._worker()
        self._start(new)
        return new

    def _count(self, worker: Worker, done: Done) -> None:
        task = worker.task
        assert task is not None
        count = self.counts[task.kind]
        count.cases += done.cases
        count.seconds += done.seconds
        for number, wrong in done.findings.items():
            self._found(task.kind, number, wrong)
        self._give_back(task, task.begin + done.cases)
        self._start(worker)

    def _give_back(self, task: Task, begin: int) -> None:
        """What is left of a task."""
        self._out[task.kind] -= 1
        if begin < task.begin + task.count:
            self._rest[task.kind].append(range(begin, task.begin + task.count))

    def _found(self, kind: str, number: int, wrong: str) -> None:
        self.counts[kind].findings[number] = wrong
        if self.save_to is not None:
            findings.save(self.save_to, self.kinds[kind], self.seeds[kind], self.seed, number, wrong)

    def _start(self, worker: Worker) -> None:
        task = self._next_task()
        worker.task = None
        if task is not None:
            worker.start(task)

    def _next_task(self) -> Task | None:
        """Cases of the kind that has had the least time for its weight."""
        left = [name for name in self.kinds if self._left(name) > 0]
        given = sum(self._next.values()) - sum(len(each) for rest in self._rest.values() for each in rest)
        most = _MOST if self.cases is None else self.cases - given
        if not left or most <= 0 or (self.seconds is not None and time.monotonic() - self._began > self.seconds):
            return None
        name = min(left, key=lambda each: (self._share(each), self._next[each]))
        speed = self.counts[name].speed
        count = min(max(int(speed * _SLICE), _LEAST), _MOST) if speed else _FIRST
        count = min(count, self._left(name), most)
        if self._rest[name]:
            some = self._rest[name].popleft()
            begin, count = some.start, min(count, len(some))
            if count < len(some):
                self._rest[name].appendleft(some[count:])
        else:
            begin = self._next[name]
            self._next[name] += count
        self._out[name] += 1
        return Task(name, begin, count, _SLICE)

    def _share(self, name: str) -> float:
        return (self.counts[name].seconds + self._out[name] * _SLICE) / self.kinds[name].weight

    def _left(self, name: str) -> int:
        if len(self.counts[name].findings) >= _ENOUGH:
            return 0
        if self.per_kind is None:
            return _MOST
        return self.per_kind - self._next[name] + sum(map(len, self._rest[name]))

    def report(self, out: TextIO) -> None:
        """Print a table for users."""
        wall = time.monotonic() - self._began
        print(f"{'kind':<34}{'cases':>10}{'cases/s':>10}{'findings':>10}", file=out)
        for name, count in self.counts.items():
            print(f"{name:<34}{count.cases:>10}{count.speed:>10.0f}{len(count.findings):>10}", file=out)
        cases = sum(count.cases for count in self.counts.values())
        found = sum(len(count.findings) for count in self.counts.values())
        print(f"{f'{len(self.counts)} kinds':<34}{cases:>10}{cases / max(wall, 1e-9):>10.0f}{found:>10}", file=out)
