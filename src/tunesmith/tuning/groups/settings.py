"""A grouping: what is learnt on training data, and how that divides features into groups (Liu et al. 2013)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tunesmith.checks import at_least
from tunesmith.errors import ConfigError
from tunesmith.features.base import templates
from tunesmith.features.index import FeatureIndex
from tunesmith.features.start import is_dense
from tunesmith.settings import NOT_TYPED
from tunesmith.tuning.feature_names import matching
from tunesmith.tuning.groups.partitions import Partition, Ties, read_partition
from tunesmith.tuning.loop.parts import Learner
from tunesmith.tuning.regularizers.base import Sized

MOST_ALONE = 1000
"""The most features that may stand alone, outside of the groups; every pair holds a value of each."""

IDENTITIES = ("id:*",)
"""What is grouped as a rule: the rules themselves."""


@dataclass(frozen=True)
class Grouping:
    """A learner and a partition: groups of features (Liu et al. 2013, Algorithm 1).

    features: names or patterns of the features that are grouped; without any, those of all sparse templates that
        the model has. Every other feature is its own group, and is not penalised.
    shared: names or patterns of features that several rules have, such as word pairs. Weights are learnt for them
        too, and what a rule has of all features learnt decides its rank; then they are dropped. So rules that
        training lists do not have are in groups as well. Identities of rules are grouped, by rank.
    support: what is learnt of features that fire in the lists of fewer training sentences than this does not
        count; without shared features they are in no group.
    """

    learner: Learner = field(metadata=NOT_TYPED)
    partition: Partition = field(default_factory=Ties, metadata={"read": read_partition})
    features: tuple[str, ...] = field(default=IDENTITIES, metadata=NOT_TYPED)
    shared: tuple[str, ...] = field(default=(), metadata=NOT_TYPED)
    support: int = 1

    def __post_init__(self) -> None:
        if self.shared and not (self.partition.by_rank and self.features == IDENTITIES):
            raise ConfigError("shared features are for groups of id:* by rank: give --set partition=ranks")
        if self.shared and self.learner.optimizer.online:
            raise ConfigError(
                "shared features are learnt by a batch fit: use --recipe grouped or grouped-mira, not one that "
                "learns online"
            )
        at_least(1, support=self.support)

    def columns(self, features: FeatureIndex) -> NDArray[np.int64]:
        """Return the numbers of the features that are grouped; ConfigError where a pattern has none.

        Features of the search have no name before they are met. A penalty that depends on how many features there
        are (its dimension) must have it set then, others can wait.
        """
        penalty = self.learner.regularizer
        if isinstance(penalty, Sized):
            later = self.features if penalty.dimension else ()
        else:
            later = tuple(each for each in self.features if _template(each) in features.growing)
        return _columns(features, self.features, later)

    def sized(self, features: FeatureIndex) -> Grouping:
        """Fill in what depends on the model: which features are grouped, and the dimension d of the penalty."""
        if not self.features:
            return dataclasses.replace(self, features=_sparse(features)).sized(features)
        for template in sorted(features.growing):
            if template not in map(_template, (*self.features, *self.shared)):
                raise ConfigError(
                    f"features of {template}, thousands as a rule, would be in no group: add --group "
                    f"'{template}:*', or tune a model without them"
                )
        grouped = int(np.count_nonzero(self.grouped(features, len(features))))
        penalty = self.learner.regularizer
        if not isinstance(penalty, Sized):
            return self
        if penalty.dimension is not None and penalty.dimension < grouped:
            raise ConfigError(f"dimension = {penalty.dimension} is too small: {grouped} features are grouped")
        fitting = penalty.sized(grouped)
        return dataclasses.replace(self, learner=dataclasses.replace(self.learner, regularizer=fitting))

    def grouped(self, features: FeatureIndex, columns: int) -> NDArray[np.bool_]:
        """Return which of the first `columns` features are grouped; ConfigError if too many stand alone."""
        grouped = _marked(self.columns(features), columns)
        alone = np.flatnonzero(~grouped & ~self.is_shared(features, columns))
        if len(alone) > MOST_ALONE:
            raise ConfigError(
                f"{len(alone)} features would stand alone, outside of the groups of {', '.join(self.features)}, "
                f"such as {features.name(int(alone[-1]))}; that is more than {MOST_ALONE}. Group them too "
                "(--group), or tune a model without them"
            )
        return grouped

    def is_shared(self, features: FeatureIndex, columns: int) -> NDArray[np.bool_]:
        """Mark which of the first `columns` features are shared by rules; ConfigError if a pattern has none."""
        for pattern in self.shared:
            if _template(pattern) in features.growing:
                raise ConfigError(
                    f"{pattern}: are features of the search, which rules do not share; give features of rules "
                    "such as lexical_alignment:*"
                )
        return _marked(_columns(features, self.shared), columns)


def _sparse(features: FeatureIndex) -> tuple[str, ...]:
    """Return patterns of all sparse templates that the model has; ConfigError where it has none."""
    sparse = [name for name in templates if not is_dense(name)]
    found = [name for name in sparse if name in features.growing or features.with_prefix(f"{name}:").size]
    if not found:
        raise ConfigError(
            "there is nothing to group: all features are dense, or of templates that are not known (--group "
            "'NAME*' names features of lists). A model gets sparse features by: tunesmith train --features "
            "default,shares (run again on the same directory, only the features are computed again)"
        )
    return tuple(f"{name}:*" for name in sorted(found))


def _columns(features: FeatureIndex, patterns: Sequence[str], later: Sequence[str] = ()) -> NDArray[np.int64]:
    """Return the features of these names and patterns; ConfigError if one has none and gets none `later`."""
    for pattern in patterns:
        if pattern not in later and not matching(features, pattern).size:
            raise ConfigError(_missing(pattern, growing=_template(pattern) in features.growing))
    return matching(features, *patterns)


def _marked(numbers: NDArray[np.int64], columns: int) -> NDArray[np.bool_]:
    marked = np.zeros(columns, dtype=bool)
    marked[numbers[numbers < columns]] = True
    return marked


def _template(pattern: str) -> str:
    return pattern.partition(":")[0]


def _missing(pattern: str, *, growing: bool) -> str:
    """Return the message on missing features.   growing: they have no names before the search meets them."""
    template = _template(pattern)
    if growing:
        return (
            f"features of {template} have no names before the search meets them, so the penalty needs the largest "
            "number of features that there may be: --set dimension=100000"
        )
    return (
        f"no feature is called {pattern!r}, so there is nothing to group. A model with such features is trained "
        f"with: tunesmith train --features default,{template if template.isidentifier() else 'id'} (run again on "
        "the same directory, only the features are computed again); what else may be grouped is shown by: "
        "tunesmith features describe"
    )
