"""The web application: paths, access, limits of bodies, errors as JSON."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

import tunesmith
from tunesmith.errors import TunesmithError
from tunesmith.serving import messages as m
from tunesmith.serving import workbench
from tunesmith.serving.access import Access
from tunesmith.serving.openapi import document
from tunesmith.serving.refusals import RefusedError
from tunesmith.serving.runs import Runs
from tunesmith.serving.service import Service

T = TypeVar("T")
Handler = Callable[[Request], Awaitable[Response]]
_JSON = "application/json"
_GONE = 499
"""Status in the counters of requests whose client went away; nobody receives it."""


def make_app(service: Service, access: Access | None = None, runs: Runs | None = None) -> Starlette:
    """Make the application. runs: tuning runs that the page shows; none are shown without them."""
    access = access or Access()
    paths = Paths(service, runs, token=access.token is not None)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await service.close()

    def route(method: str, path: str, handler: Handler) -> Route:
        return Route(path, _guarded(handler, service, access), methods=[method])

    routes = [
        route("POST", "/translate", paths.translate),
        route("POST", "/rerank", paths.rerank),
        route("POST", "/reload", paths.reload),
        route("GET", "/model", paths.model),
        route("GET", "/runs", paths.runs),
        route("GET", "/runs/history", paths.history),
        route("GET", "/runs/report", paths.report),
        route("GET", "/health", paths.health),
        route("GET", "/metrics", paths.metrics),
        route("GET", "/openapi.json", paths.openapi),
        route("GET", "/docs", paths.docs),
        *(route("GET", path, paths.page) for path in workbench.PATHS),
    ]
    return Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: _unknown_path})


class Paths:
    """One method for each path. token: the server asks for one."""

    def __init__(self, service: Service, runs: Runs | None, *, token: bool) -> None:
        self._service, self._runs, self._token = service, runs, token

    async def translate(self, request: Request) -> Response:
        asked = await self._body(request, m.TranslateRequest)
        return _json(await _unless_gone(request, self._service.translate(asked)))

    async def rerank(self, request: Request) -> Response:
        asked = await self._body(request, m.RerankRequest)
        return _json(await asyncio.to_thread(self._service.rerank, asked))

    async def reload(self, request: Request) -> Response:
        await self._body(request, m.ReloadRequest)
        return _json(await self._service.reload())

    async def model(self, request: Request) -> Response:
        return _json(self._service.describe())

    async def runs(self, request: Request) -> Response:
        found = m.RunsAnswer([]) if self._runs is None else await asyncio.to_thread(self._runs.listed)
        return _json(found)

    async def history(self, request: Request) -> Response:
        name, *_ = _run_names(request)
        return _json(await asyncio.to_thread(self._shown.history, name))

    async def report(self, request: Request) -> Response:
        names = _run_names(request)
        text = await asyncio.to_thread(self._shown.report, names)
        return HTMLResponse(text, headers=workbench.REPORT_HEADERS)

    async def health(self, request: Request) -> Response:
        return _json(m.HealthAnswer("ok", tunesmith.__version__, self._service.waiting))

    async def metrics(self, request: Request) -> Response:
        return PlainTextResponse(self._service.counters.text(self._service.waiting))

    async def openapi(self, request: Request) -> Response:
        return JSONResponse(document(token=self._token))

    async def docs(self, request: Request) -> Response:
        return HTMLResponse(workbench.documentation_page(), headers=workbench.HEADERS)

    async def page(self, request: Request) -> Response:
        content, kind = workbench.PATHS[request.url.path]
        return Response(content(), media_type=kind, headers=workbench.HEADERS)

    @property
    def _shown(self) -> Runs:
        if self._runs is None:
            raise RefusedError(404, "no runs are shown; start the server with --runs FOLDER")
        return self._runs

    async def _body(self, request: Request, kind: type[T]) -> T:
        """Read the body of a request within the limits of size and time, and check it."""
        limits = self._service.limits
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
            raise RefusedError(415, f"the body must be JSON; send the header Content-Type: {_JSON}")
        try:
            body = await asyncio.wait_for(_read(request, limits.size), limits.seconds)
        except asyncio.TimeoutError:
            raise RefusedError(408, f"the body did not arrive within {limits.seconds:g} s") from None
        try:
            return msgspec.json.decode(body, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise RefusedError(400, f"the body cannot be used: {error}") from None


def _run_names(request: Request) -> list[str]:
    names = [name for name in request.query_params.getlist("run") if name]
    if not names:
        raise RefusedError(400, "which run? Name it: ?run=NAME")
    return names


async def _read(request: Request, most: int) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise RefusedError(413, f"the body has more than {most} bytes; send fewer sentences at once")
    return bytes(body)


async def _unless_gone(request: Request, answer: Awaitable[T]) -> T:
    """Wait for the answer; if the client goes away first, cancel it, so that nothing more is decoded for it."""
    work = asyncio.ensure_future(answer)
    work.add_done_callback(_retrieved)
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise ClientDisconnect
        return work.result()
    finally:
        for task in (work, gone):
            task.cancel()


def _retrieved(work: asyncio.Future[Any]) -> None:
    """Look at the error of work that nobody waits for any more, so that asyncio does not report it."""
    if not work.cancelled():
        work.exception()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _guarded(handler: Handler, service: Service, access: Access) -> Handler:
    """Check access, turn errors into answers, and count."""

    async def guarded(request: Request) -> Response:
        begin = time.perf_counter()
        try:
            access.check(request)
            response = await handler(request)
        except RefusedError as error:
            response = _json(m.ErrorAnswer(str(error)), error.status, error.headers)
        except TunesmithError as error:
            response = _json(m.ErrorAnswer(str(error)), 400)
        except ClientDisconnect:
            response = Response(status_code=_GONE)
        except Exception:
            service.counters.answered(request.url.path, 500, time.perf_counter() - begin)
            raise
        service.counters.answered(request.url.path, response.status_code, time.perf_counter() - begin)
        return response

    return guarded


def _json(answer: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(answer), status, headers, _JSON)


def _unknown_path(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    about = {
        404: f"there is no {request.url.path} here; see /docs",
        405: f"{request.method} is not for this path; see /docs",
    }
    headers = dict(error.headers or {})  # the methods that are allowed
    return _json(m.ErrorAnswer(about.get(error.status_code, error.detail)), error.status_code, headers)
