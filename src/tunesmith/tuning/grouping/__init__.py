"""Groups of features learnt online: pairs as sparse differences, and the learner that goes through them."""

from tunesmith.tuning.grouping.columns import columns_named
from tunesmith.tuning.grouping.differences import Differences
from tunesmith.tuning.grouping.online import Iterate, Online, Schedule, online_oscar

__all__ = ["Differences", "Iterate", "Online", "Schedule", "columns_named", "online_oscar"]
