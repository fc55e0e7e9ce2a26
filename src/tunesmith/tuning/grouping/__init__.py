"""Groups of features learnt online: pairs as sparse differences, and the learner that goes through them."""

from tunesmith.tuning.grouping.differences import Differences

__all__ = ["Differences"]
