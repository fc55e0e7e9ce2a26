"""Penalties on weights, one file each; `regularizers` holds them by name."""

from tunesmith.tuning.regularizers.base import Penalty, regularizers
from tunesmith.tuning.regularizers.cumulative_l1 import CumulativeL1
from tunesmith.tuning.regularizers.elastic_net import ElasticNet
from tunesmith.tuning.regularizers.l1 import L1
from tunesmith.tuning.regularizers.l2 import L2
from tunesmith.tuning.regularizers.oscar import Oscar

__all__ = ["L1", "L2", "CumulativeL1", "ElasticNet", "Oscar", "Penalty", "regularizers"]
