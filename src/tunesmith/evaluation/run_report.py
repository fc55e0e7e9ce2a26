"""The report of one tuning run: a page one can read on a phone and put into a talk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunesmith.evaluation import page as html
from tunesmith.evaluation.charts import Chart, Line, bar_chart, line_chart, scatter_chart
from tunesmith.evaluation.page import Table
from tunesmith.evaluation.run_record import RunRecord
from tunesmith.evaluation.sentence_changes import Changes, changes_section, largest_changes
from tunesmith.features.names import readable, template_of
from tunesmith.features.start import is_dense
from tunesmith.io import StrPath, atomic_writer
from tunesmith.tuning.runs.directory import REPORT, flat
from tunesmith.weights import Weights

_PATHS, _GROUPS, _MEMBERS, _TEMPLATES, _LARGEST = 10, 15, 4, 20, 4
_FEW = 30
"""So many features are dense whatever they are called; lists of other programs have names of their own."""


def write_run_report(path: StrPath, state: str | None = None) -> str:
    """Write the page of the run in this folder into it; where it was written.

    state: how the run stands, where the caller knows better than the folder.
    """
    record = RunRecord(path, state)
    target, text = record.folder / REPORT, run_page(record)
    with atomic_writer(target) as out:
        out.write(text)
    return str(target)


def run_page(record: RunRecord, *, changes: Changes | None = None) -> str:
    """The HTML text. changes: sentences to show instead of those that the run itself has kept."""
    body = [
        *_head(record),
        html.heading("Round by round"),
        *_rounds(record),
        html.heading("Weights"),
        *_weights(record),
        *_groups(record),
        html.heading("Sentences that changed"),
        *_sentences(record, changes),
        *_notes(record),
        html.heading("Settings"),
        *_settings(record),
    ]
    if record.missing:
        body += [html.heading("What could not be read"), *(html.missing(text) for text in record.missing)]
    return html.page(f"{record.recipe}: {record.name}", body)


def _head(record: RunRecord) -> list[str]:
    state, reason = record.state
    told = f"{state}: {reason}" if reason else state
    parts = [
        html.paragraph("tuning run", "over"),
        f"<h1>{html.escape(record.recipe)} · {html.escape(record.name)}</h1>",
        html.paragraph(told, "small"),
    ]
    best = record.best
    if best is None:
        return [*parts, html.missing("No round has ended yet: there are no scores.")]
    first = record.rounds[0]
    numbers = [(f"{best.score:.2f}", f"{record.metric_label} on dev, round {best.round}")]
    if first.round == 0:
        numbers.append((f"{best.score - first.score:+.2f}", f"over the start weights ({first.score:.2f})"))
    numbers.append((str(record.rounds[-1].round), "rounds"))
    numbers.append((f"{int(best.active):,}", "features with a weight"))
    if best.length_ratio is not None:
        numbers.append((f"{best.length_ratio:.3f}", "length ratio"))
    numbers.append((_time(sum(row.seconds for row in record.rounds)), "of work"))
    return [*parts, html.hero(numbers)]


def _rounds(record: RunRecord) -> list[str]:
    rows, best = record.rounds, record.best
    if best is None:
        return [html.missing("The history of this run has no rows.")]
    sentences = _sentence_count(record)
    marked = float(best.round)
    scores = [Line("dev", [(row.round, row.score) for row in rows])]
    if any(row.list_score is not None for row in rows):
        scores.append(Line("list", [(row.round, row.list_score) for row in rows]))
    charts = [
        line_chart(
            Chart(
                f"{record.metric_label} on dev",
                "dev: by decoding. list: chosen from all candidates so far. Ring: the best round.",
                lambda value: f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}",
            ),
            scores,
            marked=marked,
        )
    ]
    if any(row.length_ratio is not None for row in rows):
        line = Line("length", [(row.round, row.length_ratio) for row in rows])
        about = "Words of the output to words of the references; dotted: equal."
        charts.append(line_chart(Chart("Length ratio", about, _two), [line], marked=marked, level=1.0))
    charts.append(
        line_chart(
            Chart("Active features", "Features whose weight is not zero.", _count),
            [Line("active", [(row.round, float(row.active)) for row in rows])],
            marked=marked,
        )
    )
    norms = Line("norm", [(row.round, float(row.norm)) for row in rows])
    charts.append(line_chart(Chart("Norm of the weights", "Euclidean.", _three), [norms], marked=marked))
    if any(row.candidates for row in rows):
        each = "Candidates per sentence" if sentences else "Candidates"
        share = sentences or 1
        lines = [
            Line("all so far", [(row.round, row.candidates / share) for row in rows if row.round]),
            Line("new", [(row.round, row.new / share) for row in rows if row.round]),
        ]
        charts.append(line_chart(Chart(each, "In the lists that the weights were fitted to.", _count), lines))
    charts.append(_times(record))
    return [f'<div class="grid">{"".join(charts)}</div>', html.folded("the same as a table", _round_table(record))]


def _times(record: RunRecord) -> str:
    """Stacked seconds; the steps of several turns in a round are one kind of step."""
    chart = Chart("Seconds per step", "By the log; steps that were interrupted are not counted.", _count)
    kinds: dict[str, None] = {}
    spent: dict[tuple[int, str], float] = {}
    for step in record.steps:
        kind = " ".join(word for word in step.name.split() if "/" not in word and word != "dev")
        kinds[kind] = None
        spent[step.round, kind] = spent.get((step.round, kind), 0.0) + step.seconds
    names = list(kinds)
    numbers = sorted({number for number, _ in spent})
    if not names:
        whole = {float(row.round): [row.seconds] for row in record.rounds}
        return bar_chart(Chart("Seconds per round", "The log has no times of steps.", _count), ["seconds"], whole)
    bars = {float(number): [spent.get((number, name), 0.0) for name in names] for number in numbers}
    return bar_chart(chart, names, bars)


def _round_table(record: RunRecord) -> str:
    best = record.best
    rows = [
        [
            str(row.round), f"{row.score:.2f}", "" if row.list_score is None else f"{row.list_score:.2f}",
            "" if row.length_ratio is None else f"{row.length_ratio:.3f}", f"{int(row.candidates):,}",
            f"{int(row.new):,}", f"{row.norm:.4g}", f"{int(row.active):,}", f"{row.seconds:.1f}",
        ]
        for row in record.rounds
    ]  # fmt: skip
    marked = frozenset(at for at, row in enumerate(record.rounds) if row is best)
    header = ["round", "dev", "list", "length", "candidates", "new", "norm", "active", "seconds"]
    return html.table(Table(header, rows, frozenset(), marked=marked))


def _weights(record: RunRecord) -> list[str]:
    weights = record.best_weights
    if weights is None:
        return [html.missing("There are no weights yet.")]
    chosen = _largest(weights)
    paths: dict[str, list[tuple[float, float | None]]] = {name: [] for each in chosen.values() for name in each}
    for row in record.rounds:
        of_round = record.weights(row.round)
        for name, points in paths.items():
            points.append((row.round, None if of_round is None else of_round.get(name)))
    marked = None if record.best is None else float(record.best.round)
    charts = [
        line_chart(
            Chart(title, f"Paths of the {len(names)} largest weights of the best round.", _three),
            [Line(readable(name).removeprefix("translation:"), paths[name]) for name in names],
            marked=marked,
            level=0.0,
            names_at_ends=True,
        )
        for title, names in chosen.items()
        if names
    ]
    return [f'<div class="grid pair">{"".join(charts)}</div>', html.table(_templates(weights))]


def _largest(weights: Weights) -> dict[str, list[str]]:
    """Names of the largest weights, those of the features that every model has apart from the many others."""
    found: dict[str, list[str]] = {"Dense features": [], "Sparse features": []}
    for at in np.argsort(-np.abs(weights.values), kind="stable").tolist():
        if weights.values[at] == 0 or all(len(names) >= _PATHS for names in found.values()):
            break
        name = weights.native.name(at)
        few = len(weights) <= _FEW or is_dense(template_of(name))
        names = found["Dense features" if few else "Sparse features"]
        if len(names) < _PATHS:
            names.append(name)
    return found


def _templates(weights: Weights) -> Table:
    """The features of each template: how many have a weight, how much of all weight, the largest."""
    values = weights.values
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


def _groups(record: RunRecord) -> list[str]:
    table = record.groups
    if table is None:
        return []
    grouped = np.flatnonzero(~table.alone)
    order = grouped[np.argsort(-np.abs(table.weights[grouped]), kind="stable")]
    points = [
        (float(table.sizes[at]), float(table.weights[at]), f"group {at}: {table.sizes[at]:,} features, weight "
         f"{table.weights[at]:.4g}")
        for at in order.tolist()
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
    for at in order[:_GROUPS].tolist():
        names = [readable(table.names[member]) for member in table.members(at)[:_MEMBERS]]
        more = ", …" if table.sizes[at] > len(names) else ""
        numbers = [f"{table.sizes[at]:,}", f"{table.weights[at]:.4g}", f"{table.learnt[at]:.4g}"]
        rows.append([str(at), *numbers, str(table.train[at]), str(table.dev[at]), ", ".join(names) + more])
    named = "most used" if table.shares is None else "largest shares"
    header = ["group", "size", "weight", "learnt", "train", "dev", named]
    chart = Chart("Groups: weight over size", "One point a group; sizes on a logarithmic scale.", _three, "size")
    return [
        html.heading("Groups of features"),
        html.paragraph(told),
        f'<div class="grid">{scatter_chart(chart, points, "weight")}</div>',
        html.table(Table(header, rows, frozenset(), frozenset({6}))),
    ]


def own_changes(record: RunRecord, limit: int = 5) -> Changes | None:
    """What the best weights choose on dev otherwise than the start weights, by what the run has kept."""
    best = record.best
    if best is None or best.round == 0:
        return None
    before, after = record.chosen(0), record.chosen(best.round)
    if before is None or after is None:
        return None
    higher = record.higher_is_better
    return largest_changes(before, after, record.sentences, higher_is_better=higher, limit=limit)


def _sentences(record: RunRecord, changes: Changes | None) -> list[str]:
    found = own_changes(record) if changes is None else changes
    if found is not None:
        return changes_section(found)
    if record.best is not None and record.best.round == 0:
        return [html.missing("No round is better than the start weights, so nothing changed.")]
    return [
        html.missing(
            "This run has not kept the translations of its rounds (it may be of an earlier version). "
            "Give a model and a text to see them: tunesmith report RUN -m MODEL --test FILE --refs FILE…"
        )
    ]


def _notes(record: RunRecord) -> list[str]:
    if not record.notes:
        return []
    items = "".join(f"<li>{html.escape(text)}</li>" for text in record.notes[:20])
    return [html.heading("What the run said"), f'<ul class="small">{items}</ul>']


def _settings(record: RunRecord) -> list[str]:
    found = {key: value for key, value in flat(record.settings).items() if value is not None}
    parts = [html.facts(found)] if found else [html.missing("settings.json names no settings")]
    if record.signature:
        parts.append(f"<p><code>{html.escape(record.signature)}</code></p>")
    return parts


def _sentence_count(record: RunRecord) -> int | None:
    if record.sentences:
        return len(record.sentences)
    dev = record.settings.get("dev")
    count = dev.get("sentences") if isinstance(dev, dict) else None
    return count if isinstance(count, int) and count > 0 else None


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"


def _count(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def _two(value: float) -> str:
    return f"{value:.2f}"


def _three(value: float) -> str:
    return f"{value:.3g}"


def documents(records: Sequence[RunRecord], names: Sequence[str]) -> list[dict[str, object]]:
    """The runs for JSON: state, rounds, best round, largest weights, missing pieces."""
    found: list[dict[str, object]] = []
    for record, name in zip(records, names, strict=True):
        weights, best = record.best_weights, record.best
        state, reason = record.state
        order = [] if weights is None else np.argsort(-np.abs(weights.values), kind="stable")[:20].tolist()
        largest = {weights.native.name(at): float(weights.values[at]) for at in order} if weights else {}
        found.append(
            {
                "run": name, "path": str(record.folder), "state": state, "reason": reason,
                "recipe": record.recipe, "metric": record.metric_label,
                "best_round": None if best is None else best.round,
                "score": None if best is None else best.score,
                "rounds": [row.as_dict() for row in record.rounds],
                "largest_weights": largest,
                "signature": record.signature,
                "missing": list(record.missing),
            }
        )  # fmt: skip
    return found
