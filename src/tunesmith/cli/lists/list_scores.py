"""Scores of candidates by the weights of a file, or those that came with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from tunesmith.cli.console import remark
from tunesmith.cli.weights_file import read_weights
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tunesmith.search import CandidateSet

_NAMES_SHOWN = 5
_MOST_WITHOUT = 100_000
Item = TypeVar("Item")


class ListScores:
    """Scores of lists that come in parts, whose columns are those of the part before and perhaps more."""

    def __init__(self, weights: str | None, *, quiet: bool = False) -> None:
        import numpy as np

        self._path = weights
        self._weights = None if weights is None else dict(read_weights(weights, quiet=quiet).items())
        self._unused = dict.fromkeys(self._weights or ())
        self._vector: NDArray[np.float64] = np.zeros(0)
        self._candidates = 0

    def __call__(self, lists: CandidateSet, *, threads: int = 1) -> NDArray[np.float64]:
        """Features times weights, or the scores that came with the lists."""
        import numpy as np

        self._candidates += len(lists)
        if self._weights is None:
            if lists.model_scores is None and len(lists):
                raise ConfigError("these lists have no scores; give weights with -W FILE")
            return np.zeros(0) if lists.model_scores is None else lists.model_scores
        known = len(self._vector)
        if lists.columns > known:
            names = [lists.features.name(column) for column in range(known, lists.columns)]
            more = [self._weights.get(name, 0.0) for name in names]
            self._vector = np.concatenate([self._vector, more])
            for name in names:
                self._unused.pop(name, None)
        return lists.scores(self._vector, threads=threads)

    def held_until_known(self, items: Iterable[Item], *, quiet: bool) -> Iterator[Item]:
        """What is made from the scores, held back until a feature with a weight was seen.

        So weights of another system are refused before anything is written, in lists of a usual size.
        """
        held: list[Item] = []
        for item in items:
            if not self._without:
                yield from held
                held.clear()
                yield item
                continue
            held.append(item)
            if self._candidates > _MOST_WITHOUT:
                self._refuse()
        if self._without and len(self._vector):
            self._refuse()
        yield from held
        if self._unused and self._candidates:
            unused = list(self._unused)
            shown = ", ".join(unused[:_NAMES_SHOWN]) + (", …" if len(unused) > _NAMES_SHOWN else "")
            remark(f"{len(unused)} weights are of features that the lists do not have: {shown}", quiet=quiet)

    @property
    def _without(self) -> bool:
        return self._weights is not None and not self._vector.any()

    def _refuse(self) -> None:
        raise ConfigError(f"{self._path}: no feature of these lists has a weight; are they of another system?")
