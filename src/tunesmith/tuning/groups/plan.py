"""Rounds that learn groups of features on training data and tune them on dev (Liu et al. 2013, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, get_args

from tunesmith.checks import at_least, given, one_of
from tunesmith.errors import ConfigError
from tunesmith.settings import NOT_TYPED, settings_of
from tunesmith.tuning import compat
from tunesmith.tuning.capabilities import missing
from tunesmith.tuning.groups.cross_fit import CrossFit
from tunesmith.tuning.groups.partitions import Random
from tunesmith.tuning.groups.settings import Grouping
from tunesmith.tuning.groups.steps import Group, OptimiseAlone, OptimiseGroups, TuneFrom, Unpack
from tunesmith.tuning.loop.parts import Learner, Parts
from tunesmith.tuning.loop.plan import Plan, Planner, Sources, Step, check_rounds
from tunesmith.tuning.loop.steps import Decode, Measure, Merge, Optimise
from tunesmith.tuning.objectives import BySentence, Objective
from tunesmith.tuning.pools.base import Listed, Projectable
from tunesmith.tuning.runs.directory import flat
from tunesmith.tuning.sources.base import sentence_folds

_NAMES = ("loss.name", "optimizer.name", "regularizer.name", "partition.name", "name")


@dataclass(frozen=True)
class GroupedRounds(Planner):
    """Rounds of Algorithm 1: decode and group on training data, then tune the groups on dev.

    inner_rounds: how often the development data is optimised on and decoded with one set of groups (r).
    dense_rounds: how often it is before anything is grouped, for the ungrouped features alone; 0 where a run is
        given start weights.
    sample: training sentences decoded in a round, others in each; all without it.
    tune_from: what groups start from: the mean of their members' weights before (`previous`), or the weights that
        made them groups (`learnt`).
    cross_fit: from the second round on, each held-out fold of the training data is decoded with weights learnt
        from the lists of the other folds, as its model was made from the other folds.
    interpolation: of the groups' weights, as in batch tuning.
    """

    needs_training_data: ClassVar[bool] = True

    grouping: Grouping = field(metadata=NOT_TYPED)
    rounds: int = 15
    interpolation: float = 1.0
    inner_rounds: int = 5
    dense_rounds: int = 0
    sample: int | None = None
    tune_from: TuneFrom = "previous"
    cross_fit: bool = False

    def __post_init__(self) -> None:
        check_rounds(self.rounds, self.interpolation)
        at_least(1, inner_rounds=self.inner_rounds, **given(sample=self.sample))
        at_least(0, dense_rounds=self.dense_rounds)
        one_of(get_args(TuneFrom), tune_from=self.tune_from)
        learner = self.grouping.learner
        batch = not learner.optimizer.online and not missing(learner.loss.objective, BySentence, Objective)
        if self.cross_fit and not (batch and self.grouping.partition.by_rank):
            raise ConfigError(
                "cross_fit is for groups by rank of a batch fit: --recipe grouped-mira, say, with --set bins=1"
            )

    def parts(self) -> Mapping[str, tuple[str, ...]]:
        """Return grouping, parts of its learner, and its partition (of random groups: that of their sizes)."""
        path: tuple[str, ...] = ("grouping", "partition")
        partition = self.grouping.partition
        while isinstance(partition, Random):
            partition, path = partition.of, (*path, "of")
        learner = {f"grouping.{each.name}": ("grouping", "learner", each.name) for each in fields(Learner)}
        return {"grouping": ("grouping",), **learner, "grouping.partition": path}

    def check(self, parts: Parts, sources: Sources) -> None:
        """Check that there are training data, lists of it, and features that can be grouped."""
        if "train" not in sources:
            raise ConfigError(
                "groups of features are learnt on training data, which is missing: give fit(…, train=…), on the "
                "command line --train FILE --train-refs FILE"
            )
        if parts.constraints is not None or parts.penalised:
            raise ConfigError("constraints and penalised name features; groups of them are tuned, which keep none")
        compat.check_pool(parts.loss, sources["dev"].pool)
        compat.check_pool(self.grouping.learner.loss, sources["train"].pool)
        compat.check_capability("grouping", Projectable, sources["dev"].pool)
        compat.check_capability("grouping", Listed, sources["train"].pool)
        if self._crosses(sources):
            sentence_folds(sources["train"])
        self.grouping.sized(sources["dev"].features)

    def begun(self, *, start: bool) -> GroupedRounds:
        """Return the plan for given weights, which are tuned already."""
        return replace(self, dense_rounds=0) if start else self

    def plan(self, parts: Parts, sources: Sources) -> Plan:
        grouping, used = self.grouping.sized(sources["dev"].features), self.settings(sources)
        optimise = OptimiseGroups(parts=parts, interpolation=used["interpolation"])
        alone = OptimiseAlone(parts=parts, interpolation=used["interpolation"], grouping=grouping)
        opening: tuple[Step, ...] = (Decode(), Measure())
        opening += tuple(_rounds_on_dev(alone, used["grouping"].get("dense_rounds", 0)))
        steps: list[Step] = [CrossFit(grouping)] if self._crosses(sources) else []
        steps += [Decode("train", sample=self.sample), Merge("train", stops=False)]
        steps += [Group(grouping, self.tune_from)]
        steps += _rounds_on_dev(optimise, 1 if sources["dev"].fixed else self.inner_rounds)
        return Plan(opening, (*steps, Unpack()), used["rounds"])

    def settings(self, sources: Sources) -> dict[str, Any]:
        """Return settings with the grouping of the whole model; one round if no translation depends on weights."""
        own = {name: getattr(self, name) for name in ("inner_rounds", "sample", "tune_from", "cross_fit")}
        if self.dense_rounds:
            own["dense_rounds"] = 1 if sources["dev"].fixed else self.dense_rounds
        grouping = settings_of(self.grouping.sized(sources["dev"].features)) or {}
        fixed = all(source.fixed for source in sources.values())
        return {
            "interpolation": 1.0 if fixed else self.interpolation,
            "rounds": 1 if fixed else self.rounds,
            "grouping": {**grouping, **own},
        }

    def signature_fields(self, sources: Sources) -> dict[str, Any]:
        """Return the settings of grouping and of its parts, flat; those that are None say nothing."""
        settings = self.settings(sources)["grouping"]
        learner, partition = settings["learner"], settings["partition"]
        parts = {"method": learner["optimizer"]["name"], "partition": partition["name"]}
        if learner["regularizer"] is not None:
            parts["penalty"] = learner["regularizer"]["name"]
        own = {key: value for key, value in settings.items() if key not in ("name", "learner", "partition")}
        every = flat({**own, **learner, "partition": partition})
        rest = {key: value for key, value in every.items() if key not in _NAMES and value is not None}
        listed = {key: "+".join(map(str, value)) for key, value in rest.items() if isinstance(value, list)}
        return {"grouping": {**parts, **rest, **listed}}

    def _crosses(self, sources: Sources) -> bool:
        """Return whether training data is decoded again with what was learnt; lists that are given are not."""
        return self.cross_fit and not sources["train"].fixed and self.settings(sources)["rounds"] > 1


def _rounds_on_dev(optimise: Optimise, turns: int) -> list[Step]:
    """Return steps that optimise on the development data and decode it again, several times in a round."""
    steps: list[Step] = []
    for number in range(1, turns + 1):
        turn = f"{number}/{turns}"
        steps += [Merge(turn=turn, stops=False), replace(optimise, turn=turn, stops=False)]
        steps += [Decode(turn=turn), Measure(turn=turn)]
    return steps
