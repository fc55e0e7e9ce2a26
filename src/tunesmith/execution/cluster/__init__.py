"""Work on more than one machine, by Dask: where the scheduler is, what workers do, where results go."""

from tunesmith.execution.cluster.errors import ClusterError
from tunesmith.execution.cluster.mapping import ClusterObserver, Mapping, Progress
from tunesmith.execution.cluster.opening import open_cluster
from tunesmith.execution.cluster.places import read_place

__all__ = ["ClusterError", "ClusterObserver", "Mapping", "Progress", "open_cluster", "read_place"]
