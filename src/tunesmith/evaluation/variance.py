"""Reference variance (Green et al. 2014, section 6.2): how far scores depend on the choice of reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError
from tunesmith.metrics.base import Floats, Integers
from tunesmith.metrics.bleu import Bleu
from tunesmith.metrics.mean_bleu import MeanBleuPlusOne
from tunesmith.metrics.sentence_bleu import BleuPlusOne
from tunesmith.signature import Signature


@dataclass(frozen=True)
class ReferenceVariance:
    """BLEU+1 (0 to 100) of each sentence against its references one by one and together.

    counts: different references of each sentence.   minimum, maximum: over single references.   multiple: against
    all of them at once. Sentences with one reference have no spread and are left out of all means.
    """

    signature: Signature
    counts: Integers
    minimum: Floats
    maximum: Floats
    multiple: Floats

    @cached_property
    def several(self) -> NDArray[np.bool_]:
        """Which sentences have two or more different references."""
        return np.asarray(self.counts > 1)

    @cached_property
    def spread(self) -> Floats:
        """Maximum less minimum of the sentences with several references."""
        spread: Floats = (self.maximum - self.minimum)[self.several]
        return spread

    @property
    def mean(self) -> float:
        """M of the paper."""
        return float(self.spread.mean())

    @property
    def deviation(self) -> float:
        """SD of the paper: the sample standard deviation (n - 1), 0 for a single sentence."""
        return float(self.spread.std(ddof=1)) if len(self.spread) > 1 else 0.0

    def as_dict(self) -> dict[str, object]:
        return {
            "sentences": len(self.counts),
            "left_out": int(np.count_nonzero(~self.several)),
            "mean_spread": self.mean,
            "sd_spread": self.deviation,
            "mean_minimum": float(self.minimum[self.several].mean()),
            "mean_maximum": float(self.maximum[self.several].mean()),
            "mean_multiple": float(self.multiple[self.several].mean()),
            "signature": self.signature.as_dict(),
        }


def reference_variance(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    extensions: bool = False,
    lowercase: bool = False,
    tokenize: str = "none",
    threads: int = 1,
) -> ReferenceVariance:
    """Score each hypothesis with each reference alone and with all; `extensions` as Nakov et al. (2012)."""
    metric = MeanBleuPlusOne(extensions=extensions, lowercase=lowercase, tokenize=tokenize)
    bleu = Bleu(lowercase=lowercase, tokenize=tokenize)
    together = bleu.prepare(references)
    if not np.any(together.counts > 1):
        raise FormatError(
            "no sentence has two different references, so there is nothing to compare. "
            "Give all reference files with --refs."
        )
    smoothing = BleuPlusOne.nakov() if extensions else BleuPlusOne()
    # Repeats change neither minimum nor maximum; leaving out exact ones saves work on padded files.
    different = [list(dict.fromkeys(sentence)) for sentence in references]
    sizes = np.array([len(sentence) for sentence in different], dtype=np.int64)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    alone = bleu.prepare([[reference] for sentence in different for reference in sentence])
    rows = alone.statistics([hypotheses[owner] for owner in owners.tolist()], threads=threads)
    single = 100.0 * smoothing.scores(rows)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return ReferenceVariance(
        signature=metric.signature(together),
        counts=together.counts,
        minimum=np.minimum.reduceat(single, starts),
        maximum=np.maximum.reduceat(single, starts),
        multiple=100.0 * smoothing.scores(together.statistics(hypotheses, threads=threads)),
    )
