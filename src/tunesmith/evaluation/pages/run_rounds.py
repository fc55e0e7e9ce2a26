"""The rounds of a run on its page: charts of scores, sizes and times, and the same as a table."""

from __future__ import annotations

from collections.abc import Sequence

from tunesmith.evaluation.bootstrap import Interval
from tunesmith.evaluation.pages import page as html
from tunesmith.evaluation.pages.charts import Line, bar_chart, line_chart
from tunesmith.evaluation.pages.drawing import Chart, Figure, grid
from tunesmith.evaluation.pages.page import Table
from tunesmith.evaluation.pages.run_epochs import epoch_charts
from tunesmith.evaluation.run_record import RunRecord
from tunesmith.tuning.loop.history import Round

FEW = 2
"""Runs of at most this many rounds have a table: a chart of two points says less than the numbers."""
LENGTHS, COUNTS = 0.1, 4.0
"""The smallest ranges of length ratios and of counts that are drawn."""


def rounds_section(record: RunRecord, interval: Interval | None = None) -> list[str]:
    """Return charts and a table of all rounds, or the table alone for few.   interval: of the best score."""
    rows, best = record.rounds, record.best
    if best is None:
        return [html.missing("The history of this run has no rows.")]
    if len(rows) <= FEW:
        return [_few_rounds(record)]
    charts = [_scores(record, interval)]
    marked = float(best.round)
    if any(row.length_ratio is not None for row in rows):
        line = Line("length", [(row.round, row.length_ratio) for row in rows])
        about = "Words of the output to words of the references; dotted: equal."
        chart = Chart("Length ratio", about, "{:.2f}".format, least=LENGTHS)
        charts.append(line_chart(chart, [line], marked=marked, level=1.0))
    charts.append(
        line_chart(
            Chart("Active features", "Features whose weight is not zero.", _count, least=COUNTS),
            [Line("active", [(row.round, float(row.active)) for row in rows])],
            marked=marked,
        )
    )
    norms = Line("norm", [(row.round, float(row.norm)) for row in rows])
    charts.append(line_chart(Chart("Norm of the weights", "Euclidean.", "{:.3g}".format), [norms], marked=marked))
    if any(row.candidates for row in rows):
        sentences = _sentence_count(record)
        each = "Candidates per sentence" if sentences else "Candidates"
        share = sentences or 1
        lines = [
            Line("all so far", [(row.round, row.candidates / share) for row in rows if row.round]),
            Line("new", [(row.round, row.new / share) for row in rows if row.round]),
        ]
        charts.append(
            line_chart(Chart(each, "In the lists that the weights were fitted to.", _count, least=COUNTS), lines)
        )
    charts += epoch_charts(rows, record.metric_label, marked)
    charts.append(_times(record))
    return [grid(charts), html.folded("the same as a table", _round_table(record))]


def _scores(record: RunRecord, interval: Interval | None) -> Figure:
    """Return the axis spans the interval at least, so that noise looks like noise."""
    rows, best = record.rounds, record.best
    lines = [Line("dev", [(row.round, row.score) for row in rows])]
    about = "dev: by decoding."
    if any(row.list_score is not None for row in rows):
        lines.append(Line("list", [(row.round, row.list_score) for row in rows]))
        about += " list: chosen from all candidates so far."
    about += " Ring: the best round."
    least = 0.0
    if interval is not None:
        least = interval.high - interval.low
        about += f" Its {interval.level:.0%} interval is ± {interval.half_width:.2g}."
    chart = Chart(
        f"{record.metric_label} on dev",
        about,
        lambda value: f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}",
        least=least,
    )
    return line_chart(chart, lines, marked=None if best is None else float(best.round))


def _few_rounds(record: RunRecord) -> str:
    """Return a row for each number, a column for each round."""
    rows = record.rounds
    names = ["start" if row.round == 0 else f"round {row.round}" for row in rows]
    cells = [[name, *values] for name, values in round_numbers(rows, record.metric_label)]
    return html.table(Table(["", *names], cells))


def round_numbers(rows: Sequence[Round], metric: str) -> list[tuple[str, list[str]]]:
    """Return the numbers of rounds by name, without those that no round has."""
    found: list[tuple[str, list[str]]] = [
        (f"{metric} on dev", [f"{row.score:.2f}" for row in rows]),
        (f"{metric} on the lists", ["" if row.list_score is None else f"{row.list_score:.2f}" for row in rows]),
        ("length ratio", ["" if row.length_ratio is None else f"{row.length_ratio:.3f}" for row in rows]),
        ("candidates", [f"{int(row.candidates):,}" if row.candidates else "" for row in rows]),
        ("new candidates", [f"{int(row.new):,}" if row.new else "" for row in rows]),
        ("norm of the weights", [f"{row.norm:.4g}" for row in rows]),
        ("active features", [f"{int(row.active):,}" for row in rows]),
        ("seconds", [f"{row.seconds:.1f}" for row in rows]),
    ]
    return [(name, cells) for name, cells in found if any(cells)]


def _times(record: RunRecord) -> Figure:
    """Return stacked seconds; the steps of several turns in a round are one kind of step."""
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
