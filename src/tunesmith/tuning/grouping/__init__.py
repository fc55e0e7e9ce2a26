"""Groups of features learnt online: pairs as sparse differences, and the learners that go through them."""

from tunesmith.tuning.grouping.batch import Batch, batch_oscar
from tunesmith.tuning.grouping.columns import columns_named
from tunesmith.tuning.grouping.cumulative_l1 import cumulative_l1
from tunesmith.tuning.grouping.differences import Differences
from tunesmith.tuning.grouping.learner import Online
from tunesmith.tuning.grouping.online import online_oscar
from tunesmith.tuning.grouping.schedule import Iterate, Schedule

__all__ = [
    "Batch",
    "Differences",
    "Iterate",
    "Online",
    "Schedule",
    "batch_oscar",
    "columns_named",
    "cumulative_l1",
    "online_oscar",
]
