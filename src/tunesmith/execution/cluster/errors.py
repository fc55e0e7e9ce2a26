"""Errors of clusters."""

from __future__ import annotations

from tunesmith.errors import MissingExtraError, TunesmithError

RESUME = "what is done so far is on disk; the same command resumes"


class ClusterError(TunesmithError):
    """A scheduler, a worker or a block that cannot be used."""


def needs_dask() -> MissingExtraError:
    """Return the error for a machine without Dask."""
    return MissingExtraError("--cluster", "distributed", "cluster", "or leave it out to work on threads here")
