"""What users of scikit-learn expect of a tuner: parameters, copies, predictions, a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from tunesmith.corpus.given_text import GivenLines, GivenReferences, lines_of, references_of
from tunesmith.corpus.subwords import join_references, join_sources
from tunesmith.errors import ConfigError
from tunesmith.metrics import Metric
from tunesmith.search.dialects import ListFile
from tunesmith.search.given_lists import GivenCandidates, candidates_of
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.pieces import PieceJoiner
from tunesmith.tuning.parameters import nested, replaced, short_repr
from tunesmith.tuning.reranking import chosen_candidates
from tunesmith.tuning.sources.lists import FileSource
from tunesmith.weights import Weights

GivenLists: TypeAlias = FileSource | GivenCandidates


class Estimator(ABC):
    """Settings in the constructor, learnt attributes that end in an underscore.

    `sklearn.base.clone`, `copy.deepcopy` and `pickle` work before and after `fit`. Pickles are for the memory of
    other processes: nothing here writes or reads a file of them.
    """

    metric: Metric
    weights_: Weights

    @abstractmethod
    def _parameters(self) -> dict[str, Any]:
        """Return arguments of the constructor by name."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return arguments of the constructor; with `deep` the settings of parts too, such as `loss__keep`."""
        return nested(self._parameters()) if deep else self._parameters()

    def set_params(self, **changes: Any) -> Any:
        """Change arguments of the constructor and settings of parts, `loss__keep=100`; what was learnt stays."""
        self.__init__(**replaced(self._parameters(), changes, type(self).__name__))  # type: ignore[misc]
        return self

    def __repr__(self) -> str:
        shown = [f"{name}={short_repr(value)}" for name, value in self._parameters().items() if _given(value)]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "weights_")

    def __sklearn_tags__(self) -> Any:
        """Return what meta-estimators of scikit-learn ask for; only they call it."""
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

    @overload
    def predict(
        self,
        candidates: GivenLists,
        *,
        strings: Literal[False] = False,
        subwords: str | None = None,
        threads: int = 1,
    ) -> NDArray[np.int64]: ...
    @overload
    def predict(
        self, candidates: GivenLists, *, strings: Literal[True], subwords: str | None = None, threads: int = 1
    ) -> list[str]: ...
    def predict(
        self, candidates: GivenLists, *, strings: bool = False, subwords: str | None = None, threads: int = 1
    ) -> NDArray[np.int64] | list[str]:
        """Return the candidate that the tuned weights choose for every sentence.

        It is the number of its row in the set, -1 where a sentence has no candidates; with `strings` its text,
        which is then empty.
        subwords: the pieces that candidates are in, which are joined to words; None for what their marks show.
        """
        read, subwords = _read(candidates, subwords)
        joiner, lists = PieceJoiner(subwords), read.candidates
        if strings:
            lists = joiner.joined(lists)
        chosen = self._chosen(lists, threads)
        return [lists.text(at) if at >= 0 else "" for at in chosen.tolist()] if strings else chosen

    def score(
        self,
        candidates: GivenLists,
        references: GivenReferences | None = None,
        *,
        sources: GivenLines | None = None,
        subwords: str | None = None,
        threads: int = 1,
    ) -> float:
        """Score what the tuned weights choose by the tuner's metric, error rates included (lower is better).

        references: of lists that carry neither references nor statistics of the metric.
        sources: for a metric that looks at them.
        subwords: the pieces that candidates are in, which are joined to words; None for what their marks show.
        """
        read, subwords = _read(candidates, subwords)
        joiner = PieceJoiner(subwords)
        lists, given = read.candidates, read.references if references is None else references
        chosen = self._chosen(lists, threads)
        chosen = chosen[chosen >= 0]
        if given is not None:
            lists = joiner.joined(lists)
            texts, _ = join_references(references_of(given, lists.sentences), joiner.found)
            known = read.sources if sources is None else lines_of(sources, "sources")
            if known is not None and self.metric.needs_source:
                known = join_sources(known, subwords)
            prepared = self.metric.prepare_for(texts, known)
            rows = prepared.statistics([lists.text(at) for at in chosen.tolist()], lists.sentence_of[chosen])
        elif lists.statistics is None or lists.statistics.shape[1] != self.metric.width:
            raise ConfigError(f"these lists carry no statistics of {self.metric.label}; give references")
        else:
            rows = np.asarray(lists.statistics[chosen], dtype=np.float64)
        return float(self.metric.score(rows.sum(axis=0)))

    def _chosen(self, lists: CandidateSet, threads: int) -> NDArray[np.int64]:
        if not hasattr(self, "weights_"):
            raise ConfigError("this tuner has no weights yet; call fit first")
        return chosen_candidates(lists, self.weights_, threads=threads)


def _read(candidates: GivenLists, subwords: str | None) -> tuple[ListFile, str | None]:
    """Return the lists and the pieces they are in; words of a source are joined already."""
    if isinstance(candidates, FileSource):
        return candidates.given(), "none"
    return candidates_of(candidates), subwords


def _given(value: Any) -> bool:
    return value is not None and value != ()
