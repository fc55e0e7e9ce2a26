"""Word classes learnt from text by exchange."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tunesmith import _core
from tunesmith.clustering.classes import WordClasses
from tunesmith.clustering.counting import count_bigrams
from tunesmith.clustering.options import ClusteringOptions
from tunesmith.errors import ConfigError, FormatError, core_errors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Pass:
    """One pass over the words: number of classes, words that moved, the objective after it."""

    classes: int
    moves: int
    objective: float


@dataclass(frozen=True)
class Clustering:
    """Classes with what they were learnt from.

    types: different words of the text.      words: those that have a class, `<unk>` with them.
    """

    classes: WordClasses
    sentences: int
    tokens: int
    types: int
    words: int
    passes: tuple[Pass, ...]

    @property
    def converged(self) -> bool:
        """Whether no word moved in the last pass."""
        return self.passes[-1].moves == 0


def cluster(
    lines: Iterable[str],
    options: ClusteringOptions = ClusteringOptions(),  # noqa: B008 (frozen)
    *,
    start: WordClasses | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Clustering:
    """Learn classes by exchange (Kneser and Ney 1993; Uszkoreit and Brants 2008).

    Words begin in class (rank by count) mod `classes`, or in their class of `start`; words that `start` lacks are
    put into their best class by the first pass. The result does not depend on threads.
    progress: called with (passes done, passes at most).
    """
    if start is not None and options.refine_from is not None:
        raise ConfigError("refine_from cannot be used with given classes; leave one of them out")
    if start is not None and len(start.names) > options.classes:
        raise ConfigError(
            f"classes must be at least {len(start.names)}, as many as the given map has, got {options.classes}"
        )
    counter = count_bigrams(lines, digits_to_one=options.digits_to_one)
    if counter.tokens == 0:
        raise FormatError("the text has no words, so there is nothing to cluster")
    with core_errors(None):
        bigrams = counter.choose(options.min_count, [])
        words = bigrams.words()
        numbers, passes = _exchange(bigrams, options, _first_classes(words, options, start), threads, progress)
    names = _names(options.classes, start)
    counts = bigrams.counts().tolist()
    order = sorted(range(len(words)), key=lambda word: (int(numbers[word]), word))
    classes = WordClasses(
        {words[at]: names[int(numbers[at])] for at in order}, {words[at]: counts[at] for at in order}
    )
    return Clustering(classes, counter.sentences, counter.tokens, counter.types, len(words), tuple(passes))


def _exchange(
    bigrams: _core.Bigrams,
    options: ClusteringOptions,
    numbers: NDArray[np.int32],
    threads: int,
    progress: Progress | None,
) -> tuple[NDArray[np.int32], list[Pass]]:
    import numpy as np

    objective = _core.ClassObjective[options.objective.replace("-", "_")]
    levels = options.levels()
    most = options.refine_passes * (len(levels) - 1) + options.passes
    passes: list[Pass] = []
    free = np.zeros(len(bigrams), dtype=np.bool_)
    for place, level in enumerate(levels):
        if place > 0:
            numbers = divided(numbers, levels[place - 1], level)
        exchange = _core.Exchange(bigrams, objective, level, numbers, free)
        for _ in range(options.passes if level == options.classes else options.refine_passes):
            moves = exchange.make_pass(threads)
            passes.append(Pass(level, moves, exchange.objective))
            if progress is not None:
                progress(len(passes), most)
            if moves == 0:
                break
        numbers = exchange.classes()
    return numbers, passes


def divided(numbers: NDArray[np.int32], few: int, many: int) -> NDArray[np.int32]:
    """Divide `few` classes into `many`: words of class c go in turn to c, c + few, c + 2·few, … below `many`."""
    seen = [0] * few
    out = numbers.copy()
    for word, number in enumerate(numbers.tolist()):
        parts = (many - number - 1) // few + 1
        out[word] = number + few * (seen[number] % parts)
        seen[number] += 1
    return out


def _first_classes(words: list[str], options: ClusteringOptions, start: WordClasses | None) -> NDArray[np.int32]:
    import numpy as np

    if start is not None:
        return start.numbers(words)
    return (np.arange(len(words)) % options.levels()[0]).astype(np.int32)


def _names(classes: int, start: WordClasses | None) -> list[str]:
    """Name the classes by number; with a given map by its names, then by numbers that it does not use."""
    taken = [] if start is None else start.names
    unused = (str(number) for number in range(classes + len(taken)) if str(number) not in set(taken))
    return [*taken, *(next(unused) for _ in range(classes - len(taken)))]
