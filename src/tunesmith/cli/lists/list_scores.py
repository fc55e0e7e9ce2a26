"""Scores of candidates by the weights of a file, or those that came with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
    """Scores of lists that come in parts, whose columns are those of the part before and perhaps more.

    labels: the domain of each sentence; features then have the weights that they have in this domain.
    """

    def __init__(self, weights: str | None, labels: Sequence[str] | None = None, *, quiet: bool = False) -> None:
        import numpy as np

        from tunesmith.features.domains import weights_in

        self._path, self._labels = weights, labels
        given = {} if weights is None else dict(read_weights(weights, quiet=quiet).items())
        known = set(labels or ())
        self._weights = {label: weights_in(given, label, known) for label in known} if labels else {"": given}
        self._unused = dict.fromkeys(name for of_label in self._weights.values() for name in of_label)
        self._vectors: dict[str, NDArray[np.float64]] = {label: np.zeros(0) for label in self._weights}
        self._candidates = self._columns = 0

    def __call__(self, lists: CandidateSet, first: int = 0, *, threads: int = 1) -> NDArray[np.float64]:
        """Return features times weights, or the scores that came with the lists.

        first: number of the first list.
        """
        import numpy as np

        self._candidates += len(lists)
        if self._path is None:
            if lists.model_scores is None and len(lists):
                raise ConfigError("these lists have no scores; give weights with -W FILE")
            return np.zeros(0) if lists.model_scores is None else lists.model_scores
        if lists.columns > self._columns:
            names = [lists.features.name(column) for column in range(self._columns, lists.columns)]
            for label, of_label in self._weights.items():
                more = [of_label.get(name, 0.0) for name in names]
                self._vectors[label] = np.concatenate([self._vectors[label], more])
            for name in names:
                self._unused.pop(name, None)
            self._columns = lists.columns
        if self._labels is None:
            return lists.scores(self._vectors[""], threads=threads)
        return self._by_label(lists, self._labels[first : first + lists.sentences], threads)

    def _by_label(self, lists: CandidateSet, labels: Sequence[str], threads: int) -> NDArray[np.float64]:
        import numpy as np

        if len(labels) < lists.sentences:
            raise ConfigError(f"--labels: there are more lists than the {len(self._labels or ())} labels")
        of_rows = np.array(labels, dtype=object)[lists.sentence_of]
        scores = np.zeros(len(lists))
        for label in dict.fromkeys(labels):
            own = of_rows == label
            scores[own] = lists.scores(self._vectors[label], threads=threads)[own]
        return scores

    def check_end(self, sentences: int) -> None:
        """Refuse labels that are left over: they are of other lists."""
        if self._labels is not None and len(self._labels) > sentences:
            raise ConfigError(f"--labels: {len(self._labels)} labels for lists of {sentences} sentences")

    def held_until_known(self, items: Iterable[Item], *, quiet: bool) -> Iterator[Item]:
        """Yield what is made from the scores, held back until a feature with a weight is seen.

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
        if self._without and self._columns:
            self._refuse()
        yield from held
        if self._unused and self._candidates:
            unused = list(self._unused)
            shown = ", ".join(unused[:_NAMES_SHOWN]) + (", …" if len(unused) > _NAMES_SHOWN else "")
            remark(f"{len(unused)} weights are of features that the lists do not have: {shown}", quiet=quiet)

    @property
    def _without(self) -> bool:
        return self._path is not None and not any(vector.any() for vector in self._vectors.values())

    def _refuse(self) -> None:
        if not any(value for of_label in self._weights.values() for value in of_label.values()):
            from tunesmith.tuning.reranking import NO_WEIGHT

            raise ConfigError(f"{self._path}: {NO_WEIGHT}")
        raise ConfigError(f"{self._path}: no feature of these lists has a weight; are they of another system?")
