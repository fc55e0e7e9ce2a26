"""The weights of a run on its page: paths of the largest, a table by template, groups of features."""

from __future__ import annotations

import numpy as np

from tunesmith.evaluation.pages import page as html
from tunesmith.evaluation.pages.charts import Line, line_chart, scatter_chart
from tunesmith.evaluation.pages.drawing import Chart, Figure, grid
from tunesmith.evaluation.pages.labels import feature_labels
from tunesmith.evaluation.pages.page import Table
from tunesmith.evaluation.pages.run_rounds import FEW
from tunesmith.evaluation.run_record import RunRecord
from tunesmith.features.names import readable, template_of
from tunesmith.features.start import is_dense
from tunesmith.weights import Weights

_PATHS, _GROUPS, _MEMBERS, _TEMPLATES, _LARGEST = 10, 15, 4, 20, 4
_DENSE = 30
"""Number of features that are dense whatever their names, which other programs choose freely."""


def weights_section(record: RunRecord) -> list[str]:
    weights = record.best_weights
    if weights is None:
        return [html.missing("There are no weights yet.")]
    if not weights.array.any():
        return [html.missing("No feature has a weight: the best score is that of the start, weights of 0.")]
    chosen = _largest(weights)
    if len(record.rounds) <= FEW:
        told = "Normalised: divided by the sum of all absolute weights."
        parts = [html.table(_start_and_best(record, weights, chosen)), html.paragraph(told, "small")]
        shown = sum(map(len, chosen.values()))
        return parts if shown == np.count_nonzero(weights.array) else [*parts, html.table(_templates(weights))]
    figures = [_paths(record, title, names) for title, names in chosen.items() if names]
    return [grid(figures, "pair"), html.table(_templates(weights))]


def _paths(record: RunRecord, title: str, names: list[str]) -> Figure:
    paths: dict[str, list[tuple[float, float | None]]] = {name: [] for name in names}
    for row in record.rounds:
        of_round = record.weights(row.round)
        for name, points in paths.items():
            points.append((row.round, None if of_round is None else of_round.get(name)))
    labels, marks = feature_labels(names)
    about = f"Paths of the {len(names)} largest weights of the best round." + (f" {marks}." if marks else "")
    lines = [Line(label, paths[name]) for label, name in zip(labels, names, strict=True)]
    marked = None if record.best is None else float(record.best.round)
    chart = Chart(title, about, "{:.3g}".format)
    return line_chart(chart, lines, marked=marked, level=0.0, names_at_ends=True)


def _start_and_best(record: RunRecord, weights: Weights, chosen: dict[str, list[str]]) -> Table:
    """Return the largest weights as numbers, for a run of few rounds."""
    start = record.weights(0)
    whole = float(np.abs(weights.array).sum()) or 1.0
    rows = [
        [
            readable(name),
            "" if start is None else f"{start.get(name):.4g}",
            f"{weights.get(name):.4g}",
            f"{weights.get(name) / whole:.3g}",
        ]
        for names in chosen.values()
        for name in names
    ]
    return Table(["feature", "start", "best", "normalised"], rows)


def _largest(weights: Weights) -> dict[str, list[str]]:
    """Name the largest weights, features that every model has apart from the many others."""
    found: dict[str, list[str]] = {"Dense features": [], "Sparse features": []}
    for at in np.argsort(-np.abs(weights.array), kind="stable").tolist():
        if weights.array[at] == 0 or all(len(names) >= _PATHS for names in found.values()):
            break
        name = weights.native.name(at)
        few = len(weights) <= _DENSE or is_dense(template_of(name))
        names = found["Dense features" if few else "Sparse features"]
        if len(names) < _PATHS:
            names.append(name)
    return found


def _templates(weights: Weights) -> Table:
    """Return the features of each template: how many have a weight, how much of all weight, the largest."""
    values = weights.array
    members: dict[str, list[int]] = {}
    for at in np.flatnonzero(values).tolist():
        members.setdefault(template_of(weights.native.name(at)), []).append(at)
    whole = float(np.abs(values).sum()) or 1.0
    weight = {name: float(np.abs(values[places]).sum()) for name, places in members.items()}
    rows = []
    for name in sorted(members, key=lambda each: -weight[each])[:_TEMPLATES]:
        places = np.array(members[name])
        order = places[np.argsort(-np.abs(values[places]), kind="stable")][:_LARGEST].tolist()
        shown = ", ".join(f"{readable(weights.native.name(at))} {values[at]:.4g}" for at in order)
        more = ", …" if len(places) > _LARGEST else ""
        rows.append([name, f"{len(places):,}", f"{weight[name] / whole:.1%}", shown + more])
    header = ["template", "with a weight", "share of all weight", "largest"]
    return Table(header, rows, frozenset({0}), frozenset({3}))


def groups_section(record: RunRecord) -> list[str]:
    """Return the HTML of groups; nothing for a run without."""
    table = record.groups
    if table is None:
        return []
    grouped = np.flatnonzero(~table.alone)
    order = [at for at in table.ordered(np.abs(table.weights)) if not table.alone[at]]
    points = [
        (float(table.sizes[at]), float(table.weights[at]), f"group {at}: {table.sizes[at]:,} features, weight "
         f"{table.weights[at]:.4g}")
        for at in order
    ]  # fmt: skip
    active = int(np.count_nonzero(table.weights[grouped]))
    first = "that fire in most training sentences" if table.shares is None else "with the largest shares of it"
    some = "1 group" if len(grouped) == 1 else f"{len(grouped):,} groups"
    told = (
        f"{some} of {int(table.sizes[grouped].sum()):,} features, "
        f"{active:,} with a weight; {int(np.count_nonzero(table.alone)):,} features stand alone. Members {first} "
        "come first."
    )
    rows = []
    for at in order[:_GROUPS]:
        names = [readable(table.names[member]) for member in table.members(at)[:_MEMBERS]]
        more = ", …" if table.sizes[at] > len(names) else ""
        numbers = [f"{table.sizes[at]:,}", f"{table.weights[at]:.4g}", f"{table.learnt[at]:.4g}"]
        rows.append([str(at), *numbers, str(table.train[at]), str(table.dev[at]), ", ".join(names) + more])
    named = "most used" if table.shares is None else "largest shares"
    header = ["group", "size", "weight", "learnt", "train", "dev", named]
    chart = Chart(
        "Groups: weight over size", "One point a group; sizes on a logarithmic scale.", "{:.3g}".format, "size"
    )
    return [
        html.heading("Groups of features"),
        html.paragraph(told),
        *([grid([scatter_chart(chart, points, "weight")])] if len(points) > 1 else []),
        html.table(Table(header, rows, frozenset(), frozenset({6}))),
    ]
