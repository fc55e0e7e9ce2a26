"""Optimizers, one file each; `optimizers` holds them by name."""

from tunesmith.tuning.optimizers.adagrad import AdaGrad
from tunesmith.tuning.optimizers.base import BatchOptimizer, Optimizer, OptimizerState, Problem, optimizers
from tunesmith.tuning.optimizers.cutting_planes import CuttingPlanes
from tunesmith.tuning.optimizers.fista import Fista
from tunesmith.tuning.optimizers.fobos import Fobos
from tunesmith.tuning.optimizers.large_margin import LargeMargin
from tunesmith.tuning.optimizers.lbfgs import Lbfgs
from tunesmith.tuning.optimizers.line_search import LineSearch
from tunesmith.tuning.optimizers.online_fobos import OnlineFobos
from tunesmith.tuning.optimizers.online_passive_aggressive import OnlinePassiveAggressive
from tunesmith.tuning.optimizers.passive_aggressive import PassiveAggressive
from tunesmith.tuning.optimizers.sharded import Consensus, ParameterMixing, ShardedFobos
from tunesmith.tuning.optimizers.stochastic_gradient import StochasticGradient

__all__ = [
    "AdaGrad",
    "BatchOptimizer",
    "Consensus",
    "CuttingPlanes",
    "Fista",
    "Fobos",
    "LargeMargin",
    "Lbfgs",
    "LineSearch",
    "OnlineFobos",
    "OnlinePassiveAggressive",
    "Optimizer",
    "OptimizerState",
    "ParameterMixing",
    "PassiveAggressive",
    "Problem",
    "ShardedFobos",
    "StochasticGradient",
    "optimizers",
]
