"""Word alignment of parallel text in both directions, symmetrised: models of our own, and those of sil-thot.

Deterministic in the seed, for any number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec

from tunesmith import _core
from tunesmith.alignment import hmm
from tunesmith.alignment.directions import Direction, Progress, longest_sentence, train_directions
from tunesmith.alignment.pharaoh import WordAlignments
from tunesmith.alignment.symmetrize import SYMMETRIZATIONS, symmetrize
from tunesmith.checks import at_least, given, one_of, within
from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import ConfigError, FormatError
from tunesmith.registry import did_you_mean

# Models by name: the chain of models that start each other, and iterations of each by default (alignment.md
# has the experiment that gave the ten of eflomal).
OUR_MODELS: dict[str, list[tuple[str, int]]] = {
    "hmm": [(hmm.MODEL1, 5), (hmm.HMM, 5)],
    "ibm1": [(hmm.MODEL1, 5)],
}
THOT_MODELS: dict[str, list[tuple[str, int]]] = {
    "eflomal": [("EflomalAlignmentModel", 10)],
    "fast_align": [("FastAlignModel", 5)],
    "ibm2": [("Ibm1AlignmentModel", 5), ("Ibm2AlignmentModel", 5)],
    "ibm3": [("Ibm1AlignmentModel", 5), ("Ibm2AlignmentModel", 5), ("Ibm3AlignmentModel", 5)],
    "ibm4": [("Ibm1AlignmentModel", 5), ("HmmAlignmentModel", 5), ("Ibm4AlignmentModel", 5)],
    "thot_hmm": [("Ibm1AlignmentModel", 5), ("HmmAlignmentModel", 5)],
}
MODELS = OUR_MODELS | THOT_MODELS
BEST, FALL_BACK = "eflomal", "hmm"


def default_model() -> str:
    """Return eflomal where sil-thot is installed, otherwise our HMM."""
    return BEST if find_spec("thot") is not None else FALL_BACK


@dataclass(frozen=True)
class AlignerOptions:
    """model: a name of MODELS, by default that of `default_model`.

    iterations: of its last model; None is the default of the model.

    symmetrization: how the two directions are joined.   seed: of the sampler (eflomal).
    """

    model: str = field(default_factory=default_model)
    iterations: int | None = None
    symmetrization: str = "grow-diag-final-and"
    seed: int = 1

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise ConfigError(f"unknown aligner {self.model!r}{did_you_mean(self.model, MODELS)}")
        one_of(SYMMETRIZATIONS, symmetrization=self.symmetrization)
        at_least(1, **given(iterations=self.iterations))
        within(0, 2**32 - 1, seed=self.seed)

    @property
    def chain(self) -> list[tuple[str, int]]:
        """Models to train one after the other, with their iterations."""
        *before, (last, default) = MODELS[self.model]
        return [*before, (last, self.iterations or default)]


@dataclass(frozen=True)
class AlignmentResult:
    """Both directions and the joined alignment. notes: remarks for the user."""

    forward: WordAlignments
    backward: WordAlignments
    joined: WordAlignments
    notes: tuple[str, ...] = ()


def align(
    bitext: Bitext, options: AlignerOptions | None = None, *, threads: int = 2, progress: Progress | None = None
) -> AlignmentResult:
    """Align every sentence pair both ways and join the directions.

    A pair with an empty side, or too long for the model, gets no links; notes say how many there were.
    progress: called with (training iterations done, iterations in all).
    """
    options = options or AlignerOptions()
    source, target = [line.split() for line in bitext.source], [line.split() for line in bitext.target]
    ours = options.model in OUR_MODELS
    limit = hmm.LONGEST if ours else longest_sentence([name for name, _ in options.chain])
    usable = [0 < len(f) <= limit and 0 < len(e) <= limit for f, e in zip(source, target, strict=True)]
    if not any(usable):
        raise FormatError("there is no sentence pair with words on both sides; nothing can be aligned")
    if ours:
        texts = [[line if use else "" for line, use in zip(side, usable, strict=True)]
                 for side in (bitext.source, bitext.target)]  # fmt: skip
        forward, backward = hmm.align_both_ways(
            texts[0], texts[1], options.chain, threads=threads, progress=progress
        )
    else:
        directions = [
            Direction(source, target, usable, options.chain, options.seed),
            Direction(target, source, usable, options.chain, options.seed, flipped=True),
        ]
        forward, backward = (
            WordAlignments(_core.Alignments.from_arrays(*links))
            for links in train_directions(directions, threads=threads, progress=progress)
        )
    joined = symmetrize(forward, backward, options.symmetrization, threads=threads)
    return AlignmentResult(forward, backward, joined, _notes(source, target, usable, limit))


def _notes(
    source: Sequence[list[str]], target: Sequence[list[str]], usable: Sequence[bool], limit: int
) -> tuple[str, ...]:
    empty = sum(not f or not e for f, e in zip(source, target, strict=True))
    long = len(usable) - sum(usable) - empty
    notes = []
    if empty:
        notes.append(f"{empty} sentence {_pairs(empty)} with an empty side got no links")
    if long:
        notes.append(f"{long} sentence {_pairs(long)} longer than {limit} words got no links")
    return tuple(notes)


def _pairs(count: int) -> str:
    return "pair" if count == 1 else "pairs"
