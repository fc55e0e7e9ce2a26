"""Who may ask: anybody on this machine, or who has the token."""

from __future__ import annotations

import hmac
import ipaddress
from dataclasses import dataclass

from starlette.requests import Request

from tunesmith.errors import ConfigError
from tunesmith.serving.refusals import RefusedError

OPEN = ("/health",)
"""Paths that need no token: load balancers ask for them."""
SCRIPTS = ("workbench.js", "asking.js", "runs.js", "views.js")
PAGE = ("/", *(f"/{name}" for name in SCRIPTS), "/workbench.css", "/docs")
"""The page itself, which asks for the token."""
_SHORTEST = 16


def needs_token(path: str) -> bool:
    """Return whether a server with a token asks for it on this path."""
    return path not in OPEN and path not in PAGE


def is_loopback(host: str) -> bool:
    """Return whether a server at this address can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Access:
    """token: what requests must carry; None where the server is on loopback.

    Without a token the names that a request may call this server by are those of loopback: a page of another site
    cannot reach it by a name of its own.
    """

    token: str | None = None

    @classmethod
    def for_address(cls, host: str, token: str | None) -> Access:
        """Return the access that is safe at an address; ConfigError where others could ask without a token."""
        if token is not None and (len(token) < _SHORTEST or not token.isascii() or not token.isprintable()):
            raise ConfigError(f"a token must have at least {_SHORTEST} printable ASCII characters")
        if token is None and not is_loopback(host):
            raise ConfigError(
                f"{host} can be reached from other machines, so requests need a token: put one into a file and "
                "name it with --token-file"
            )
        return cls(token)

    def check(self, request: Request) -> None:
        """Refuse a request that may not be answered."""
        path = request.url.path
        if self.token is None:
            host = request.headers.get("host", "localhost").lower()
            name = host if host.endswith("]") else host.rpartition(":")[0] or host
            if not is_loopback(name.strip("[]")):
                raise RefusedError(403, "this server answers on this machine only, as localhost or 127.0.0.1")
            return
        if not needs_token(path):
            return
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self.token.encode()):
            raise RefusedError(401, "this server needs a token: send the header Authorization: Bearer TOKEN")
