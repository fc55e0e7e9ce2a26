"""Word alignment of parallel text by the models of sil-thot, in both directions, symmetrised.

Deterministic in the seed: each direction is trained by one thread, and threads only run the two side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tunesmith import _core
from tunesmith.alignment.pharaoh import WordAlignments
from tunesmith.alignment.symmetrize import SYMMETRIZATIONS, symmetrize
from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import ConfigError, FormatError, MissingExtraError

if TYPE_CHECKING:
    from thot.alignment import AlignmentModel

Progress = Callable[[int, int], None]
"""Called with (training iterations done, iterations in all)."""

# Models by name: the chain of models that start each other, and iterations of each by default (docs/alignment.md
# has the experiment behind the ten of eflomal).
MODELS: dict[str, list[tuple[str, int]]] = {
    "eflomal": [("EflomalAlignmentModel", 10)],
    "hmm": [("Ibm1AlignmentModel", 5), ("HmmAlignmentModel", 5)],
    "fast_align": [("FastAlignModel", 5)],
    "ibm1": [("Ibm1AlignmentModel", 5)],
    "ibm2": [("Ibm1AlignmentModel", 5), ("Ibm2AlignmentModel", 5)],
    "ibm3": [("Ibm1AlignmentModel", 5), ("Ibm2AlignmentModel", 5), ("Ibm3AlignmentModel", 5)],
    "ibm4": [("Ibm1AlignmentModel", 5), ("HmmAlignmentModel", 5), ("Ibm4AlignmentModel", 5)],
}


@dataclass(frozen=True)
class AlignerOptions:
    """model: a name of MODELS.   iterations: of its last model; None is the default of the model.

    symmetrization: how the two directions are joined.   seed: of the sampler (eflomal).
    """

    model: str = "eflomal"
    iterations: int | None = None
    symmetrization: str = "grow-diag-final-and"
    seed: int = 1

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise ConfigError(f"unknown alignment model {self.model!r}. Known: {', '.join(MODELS)}")
        if self.symmetrization not in SYMMETRIZATIONS:
            raise ConfigError(
                f"unknown symmetrisation {self.symmetrization!r}. Known: {', '.join(SYMMETRIZATIONS)}"
            )
        if self.iterations is not None and self.iterations < 1:
            raise ConfigError(f"{self.iterations} iterations: at least one was expected")
        if not 0 <= self.seed < 2**32:
            raise ConfigError(f"seed {self.seed} is not between 0 and {2**32 - 1}")

    @property
    def chain(self) -> list[tuple[str, int]]:
        """Models to train one after the other, with their iterations."""
        *before, (last, default) = MODELS[self.model]
        return [*before, (last, self.iterations or default)]


@dataclass(frozen=True)
class AlignmentResult:
    """Both directions and the joined alignment. notes: what the caller should be told."""

    forward: WordAlignments
    backward: WordAlignments
    joined: WordAlignments
    notes: tuple[str, ...] = ()


def align(
    bitext: Bitext, options: AlignerOptions | None = None, *, threads: int = 2, progress: Progress | None = None
) -> AlignmentResult:
    """Align every sentence pair both ways and join the directions.

    A pair with an empty side, or too long for the model, gets no links; notes say how many there were.
    """
    options = options or AlignerOptions()
    source, target = [line.split() for line in bitext.source], [line.split() for line in bitext.target]
    limit = longest_sentence(options)
    usable = [0 < len(f) <= limit and 0 < len(e) <= limit for f, e in zip(source, target, strict=True)]
    if not any(usable):
        raise FormatError("there is no sentence pair with words on both sides; nothing can be aligned")
    notes = _notes(source, target, usable, limit)
    directions = [(source, target, usable, options, False), (target, source, usable, options, True)]
    if threads > 1 and progress is None:
        with ProcessPoolExecutor(2) as pool:
            forward, backward = pool.map(_one_direction, directions)
    else:
        forward, backward = (
            _one_direction(direction, _part(progress, number)) for number, direction in enumerate(directions)
        )
    both = [WordAlignments(_core.Alignments.from_arrays(*arrays)) for arrays in (forward, backward)]
    return AlignmentResult(*both, symmetrize(*both, options.symmetrization, threads=threads), notes)


def longest_sentence(options: AlignerOptions) -> int:
    """The longest sentence every model of the chain takes, in words."""
    return min(int(_thot(name)().max_sentence_length) for name, _ in options.chain)


def _notes(
    source: Sequence[list[str]], target: Sequence[list[str]], usable: Sequence[bool], limit: int
) -> tuple[str, ...]:
    empty = sum(not f or not e for f, e in zip(source, target, strict=True))
    long = len(usable) - sum(usable) - empty
    notes = []
    if empty:
        notes.append(f"{empty} sentence pairs with an empty side got no links")
    if long:
        notes.append(f"{long} sentence pairs longer than {limit} words got no links")
    return tuple(notes)


def _part(progress: Progress | None, direction: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, total: progress(direction * total + done, 2 * total)


Direction = tuple[list[list[str]], list[list[str]], list[bool], AlignerOptions, bool]
Arrays = tuple[Any, Any, Any]


def _one_direction(direction: Direction, progress: Progress | None = None) -> Arrays:
    """Arrays of links of one direction; `flipped` when source and target were exchanged."""
    source, target, usable, options, flipped = direction
    model = None
    total, done = sum(iterations for _, iterations in options.chain), 0
    for name, iterations in options.chain:
        model = _make(name, model, options)
        if model.num_sentence_pairs == 0:
            for f, e, use in zip(source, target, usable, strict=True):
                if use:
                    model.add_sentence_pair(f, e, 1)
        model.start_training()
        for _ in range(iterations):
            model.train()
            done += 1
            if progress is not None:
                progress(done, total)
        model.end_training()
    assert model is not None
    return _links(model, usable, flipped)


def _links(model: AlignmentModel, usable: Sequence[bool], flipped: bool) -> Arrays:
    first, second, offsets = [], [], [0]
    at = size = 0
    for use in usable:
        if use:
            rows, columns = np.nonzero(model.get_training_alignment(at)[1].to_numpy())
            at += 1
            first.append(rows)
            second.append(columns)
            size += len(rows)
        offsets.append(size)
    sides = [np.concatenate(part).astype(np.int32) for part in (first, second)]
    if flipped:
        sides.reverse()
    return sides[0], sides[1], np.array(offsets, dtype=np.int64)


def _make(name: str, before: AlignmentModel | None, options: AlignerOptions) -> AlignmentModel:
    model = _thot(name)() if before is None else _thot(name)(before)
    model.emit_training_alignments = True
    if name == "EflomalAlignmentModel":
        model.seed = options.seed
        model.deterministic = True
    return model


def _thot(name: str) -> Any:
    try:
        import thot.alignment
    except ImportError:
        raise MissingExtraError("word alignment", "sil-thot", "align") from None
    return getattr(thot.alignment, name)
