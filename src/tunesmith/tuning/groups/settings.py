"""How features are grouped on training data: what Liu et al. (2013) add to a tuner."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.tuning.compat import check_parts
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.feature_names import matching, name_of

MOST_ALONE = 1000
"""So many features may stand alone beside the groups; every pair holds a value of each."""


IDENTITIES = ("id:*",)
"""What is grouped as a rule: the rules themselves."""


@dataclass(frozen=True)
class Grouping:
    """Groups of features, learnt on training data and tuned on development data (Liu et al. 2013, Algorithm 1).

    loss, optimizer, regularizer: how weights are learnt on the training data (Algorithm 2); features that end
        with equal weights are a group.
    features: names or patterns of the features that are grouped. Every other one is a group of its own, and is not
        penalised.
    shared: names or patterns of features that several rules have, such as word pairs. Weights are learnt for them
        too, and what a rule has of all features learnt decides its rank; then they are done with. So rules that
        training lists do not have are in groups as well. Identities of rules are grouped, by `bins`.
    inner_rounds: how often the development data is optimised on and decoded with one set of groups (r).
    sample: training sentences decoded in a round, others in each; all without it.
    tune_from: what groups start from: the mean of their members' weights before (`previous`), or the weights that
        made them groups (`learnt`).
    bins: features are ordered by the weights learnt and divided into so many groups of equal number; without it,
        those of equal weight are a group.
    support: what is learnt of features that fire in the lists of fewer training sentences than this does not
        count; without shared features they are in no group.
    partition: `random` puts features into groups of the learnt sizes by chance, to see what learning is worth.
    members: `equal` ones have the weight of their group. With `learnt` they have shares of it, the weights that
        were learnt, so that the group's weight says how much that counts; 1 is as much as beside the other
        features' learnt weights.
    cross_fit: from the second round on, each part of the training data is decoded with what was learnt from the
        other parts' lists, as it is decoded by a model that has read the other parts alone.
    """

    loss: Any
    optimizer: Any
    regularizer: Any
    features: tuple[str, ...] = IDENTITIES
    inner_rounds: int = 5
    sample: int | None = None
    tune_from: Literal["previous", "learnt"] = "previous"
    partition: Literal["learnt", "random"] = "learnt"
    bins: int | None = None
    support: int = 1
    shared: tuple[str, ...] = ()
    members: Literal["equal", "learnt"] = "equal"
    cross_fit: bool = False

    def __post_init__(self) -> None:
        if not self.features:
            raise ConfigError("no features to group; patterns such as id:* were expected")
        if self.inner_rounds < 1:
            raise ConfigError(f"inner_rounds = {self.inner_rounds}: at least 1 was expected")
        if self.sample is not None and self.sample < 1:
            raise ConfigError(f"sample = {self.sample}: at least one sentence was expected")
        if self.bins is not None and self.bins < 1:
            raise ConfigError(f"bins = {self.bins}: at least one group was expected")
        if self.shared and (self.bins is None or self.features != IDENTITIES):
            raise ConfigError("shared features are for groups of id:* by rank: bins=5, say, was expected")
        if self.shared and hasattr(self.optimizer, "penalised"):
            raise ConfigError(
                "shared features are learnt by a batch fit: --recipe grouped or grouped-mira was expected, not "
                "one that learns online"
            )
        if self.support < 1:
            raise ConfigError(f"support = {self.support}: at least one sentence was expected")
        if self.tune_from not in ("previous", "learnt"):
            raise ConfigError(f"tune_from = {self.tune_from!r}: previous or learnt was expected")
        if self.partition not in ("learnt", "random"):
            raise ConfigError(f"partition = {self.partition!r}: learnt or random was expected")
        if self.members not in ("equal", "learnt"):
            raise ConfigError(f"members = {self.members!r}: equal or learnt was expected")
        check_parts(self.loss, self.regularizer, self.optimizer)
        offered: frozenset[str] = getattr(self.loss, "offers", frozenset())
        batch = not hasattr(self.optimizer, "penalised") and "of_sentences" in offered
        if self.cross_fit and (self.bins is None or not batch):
            raise ConfigError(
                "cross_fit is for groups by rank of a batch fit: --recipe grouped-mira, say, with --set bins=1"
            )

    def columns(self, features: Any) -> NDArray[np.int64]:
        """The numbers of the features that are grouped; ConfigError where a pattern has none.

        Features of the search have no name before they are met. A penalty that must know how many features there
        are (its dimension) has to be told, others can wait.
        """
        if getattr(self.regularizer, "dimension", None):
            return _columns(features, self.features, self.features)
        counts = hasattr(self.regularizer, "dimension")
        growing = () if counts else getattr(features, "growing", ())
        return _columns(features, self.features, [each for each in self.features if _template(each) in growing])

    def sized(self, features: Any) -> Grouping:
        """With the dimension d of the penalty: the grouped features of the whole model, for all of a run.

        An optimizer that asks which features are penalised is told.
        """
        for template in sorted(getattr(features, "growing", ())):
            if template not in map(_template, (*self.features, *self.shared)):
                raise ConfigError(
                    f"features of {template}, thousands as a rule, would be in no group: add --group "
                    f"'{template}:*', or tune a model without them"
                )
        grouped = int(np.count_nonzero(self.grouped(features, len(features))))
        changed: dict[str, Any] = {}
        dimension = getattr(self.regularizer, "dimension", grouped)
        if dimension is None:
            changed["regularizer"] = dataclasses.replace(self.regularizer, dimension=grouped)
        elif dimension < grouped:
            raise ConfigError(f"dimension = {dimension} is too small: {grouped} features are grouped")
        if hasattr(self.optimizer, "penalised"):
            changed["optimizer"] = dataclasses.replace(self.optimizer, penalised=" ".join(self.features))
        return dataclasses.replace(self, **changed)

    def grouped(self, features: Any, columns: int) -> NDArray[np.bool_]:
        """Which of the first `columns` features are grouped; ConfigError if too many stand alone."""
        grouped = _marked(self.columns(features), columns)
        alone = np.flatnonzero(~grouped & ~self.is_shared(features, columns))
        if len(alone) > MOST_ALONE:
            raise ConfigError(
                f"{len(alone)} features would stand alone beside the groups of {', '.join(self.features)}, such "
                f"as {name_of(features, int(alone[-1]))}; that is more than {MOST_ALONE}. Group them too "
                "(--group), or tune a model without them"
            )
        return grouped

    def is_shared(self, features: Any, columns: int) -> NDArray[np.bool_]:
        """Which of the first `columns` features are shared by rules; ConfigError where a pattern has none."""
        for pattern in self.shared:
            if _template(pattern) in getattr(features, "growing", ()):
                raise ConfigError(
                    f"{pattern}: are features of the search, which rules do not share; features of rules such as "
                    "lexical_alignment:* were expected"
                )
        return _marked(_columns(features, self.shared), columns)

    def constraints(self, features: Any, alone: NDArray[np.bool_]) -> Constraints | None:
        """No penalty for features that stand alone, unless there is none or the optimizer knows them."""
        if self.regularizer is None or hasattr(self.optimizer, "penalised"):
            return None
        names = [name_of(features, at) for at in np.flatnonzero(alone).tolist()]
        return Constraints(penalties=tuple(f"{name}=0" for name in names))


def _columns(features: Any, patterns: Sequence[str], later: Sequence[str] = ()) -> NDArray[np.int64]:
    """The features of these names and patterns; ConfigError where one has none and may not have them `later`."""
    found = [matching(features, pattern) for pattern in patterns]
    for pattern, numbers in zip(patterns, found, strict=True):
        if not numbers.size and pattern not in later:
            raise ConfigError(_missing(pattern, told=_template(pattern) in getattr(features, "growing", ())))
    return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *found]))


def _marked(numbers: NDArray[np.int64], columns: int) -> NDArray[np.bool_]:
    marked = np.zeros(columns, dtype=bool)
    marked[numbers[numbers < columns]] = True
    return marked


def _template(pattern: str) -> str:
    return pattern.partition(":")[0]


def _missing(pattern: str, *, told: bool) -> str:
    """told: the number of such features has to be, since they have no names before they are met."""
    template = _template(pattern)
    if told:
        return (
            f"features of {template} have no names before the search meets them, so the penalty must be told how "
            "many features there will be at most: --set dimension=100000"
        )
    return (
        f"no feature is called {pattern!r}, so there is nothing to group. A model with such features is trained "
        f"with: tunesmith train --features default,{template if template.isidentifier() else 'id'} (run again on "
        "the same directory, only the features are made anew); what else may be grouped is told by: "
        "tunesmith features describe"
    )
