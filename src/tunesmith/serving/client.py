"""A client of the server, using only the standard library."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tunesmith.errors import TunesmithError


@dataclass(frozen=True)
class Client:
    """Client of a server of `tunesmith serve`.   token: if the server needs one.   seconds: timeout."""

    url: str = "http://127.0.0.1:8080"
    token: str | None = None
    seconds: float = 60.0

    def translate(self, sentences: Sequence[str], **options: Any) -> list[str]:
        """Translate sentences; options are the fields of a request, such as weights='second'."""
        answer = self.ask("/translate", {"sentences": list(sentences), **options})
        return [each["text"] for each in answer["translations"]]

    def ask(self, path: str, body: Any = None) -> Any:
        """Send JSON to a path, or read it; TunesmithError with the server's message for refused requests."""
        headers = {"Content-Type": "application/json"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        try:
            request = urllib.request.Request(self.url.rstrip("/") + path, data, headers)
            with urllib.request.urlopen(request, timeout=self.seconds) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise TunesmithError(f"{self.url}: {_reason(error)}") from None
        except (OSError, ValueError) as error:
            raise TunesmithError(f"{self.url}: {error}; is tunesmith serve running there?") from None


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error)["error"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP status {error.code}"
