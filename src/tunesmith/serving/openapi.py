"""The OpenAPI document, and the same as a page: made from the classes of requests and answers."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import msgspec

import tunesmith
from tunesmith.serving import messages as m


@dataclass(frozen=True)
class Endpoint:
    """A path of the server. request, answer: classes of JSON bodies; None for text."""

    method: str
    path: str
    about: str
    request: type[msgspec.Struct] | None = None
    answer: type[msgspec.Struct] | None = None


ENDPOINTS = (
    Endpoint("POST", "/translate", "Translate sentences; n-best lists, features, alignments and derivations on "
             "request.", m.TranslateRequest, m.TranslateAnswer),
    Endpoint("POST", "/rerank", "Rank posted n-best lists.", m.RerankRequest, m.RerankAnswer),
    Endpoint("GET", "/model", "The served model, its weights and their signatures.", None, m.ModelAnswer),
    Endpoint("POST", "/reload", "Read the files of weights again.", None, m.ReloadAnswer),
    Endpoint("GET", "/runs", "Tuning runs of the folder that is shown, and how they stand.", None, m.RunsAnswer),
    Endpoint("GET", "/runs/history", "Rounds of a run so far (?run=NAME).", None, m.HistoryAnswer),
    Endpoint("GET", "/runs/report", "The report of a run or an experiment as HTML (?run=NAME)."),
    Endpoint("GET", "/health", "Whether the server takes requests.", None, m.HealthAnswer),
    Endpoint("GET", "/metrics", "Counters for Prometheus."),
    Endpoint("GET", "/openapi.json", "This list as an OpenAPI document."),
    Endpoint("GET", "/docs", "This list as a page."),
)  # fmt: skip


def document() -> dict[str, Any]:
    """The OpenAPI 3.1 document."""
    kinds = [kind for each in ENDPOINTS for kind in (each.request, each.answer) if kind is not None]
    _, components = msgspec.json.schema_components(
        [*kinds, m.ErrorAnswer], ref_template="#/components/schemas/{name}"
    )
    paths: dict[str, Any] = {}
    for each in ENDPOINTS:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {"title": "TuneSMiTh", "version": tunesmith.__version__},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    found: dict[str, Any] = {
        "summary": endpoint.about,
        "operationId": f"{endpoint.method.lower()}{endpoint.path.replace('/', '_').replace('.', '_')}",
        "responses": {
            "200": {"description": "Done.", **_content(endpoint.answer)},
            "default": {"description": "Refused, and why.", **_content(m.ErrorAnswer)},
        },
    }
    if endpoint.request is not None:
        found["requestBody"] = {"required": True, **_content(endpoint.request)}
    return found


def _content(kind: type[msgspec.Struct] | None) -> dict[str, Any]:
    if kind is None:
        return {}
    return {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{kind.__name__}"}}}}


def overview() -> str:
    """The body of the page: every path with the fields of its request and its answer."""
    schemas = document()["components"]["schemas"]
    parts = ["<h1>Requests and answers</h1>"]
    for each in ENDPOINTS:
        parts.append(
            f"<h2><code>{each.method} {html.escape(each.path)}</code></h2><p>{html.escape(each.about)}</p>"
        )
        for title, kind in (("Request", each.request), ("Answer", each.answer)):
            if kind is not None:
                parts.append(f"<h3>{title}</h3>{_fields(schemas[kind.__name__])}")
    shown = {kind.__name__ for each in ENDPOINTS for kind in (each.request, each.answer) if kind is not None}
    for name in sorted(schemas.keys() - shown):
        about = html.escape(schemas[name].get("description", ""))
        parts.append(f"<h2><code>{name}</code></h2><p>{about}</p>{_fields(schemas[name])}")
    return "".join(parts)


def _fields(schema: dict[str, Any]) -> str:
    required = set(schema.get("required", ()))
    rows = []
    for name, each in schema.get("properties", {}).items():
        default = "required" if name in required else _default(each.get("default"))
        cells = (f"<code>{html.escape(name)}</code>", _kind(each), html.escape(default),
                 html.escape(each.get("description", "")))  # fmt: skip
        rows.append("<tr>" + "".join(f'<td class="text">{cell}</td>' for cell in cells) + "</tr>")
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


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
