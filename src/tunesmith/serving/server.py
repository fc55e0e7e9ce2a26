"""The HTTP server: binds its socket before the model is loaded, drains requests at the end."""

from __future__ import annotations

import logging
import socket
from typing import TYPE_CHECKING

from tunesmith.errors import ConfigError
from tunesmith.serving.connections import timed_connections

if TYPE_CHECKING:
    from starlette.applications import Starlette

_BACKLOG = 2048


def bound_socket(host: str, port: int) -> socket.socket:
    """Bind and listen; ConfigError if the address is in use or not of this machine. Port 0 selects a free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(_BACKLOG)  # connections wait while the model is loaded
    except (OSError, OverflowError) as error:
        bound.close()
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigError(
            f"--host {host} --port {port}: {reason}; choose another port, or 0 for a free one"
        ) from None
    return bound


def address(bound: socket.socket) -> str:
    """Format the address."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def run(app: Starlette, bound: socket.socket, *, seconds: float, connections: int) -> None:
    """Serve until SIGINT or SIGTERM; pending requests are answered within `seconds`, the limit of a request."""
    import uvicorn

    # What clients do wrong is answered and counted. Lines about it would fill disks, and a pipe that nobody reads
    # would stop the server.
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).setLevel(logging.ERROR)
    config = uvicorn.Config(
        app,
        http=timed_connections(seconds),
        ws="none",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=max(1, round(seconds)),
        limit_concurrency=connections + 1,  # it counts the requesting connection
        backlog=_BACKLOG,
    )
    uvicorn.Server(config).run(sockets=[bound])
