"""Settings of Dask that keep idle processes quiet: by default each looks at itself 50 to 1,000 times a second."""

from __future__ import annotations

import os
from typing import Any

_SETTINGS: dict[str, Any] = {
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.worker.profile.enabled": False,
}


def quiet_environment() -> dict[str, str]:
    """Return variables for processes of Dask."""
    return {_variable(name): str(value) for name, value in _quiet().items()}


def quieten_this_process() -> None:
    """Apply the settings to schedulers and clients that are made here from now on."""
    import dask

    dask.config.set(_quiet())


def _quiet() -> dict[str, Any]:
    """Return the settings but for those that the user has made by a variable."""
    return {name: value for name, value in _SETTINGS.items() if _variable(name) not in os.environ}


def _variable(name: str) -> str:
    return f"DASK_{name.upper().replace('.', '__').replace('-', '_')}"
