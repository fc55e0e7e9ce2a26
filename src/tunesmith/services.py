"""Functions of higher layers that lower layers call by name: imports point one way, calls may go the other.

A tuner that is given the name of a model directory needs its decoder, and a finished run needs its report.
`tuning` imports neither `decoding` nor `evaluation`: the function is looked up here when it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tunesmith.registry import Registry

services: Registry[Any] = Registry("service", "tunesmith.services")
services.register_later("list decoder of a model", "tunesmith.decoding.model:open_list_decoder")
services.register_later("kinds of work", "tunesmith.jobs.kinds:all_kinds")
services.register_later("report of a run", "tunesmith.evaluation.run_report:write_run_report")


def service(name: str) -> Callable[..., Any]:
    """Return the function of this name and import its module."""
    return services.get(name)
