"""OSCAR learnt in shards, on one machine or many: gradients mixed, consensus, and weights mixed for comparison."""

from tunesmith.tuning.optimizers.sharded.consensus import Consensus
from tunesmith.tuning.optimizers.sharded.fobos import ShardedFobos
from tunesmith.tuning.optimizers.sharded.mixing import ParameterMixing

__all__ = ["Consensus", "ParameterMixing", "ShardedFobos"]
