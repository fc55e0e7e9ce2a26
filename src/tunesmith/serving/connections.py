"""Connections that do not take for ever, neither to send the head of a request nor to read an answer."""

from __future__ import annotations

import asyncio
import json
from typing import Any

HEAD = 10.0
"""Seconds for the head of a request; a slow line needs less than one."""
_ANSWER = json.dumps({"error": "the request did not arrive in time"}).encode()
_TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s" % (len(_ANSWER), _ANSWER)
)


def timed_connections(seconds: float, head: float = HEAD) -> type[asyncio.Protocol]:
    """Return uvicorn's kind of connection with limits of time, of which it has none.

    A connection ends if the head of a request does not arrive within `head` seconds, and if the client reads none
    of its answer for `seconds`. Such clients would use up all connections in the end.
    """
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    kind: Any = AutoHTTPProtocol

    class Timed(kind):  # type: ignore[misc]
        _heading: asyncio.TimerHandle | None = None
        _reading: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            transport.set_write_buffer_limits(high=0)  # `pause_writing` says so if anything is not read yet
            self._heading = self.loop.call_later(head, self._refuse)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._at_work():
                _cancel(self._heading)
                self._heading = None
            elif self._heading is None:  # the beginning of one more request
                self._heading = self.loop.call_later(head, self._refuse)

        def connection_lost(self, exc: Exception | None) -> None:
            _cancel(self._heading)
            _cancel(self._reading)
            super().connection_lost(exc)

        def pause_writing(self) -> None:
            super().pause_writing()
            self._await_reader()

        def resume_writing(self) -> None:
            _cancel(self._reading)
            super().resume_writing()

        def _await_reader(self, left: int | None = None) -> None:
            """Look every `seconds` whether less is left to be read than before."""
            now = self.transport.get_write_buffer_size()
            if left is not None and now >= left:
                self.transport.abort()
            else:
                self._reading = self.loop.call_later(seconds, self._await_reader, now)

        def _at_work(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _refuse(self) -> None:
            self._heading = None
            if not (self._at_work() or self.transport.is_closing()):
                self.transport.write(_TOO_SLOW)
                self.transport.close()

    return Timed


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
