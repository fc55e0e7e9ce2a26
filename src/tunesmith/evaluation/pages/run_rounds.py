"""The rounds of a run on its page: charts of scores, sizes and times, and the same as a table."""

from __future__ import annotations

from tunesmith.evaluation.pages import page as html
from tunesmith.evaluation.pages.charts import Chart, Line, bar_chart, line_chart
from tunesmith.evaluation.pages.page import Table
from tunesmith.evaluation.run_record import RunRecord


def rounds_section(record: RunRecord) -> list[str]:
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
        charts.append(line_chart(Chart("Length ratio", about, "{:.2f}".format), [line], marked=marked, level=1.0))
    charts.append(
        line_chart(
            Chart("Active features", "Features whose weight is not zero.", _count),
            [Line("active", [(row.round, float(row.active)) for row in rows])],
            marked=marked,
        )
    )
    norms = Line("norm", [(row.round, float(row.norm)) for row in rows])
    charts.append(line_chart(Chart("Norm of the weights", "Euclidean.", "{:.3g}".format), [norms], marked=marked))
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


def _sentence_count(record: RunRecord) -> int | None:
    if record.sentences:
        return len(record.sentences)
    dev = record.settings.get("dev")
    count = dev.get("sentences") if isinstance(dev, dict) else None
    return count if isinstance(count, int) and count > 0 else None


def _count(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
