"""The OpenAPI document, and the same as a page: made from the classes of requests and answers."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

import tunesmith
from tunesmith.serving import messages as m
from tunesmith.serving.access import needs_token

_JSON = "application/json"
_RUN = {"run": "Name of a run, as /runs lists it."}
_RUNS = {"run": "Name of a run or an experiment, as /runs lists it; several runs (run=A&run=B) are compared."}
STATUSES = {
    400: "The request cannot be used.",
    401: "The token is missing or wrong.",
    403: "The name of the server in the request is not a loopback name.",
    404: "No such weights or run.",
    408: "The body did not arrive in time.",
    413: "Too many bytes, sentences or words.",
    415: "The body has another type than JSON.",
    429: "Too many sentences wait; try again after the seconds of Retry-After.",
    503: "The server is shutting down.",
    504: "The answer was not there in time.",
}
_BODY = (400, 408, 413, 415)
"""What may be wrong with any body."""


@dataclass(frozen=True)
class Endpoint:
    """A path of the server. request, answer: classes of JSON bodies, or the media type of an answer of text.

    parameters: of the query, all required, with what they are.   refusals: statuses other than 200, in addition
    to those of access.
    """

    method: str
    path: str
    about: str
    request: type[msgspec.Struct] | None = None
    answer: type[msgspec.Struct] | str = "text/plain"
    refusals: tuple[int, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def structs(self) -> list[type[msgspec.Struct]]:
        """Classes of the bodies."""
        return [each for each in (self.request, self.answer) if isinstance(each, type)]


ENDPOINTS = (
    Endpoint("POST", "/translate", "Translate sentences; n-best lists, features, alignments and derivations on "
             "request.", m.TranslateRequest, m.TranslateAnswer, (*_BODY, 404, 429, 503, 504)),
    Endpoint("POST", "/rerank", "Rank posted n-best lists.", m.RerankRequest, m.RerankAnswer, (*_BODY, 404)),
    Endpoint("GET", "/model", "The served model, its weights and their signatures.", None, m.ModelAnswer),
    Endpoint("POST", "/reload", "Read the files of weights again.", m.ReloadRequest, m.ReloadAnswer, _BODY),
    Endpoint("GET", "/runs", "Tuning runs of the folder that is shown, and how they stand.", None, m.RunsAnswer),
    Endpoint("GET", "/runs/history", "Rounds of a run so far.", None, m.HistoryAnswer, (400, 404), _RUN),
    Endpoint("GET", "/runs/report", "The report of a run or an experiment.", None, "text/html", (400, 404), _RUNS),
    Endpoint("GET", "/health", "Whether the server takes requests.", None, m.HealthAnswer),
    Endpoint("GET", "/metrics", "Counters for Prometheus."),
    Endpoint("GET", "/openapi.json", "This list as an OpenAPI document.", None, _JSON),
    Endpoint("GET", "/docs", "This list as a page.", None, "text/html"),
)  # fmt: skip


def document(*, token: bool = False) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document. token: the server asks for one."""
    kinds = [kind for each in ENDPOINTS for kind in each.structs]
    _, schemas = msgspec.json.schema_components(
        [*kinds, m.ErrorAnswer], ref_template="#/components/schemas/{name}"
    )
    paths: dict[str, Any] = {}
    for each in ENDPOINTS:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, token=token)
    components: dict[str, Any] = {"schemas": schemas}
    if token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "TuneSMiTh", "version": tunesmith.__version__},
        "paths": paths,
        "components": components,
    }


def _operation(endpoint: Endpoint, *, token: bool) -> dict[str, Any]:
    guarded = token and needs_token(endpoint.path)
    access = (401,) if guarded else () if token else (403,)
    found: dict[str, Any] = {
        "summary": endpoint.about,
        "operationId": f"{endpoint.method.lower()}{endpoint.path.replace('/', '_').replace('.', '_')}",
        "responses": {
            "200": {"description": "Done.", **_content(endpoint.answer)},
            **{
                str(status): {"description": STATUSES[status], **_content(m.ErrorAnswer)}
                for status in sorted((*endpoint.refusals, *access))
            },
        },
    }
    if endpoint.request is not None:
        found["requestBody"] = {"required": True, **_content(endpoint.request)}
    if endpoint.parameters:
        found["parameters"] = [
            {
                "name": name,
                "in": "query",
                "required": True,
                "description": about,
                "schema": {"type": "string", "minLength": 1},
            }
            for name, about in endpoint.parameters.items()
        ]
    if guarded:
        found["security"] = [{"token": []}]
    return found


def _content(kind: type[msgspec.Struct] | str) -> dict[str, Any]:
    if isinstance(kind, str):
        return {"content": {kind: {"schema": {"type": "object" if kind == _JSON else "string"}}}}
    return {"content": {_JSON: {"schema": {"$ref": f"#/components/schemas/{kind.__name__}"}}}}


def overview() -> str:
    """Return the body of the page: every path with the fields of its request and its answer."""
    schemas = document()["components"]["schemas"]
    parts = ["<h1>Requests and answers</h1>"]
    for each in ENDPOINTS:
        parts.append(
            f"<h2><code>{each.method} {html.escape(each.path)}</code></h2><p>{html.escape(each.about)}</p>"
        )
        if each.parameters:
            rows = "".join(_row(name, "string", "required", about) for name, about in each.parameters.items())
            parts.append(f"<h3>Parameters</h3>{_table(rows)}")
        for title, kind in (("Request", each.request), ("Answer", each.answer)):
            if isinstance(kind, type):
                parts.append(f"<h3>{title}</h3>{_fields(schemas[kind.__name__])}")
    shown = {kind.__name__ for each in ENDPOINTS for kind in each.structs}
    for name in sorted(schemas.keys() - shown):
        about = html.escape(schemas[name].get("description", ""))
        parts.append(f"<h2><code>{name}</code></h2><p>{about}</p>{_fields(schemas[name])}")
    return "".join(parts)


def _fields(schema: dict[str, Any]) -> str:
    required = set(schema.get("required", ()))
    rows = "".join(
        _row(name, _kind(each), "required" if name in required else _default(each.get("default")),
             each.get("description", ""))
        for name, each in schema.get("properties", {}).items()
    )  # fmt: skip
    return _table(rows) if rows else "<p>An empty object.</p>"


def _row(name: str, kind: str, default: str, about: str) -> str:
    cells = (f"<code>{html.escape(name)}</code>", kind, html.escape(default), html.escape(about))
    return "<tr>" + "".join(f'<td class="text">{cell}</td>' for cell in cells) + "</tr>"


def _table(rows: str) -> str:
    return f'<div class="scroll"><table>{rows}</table></div>'


def _default(value: Any) -> str:
    return "optional" if value in (None, "", {}) else f"default {msgspec.json.encode(value).decode()}"


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return html.escape(schema["$ref"].rsplit("/", 1)[1])
    if "anyOf" in schema:
        return " or ".join(_kind(each) for each in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}" if schema.get("items") else "list"
    return html.escape(str(schema.get("type", "value")))
