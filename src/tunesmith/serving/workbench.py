"""The page of the server: its files, which come with the package, and their headers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import resources

from tunesmith.evaluation.pages.page import STYLE
from tunesmith.serving.access import SCRIPTS
from tunesmith.serving.openapi import overview

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
"""No page of another site, no script in the text, no network besides this server."""
REPORT_HEADERS = {
    **HEADERS,
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
}
"""Reports are files that may come from other people: they run nothing and load nothing."""


@cache
def _file(name: str) -> bytes:
    return (resources.files("tunesmith.serving") / "page" / name).read_bytes()


@cache
def _style() -> bytes:
    """Return the style of reports, and what the page has in addition."""
    return STYLE.encode() + b"\n" + _file("workbench.css")


PATHS: Mapping[str, tuple[Callable[[], bytes], str]] = {
    "/": (lambda: _file("workbench.html"), "text/html; charset=utf-8"),
    **{f"/{name}": (partial(_file, name), "text/javascript; charset=utf-8") for name in SCRIPTS},
    "/workbench.css": (_style, "text/css; charset=utf-8"),
}
"""Content and kind by path."""


def documentation_page() -> str:
    """Return the page of all paths with their requests and answers."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width, initial-scale=1"><title>TuneSMiTh: requests</title>'
        f'<link rel="stylesheet" href="/workbench.css"><body><main>{overview()}</main></body></html>'
    )
