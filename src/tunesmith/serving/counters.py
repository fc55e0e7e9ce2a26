"""Counters of the server in the text format that Prometheus reads."""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds of the histogram of seconds, each with the answers that took no longer."""


@dataclass
class Counters:
    """What the server has done so far."""

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    sentences: int = 0
    words: int = 0
    seconds: float = 0.0
    within: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    started: float = field(default_factory=time.time)

    def answered(self, path: str, status: int, seconds: float) -> None:
        """Count an answer by its path and HTTP status."""
        self.requests[path, status] += 1
        self.seconds += seconds
        self.within[next((at for at, bound in enumerate(BOUNDS) if seconds <= bound), len(BOUNDS))] += 1

    def text(self, waiting: int) -> str:
        """Return the page that Prometheus reads."""
        return "".join(f"{line}\n" for line in self._lines(waiting))

    def _lines(self, waiting: int) -> Iterator[str]:
        yield from _head("tunesmith_requests_total", "counter", "Answers by path and status.")
        for (path, status), count in sorted(self.requests.items()):
            yield f'tunesmith_requests_total{{path="{path}",status="{status}"}} {count}'
        used = resource.getrusage(resource.RUSAGE_SELF)
        for name, kind, about, value in (
            ("tunesmith_sentences_total", "counter", "Sentences translated.", self.sentences),
            ("tunesmith_source_words_total", "counter", "Words of these sentences.", self.words),
            ("tunesmith_waiting_sentences", "gauge", "Sentences that wait for the decoder.", waiting),
            ("process_cpu_seconds_total", "counter", "Processor time.", used.ru_utime + used.ru_stime),
            ("process_resident_memory_bytes", "gauge", "Memory, with the files of the model.", _memory()),
            ("process_start_time_seconds", "gauge", "When the server was started.", self.started),
        ):
            if value is not None:
                yield from _head(name, kind, about)
                yield f"{name} {value}"
        yield from _head("tunesmith_request_seconds", "histogram", "Time from request to answer.")
        total = 0
        for bound, count in zip((*BOUNDS, "+Inf"), self.within, strict=True):
            total += count
            yield f'tunesmith_request_seconds_bucket{{le="{bound}"}} {total}'
        yield f"tunesmith_request_seconds_sum {self.seconds}"
        yield f"tunesmith_request_seconds_count {total}"


def _memory() -> int | None:
    """Return the bytes that this process holds in memory; None where the system does not say."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return None
    return int(pages) * resource.getpagesize()


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
