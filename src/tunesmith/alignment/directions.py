"""Training both directions with sil-thot.

sil-thot holds the interpreter while it trains, so each direction runs in its own process: a plain command
(`python -m tunesmith.alignment.directions FOLDER`), which works the same from scripts and notebooks. There it has
one thread: several would add up counts in another order each time, and links would differ from run to run. How
many it has is settled when its library is loaded, which may have happened in this process already.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import MissingExtraError, TunesmithError
from tunesmith.execution import children
from tunesmith.execution.temporary import temporary_folder

if TYPE_CHECKING:
    from thot.alignment import AlignmentModel

# Words of a sentence beyond which a model of sil-thot needs a second and more for one pair and iteration.
_PATIENCE = {"HmmAlignmentModel": 100, "Ibm3AlignmentModel": 100, "Ibm4AlignmentModel": 100}

Progress = Callable[[int, int], None]
Links = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]
"""Source positions, target positions, and where the links of each pair begin."""


@dataclass(frozen=True)
class Direction:
    """What is trained: the sentences, which pairs take part, models with their iterations.

    flipped: source and target are exchanged; the links come out as (target, source) of this direction.
    """

    source: Sequence[Sequence[str]]
    target: Sequence[Sequence[str]]
    usable: Sequence[bool]
    chain: Sequence[tuple[str, int]]
    seed: int
    flipped: bool = False

    @property
    def iterations(self) -> int:
        return sum(iterations for _, iterations in self.chain)


def longest_sentence(models: Sequence[str]) -> int:
    """Return the longest sentence that all of these models take in reasonable time, in words."""
    return min(min(int(_thot(name)().max_sentence_length), _PATIENCE.get(name, 1024)) for name in models)


def train_directions(
    directions: Sequence[Direction], *, threads: int = 2, progress: Progress | None = None
) -> list[Links]:
    """Return the links of each direction, trained in one process each; with several threads all at once."""
    total, done = sum(direction.iterations for direction in directions), 0

    def count() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    if not sys.executable:
        return [train(direction, count) for direction in directions]
    at_once = 1 if threads == 1 else len(directions)
    said: SimpleQueue[Said] = SimpleQueue()
    found: dict[int, Links] = {}
    with temporary_folder("align") as folder, contextlib.ExitStack() as stack:
        workers: list[_Worker] = []
        while len(found) < len(directions):
            while len(workers) < min(len(directions), len(found) + at_once):
                number = len(workers)
                workers.append(_Worker(directions[number], folder / str(number), partial(_say, said, number)))
                stack.callback(workers[-1].stop)
            number, ended = said.get()
            if ended:
                found[number] = workers[number].links()
            else:
                count()
    return [found[number] for number in range(len(directions))]


Said = tuple[int, bool]
"""What comes from a process: its number, and whether it has ended; otherwise one more iteration is done."""


def _say(said: SimpleQueue[Said], number: int, ended: bool) -> None:
    said.put((number, ended))


def train(direction: Direction, step: Callable[[], None] = lambda: None) -> Links:
    """Train the chain of models on the usable pairs and take the alignment of the last one."""
    models: list[AlignmentModel] = []  # all kept: a model of sil-thot reads from the one that started it
    for name, iterations in direction.chain:
        model = _make(name, models, direction.seed)
        models.append(model)
        if model.num_sentence_pairs == 0:
            for f, e, use in zip(direction.source, direction.target, direction.usable, strict=True):
                if use:
                    model.add_sentence_pair(f, e, 1)
        model.start_training()
        for _ in range(iterations):
            model.train()
            step()
        model.end_training()
    return _links(direction, _matrices(models[-1], direction))


def _matrices(model: AlignmentModel, direction: Direction) -> Iterator[Any]:
    """Yield the alignment matrix of every usable pair, in order.

    Of the sampler it is the one it ended with. For the other models sil-thot searches the best one again; reading
    its stored training alignments of IBM model 2 ends in a segmentation fault (sil-thot 3.5.3).
    """
    if type(model).__name__ == "EflomalAlignmentModel":
        yield from (model.get_training_alignment(pair)[1] for pair in range(sum(direction.usable)))
        return
    pairs = zip(direction.source, direction.target, direction.usable, strict=True)
    usable = ((f, e) for f, e, use in pairs if use)
    while batch := list(islice(usable, 1000)):
        found = model.get_best_alignments([f for f, _ in batch], [e for _, e in batch])
        yield from (matrix for _, matrix in found)


def _links(direction: Direction, matrices: Iterator[Any]) -> Links:
    first, second, offsets = [], [], [0]
    for use in direction.usable:
        size = 0
        if use:
            rows, columns = np.nonzero(next(matrices).to_numpy())
            size = len(rows)
            first.append(rows)
            second.append(columns)
        offsets.append(offsets[-1] + size)
    sides = [np.concatenate(part).astype(np.int32) for part in (first, second)]
    if direction.flipped:
        sides.reverse()
    return sides[0], sides[1], np.array(offsets, dtype=np.int64)


def _make(name: str, before: Sequence[AlignmentModel], seed: int) -> AlignmentModel:
    model: AlignmentModel = _thot(name)(*before[-1:])
    if name == "EflomalAlignmentModel":
        model.emit_training_alignments = True
        model.seed = seed  # type: ignore[attr-defined]
        model.deterministic = True  # type: ignore[attr-defined]
    return model


def _thot(name: str) -> Any:
    try:
        import thot.alignment
    except ImportError:
        raise MissingExtraError(
            "this aligner", "sil-thot", "align", "or take --aligner hmm, which is built in"
        ) from None
    return getattr(thot.alignment, name)


class _Worker:
    """A direction in another process. It prints a line per iteration and writes its links to a file."""

    def __init__(self, direction: Direction, folder: Path, say: Callable[[bool], None]) -> None:
        """Start training in a process.   say: called after each iteration, and with True at the end."""
        self._folder = folder
        folder.mkdir()
        command = [sys.executable, "-m", "tunesmith.alignment.directions", str(folder)]
        with (folder / "messages").open("wb") as messages:
            self._child = children.start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages)
        self._process = self._child.process
        # The corpus goes through a pipe and never lies on a disk that others read.
        with contextlib.suppress(BrokenPipeError), self._process.stdin or io.BytesIO() as pipe:
            pipe.write(json.dumps(vars(direction)).encode())
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout, say), daemon=True)
        self._reader.start()

    @staticmethod
    def _read(stream: IO[bytes], say: Callable[[bool], None]) -> None:
        for _ in stream:
            say(False)
        say(True)

    def links(self) -> Links:
        self._reader.join()
        if self._child.wait() != 0:
            messages = (self._folder / "messages").read_text(encoding="utf-8", errors="replace")
            code = self._process.returncode
            how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
            last = messages.strip().splitlines()[-1:] or [how]
            raise TunesmithError(f"word alignment failed in its own process: {last[0]}")
        with np.load(self._folder / "links.npz", allow_pickle=False) as arrays:
            return arrays["source"], arrays["target"], arrays["offsets"]

    def stop(self) -> None:
        """End the process if it still runs, and close its pipe."""
        self._child.end()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()


def _work(folder: Path) -> None:
    """Run the other end of _Worker."""
    os.environ["OMP_NUM_THREADS"] = "1"  # read when sil-thot is imported
    direction = Direction(**json.load(sys.stdin))

    def step() -> None:
        sys.stdout.write("\n")
        sys.stdout.flush()

    source, target, offsets = train(direction, step)
    np.savez(folder / "links.npz", source=source, target=target, offsets=offsets)


if __name__ == "__main__":
    try:
        _work(Path(sys.argv[1]))
    except Exception as failure:  # the last line is what the other end passes on
        sys.exit("out of memory" if isinstance(failure, MemoryError) else f"{type(failure).__name__}: {failure}")
