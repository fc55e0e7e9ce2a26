"""Work on several machines by Dask: schedulers, workers, and results."""

from tunesmith.execution.cluster.errors import ClusterError
from tunesmith.execution.cluster.mapping import ClusterObserver, Mapping, Progress
from tunesmith.execution.cluster.opening import open_cluster
from tunesmith.execution.cluster.places import read_place

__all__ = ["ClusterError", "ClusterObserver", "Mapping", "Progress", "open_cluster", "read_place"]
