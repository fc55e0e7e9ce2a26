"""Training data decoded with weights that have not been learnt from it (cross-fitting).

With weights learnt from itself a sentence looks solved. With weights learnt from the other folds it shows the
mistakes that these make on new text, and the next round has to learn from those. (Where pairs are compared by what
they add to the metric of the corpus, its slopes, a handful of numbers, are those of all folds.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.search.lists.support import support_by_fold
from tunesmith.tuning.groups.learning import LearningProblem
from tunesmith.tuning.groups.settings import Grouping
from tunesmith.tuning.groups.steps import listed
from tunesmith.tuning.growth import grown
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.part_weights import packed_by_part
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.optimizers.base import quiet
from tunesmith.tuning.sources.base import sentence_folds

_MORE = "decode more of it (--train-sample), lower --set support, or go without: --set cross_fit=false"


@dataclass(frozen=True)
class CrossFit:
    """Weights for every fold of the training data, learnt from the lists of the others; the next decoding's.

    Groups have the weights that dev gave them, their members what the other folds teach.
    """

    grouping: Grouping
    source: str = "train"
    name: ClassVar[str] = "cross-fit"

    def run(self, state: State, context: Context) -> State:
        """Learn the weights of each fold; in the first round nothing has been learnt, and all use one vector."""
        if state.projection is None:
            return state
        pool, grouping, before = listed(state, context, self.source), self.grouping, state.weights
        of_groups = state.projection.weights(before)
        seed, learner = context.seed_of(state, self.name), grouping.learner
        objective = learner.loss.prepare(pool, context.metric, seed)
        folds, count = sentence_folds(context.sources[self.source])
        support = support_by_fold(pool.candidates, folds, count) if grouping.support > 1 else None
        found = []
        for fold in range(count):
            context.progress(fold, count, "folds")
            others = folds != fold
            of_others = None if support is None else support.sum(axis=0) - support[fold]
            learning = LearningProblem.on(grouping, pool, before, context, of_others)
            start = np.where(learning.alone, before[: pool.columns], 0.0)
            pairs = objective.of_sentences(others)
            if not len(pairs):
                raise ConfigError(f"all pairs of candidates are of fold {fold + 1} of the training data; {_MORE}")
            problem = replace(learning.minimising(pairs, seed), progress=quiet)
            fitted = learner.optimizer.run(problem, start)
            groups, _ = learning.divided(fitted, before, seed)
            if groups.size != len(of_groups):
                raise ConfigError(
                    f"without fold {fold + 1} the training data gives {groups.size} groups, counting single "
                    f"features, with all folds {len(of_groups)}; {_MORE}"
                )
            found.append(grown(groups.unpack(of_groups), len(before)))
        context.progress(count, count, "folds")
        return replace(state, arrays={**state.arrays, **packed_by_part(found)})
