"""Groups of rules without supervision: k-means over what is known of each rule (MacQueen 1967).

Liu et al. (2013) argue that such groups do not serve: nothing in them knows of translation quality. This is the
argument as a row.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.grammar import RuleTable
from tunesmith.metrics.base import Floats

_SAMPLE = 20_000  # rules that the centres are computed from
_PASSES = 20
_LEAST = 1e-7  # of a probability, before its logarithm


def cluster_rules(points: Floats, groups: int, seed: int) -> NDArray[np.int64]:
    """Return the cluster of each rule, 0 … groups - 1; fewer where rules are too much alike."""
    if groups < 1:
        raise ConfigError(f"groups must be at least 1, got {groups}")
    from scipy.cluster.vq import kmeans2, vq

    generator = np.random.default_rng(seed)
    sample = points[generator.permutation(len(points))[:_SAMPLE]]
    centres = np.unique(sample, axis=0)
    centres = centres[generator.permutation(len(centres))[:groups]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a cluster that becomes empty keeps its centre
        centres, _ = kmeans2(sample, centres, iter=_PASSES, minit="matrix")
    found, _ = vq(points, centres)
    used, numbers = np.unique(found, return_inverse=True)
    assert len(used) <= groups
    return numbers.astype(np.int64)


def describe_rules(table: RuleTable) -> Floats:
    """Return a row of numbers for each rule, each column of mean 0 and variance 1.

    The logarithms of its scores and of its count, symbols and gaps of its source side, symbols of its target side.
    """
    scores = np.log(np.maximum(np.asarray(table.array("scores"), dtype=np.float64), _LEAST))
    counts = np.log(np.maximum(np.asarray(table.array("joint_counts"), dtype=np.float64), _LEAST))
    rules, starts = (table.offsets(name, 0, table.source_sides) for name in ("source_rules", "source_offsets"))
    sides = np.repeat(np.arange(table.source_sides), rules[1:] - rules[:-1])
    gaps = np.add.reduceat((np.asarray(table.array("source_symbols")) < 0).astype(np.int64), starts[:-1])
    ends = table.offsets("target_offsets", 0, len(table))
    sizes, lengths = (starts[1:] - starts[:-1])[sides], ends[1:] - ends[:-1]
    columns = np.column_stack([scores, counts, sizes, gaps[sides], lengths])
    spread = columns.std(axis=0)
    return np.asarray((columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0), dtype=np.float64)
