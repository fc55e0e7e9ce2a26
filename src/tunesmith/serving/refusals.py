"""Refused requests, with HTTP status."""

from __future__ import annotations

from tunesmith.errors import TunesmithError


class RefusedError(TunesmithError):
    """A refused request.   status: HTTP status.   retry_after: seconds after which it may be sent again."""

    def __init__(self, status: int, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the answer that say what to do."""
        found = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return found | ({"WWW-Authenticate": "Bearer"} if self.status == 401 else {})
