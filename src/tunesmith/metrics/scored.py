"""Metrics that are a model: a score for source, hypothesis and reference, as COMET and the like compute them.

A plug-in derives from `SentenceMetric` and has one method, `score_batch`. Scores are computed in batches, once for
each source, hypothesis and reference, whoever asks: tuners, minimum Bayes risk, oracles, `evaluate`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tunesmith.checks import at_least
from tunesmith.corpus.given_text import GivenLines, GivenReferences, lines_of, references_of
from tunesmith.errors import ConfigError, TunesmithError, cut
from tunesmith.metrics.base import Floats, Integers, Metric, Prepared
from tunesmith.metrics.mean_bleu import mean_of_sums
from tunesmith.metrics.score_cache import ScoreCache, key_of
from tunesmith.signature import Signature
from tunesmith.user_files import failed


class Segment(NamedTuple):
    """What one score is about. The source is empty where the metric does not look at it."""

    source: str
    hypothesis: str
    reference: str


@dataclass(frozen=True)
class SentenceMetric(Metric):
    """The mean over sentences of what a model says; of several references, the mean over them too.

    batch_size: segments handed to `score_batch` at once.
    cache: a file of scores that later runs read, in addition to what is kept in memory.
    """

    batch_size: int = 64
    cache: str | None = None

    def __post_init__(self) -> None:
        at_least(1, batch_size=self.batch_size)

    @abstractmethod
    def score_batch(self, segments: Sequence[Segment]) -> Sequence[float]:
        """Return a finite score for each segment, none of which was scored before."""

    @property
    def needs_source(self) -> bool:
        """False for a model that compares hypothesis and reference alone."""
        return True

    def settings(self) -> dict[str, str | int | float | bool]:
        """Return all fields but `batch_size` and `cache`, which no score depends on."""
        own = (each.name for each in fields(self) if each.name not in ("batch_size", "cache"))
        return {name: _shown(getattr(self, name)) for name in own}

    @property
    def scale(self) -> float:
        """The score of a perfect hypothesis."""
        return 1.0

    @property
    def width(self) -> int:
        """A score and a 1."""
        return 2

    @cached_property
    def scores(self) -> ScoreCache:
        return ScoreCache(str(Signature(self.label, self.settings())), self.cache)

    def prepare(self, references: GivenReferences) -> Prepared:
        return self.prepare_for(references)

    def prepare_for(self, references: GivenReferences, sources: GivenLines | None = None) -> Prepared:
        """Keep references and sources until there are hypotheses."""
        texts = references_of(references)
        if not self.needs_source:
            return PreparedSegments(self, texts, [""] * len(texts))
        lines = lines_of(self._source(sources), "sources")
        if len(lines) != len(texts):
            raise ConfigError(f"{len(lines)} source sentences and references for {len(texts)}")
        return PreparedSegments(self, texts, lines)

    def score(self, statistics: Floats) -> Floats:
        return mean_of_sums(statistics)

    def of_segments(self, segments: Sequence[Segment]) -> Floats:
        """Return scores of segments, each computed once; those that are not known yet in batches."""
        keys = [key_of(*each) for each in segments]
        missing = {key: each for key, each in zip(keys, segments, strict=True) if self.scores.get(key) is None}
        wanted = list(missing)
        for begin in range(0, len(wanted), self.batch_size):
            some = wanted[begin : begin + self.batch_size]
            self.scores.add(zip(some, self._computed([missing[key] for key in some]), strict=True))
        return np.array([self.scores.get(key) for key in keys], dtype=np.float64)

    def _computed(self, segments: Sequence[Segment]) -> list[float]:
        try:
            found = np.asarray(self.score_batch(segments), dtype=np.float64)
        except TunesmithError:
            raise
        except Exception as error:
            raise failed(f"metric {self.label}", error) from error
        if found.shape != (len(segments),) or not np.isfinite(found).all():
            raise ConfigError(
                f"metric {self.label} must give a finite score for each of {len(segments)} segments, got "
                f"{cut(str(found.tolist()))}"
            )
        scores: list[float] = found.tolist()
        return scores


def _shown(value: object) -> str | int | float | bool:
    return value if isinstance(value, str | int | float | bool) else str(value)


class PreparedSegments(Prepared):
    """References and sources that wait for hypotheses."""

    def __init__(
        self, metric: SentenceMetric, references: Sequence[Sequence[str]], sources: Sequence[str]
    ) -> None:
        self._metric, self._sources = metric, sources
        self._references = [list(dict.fromkeys(each)) for each in references]
        self.counts = np.array([len(each) for each in self._references], dtype=np.int64)
        if self.counts.size and not self.counts.all():
            raise ConfigError(f"sentence {int(np.argmin(self.counts))} has no reference")

    def rows(self, hypotheses: Sequence[str], sentences: Integers, threads: int) -> Floats:
        segments = [
            Segment(self._sources[at], text, reference)
            for text, at in zip(hypotheses, sentences.tolist(), strict=True)
            for reference in self._references[at]
        ]
        scores = self._metric.of_segments(segments)
        counts = self.counts[sentences]
        sums = np.add.reduceat(scores, np.cumsum(counts) - counts) if len(counts) else np.zeros(0)
        return np.column_stack([sums / counts, np.ones(len(counts))])
