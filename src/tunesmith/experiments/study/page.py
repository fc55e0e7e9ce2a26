"""Page and picture of repeated tunings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tunesmith.evaluation.comparison_report import comparison_page
from tunesmith.evaluation.pages import page as html
from tunesmith.evaluation.pages.drawing import Figure, grid
from tunesmith.evaluation.run_comparison import compare_runs
from tunesmith.evaluation.run_record import RunRecord, check_distinct
from tunesmith.experiments.curves import Curve, draw_curves
from tunesmith.experiments.repetitions import deviation, mean
from tunesmith.experiments.study.study import TuningStudy
from tunesmith.experiments.study.table import RunResult, SettingResult, StudyTable
from tunesmith.experiments.tuning_work import read_statistics
from tunesmith.io import atomic_writer, read_lines
from tunesmith.tuning.runs.chosen import Chosen


def sweep_picture(table: StudyTable) -> list[Figure]:
    """Return scores against the first setting that was swept, a figure for each value of the others.

    The shape of Figure 1 of Cherry and Foster (2012). Empty if there are fewer than two values.
    """
    panels: dict[tuple[str, ...], list[SettingResult]] = {}
    for each in table.settings if table.sweeps else ():
        panels.setdefault(each.settings[1:], []).append(each)
    curves = [_curve(table, others, found) for others, found in panels.items() if len(found) > 1]
    return draw_curves(curves, table.metric)


def _curve(table: StudyTable, others: tuple[str, ...], found: Sequence[SettingResult]) -> Curve:
    columns = [column for column in table.columns if column != "dev" or "devtest" not in table.columns]
    scores = {column: [mean(each.scores(column)) for each in found] for column in columns}
    spread = {column: [deviation(each.scores(column)) or 0.0 for each in found] for column in columns}
    repeated = any(len(each.runs) > 1 for each in found)
    chosen = None if table.chosen is None else table.settings[table.chosen]
    values = [each.settings[0].partition("=")[2] for each in found]
    best = values[found.index(chosen)] if chosen in found else None
    title = ", ".join(others) or table.signature.name.removeprefix("study ")
    return Curve(title, table.sweeps[0].name, values, scores, spread if repeated else {}, best)


def write_study_page(study: TuningStudy, table: StudyTable, picture: Sequence[Figure]) -> Path:
    """Write `report.html`: the table, the picture, and a comparison of runs, the first of each setting."""
    header, rows = table.rows()
    chosen = frozenset(() if not table.sweeps or table.chosen is None else {table.chosen})
    opening = [html.table(html.Table(header, rows, frozenset({0}), marked=chosen)),
               html.paragraph(table.about(), "small")]  # fmt: skip
    if picture:
        opening += [html.heading("Scores against the setting"), grid(picture)]
    opening.append(html.heading("The runs compared"))
    shown = [each.runs[0] for each in table.settings] if table.sweeps else list(table.settings[0].runs)
    if len(shown) > 1:
        text = _compared(study, table, shown, opening)
    else:
        text = html.page(table.title, [f"<h1>{html.escape(table.title)}</h1>", *opening[:-1]])
    path = study.folder / "report.html"
    with atomic_writer(path) as out:
        out.write(text)
    return path


def _compared(study: TuningStudy, table: StudyTable, shown: Sequence[RunResult], opening: Sequence[str]) -> str:
    """Compare by devtest if given, or else by all of dev, since sub-samples differ."""
    records = [RunRecord(study.folder / run.path) for run in shown]
    data, metric = "devtest" if "devtest" in table.columns else "dev", study.task.recipe.metric
    outputs = {}
    for name, run in zip(check_distinct(records), shown, strict=True):
        folder = study.statistics_folder(run.path)
        rows, words = read_statistics(folder, data), folder / f"{data}.out"
        texts = read_lines(words) if words.exists() else [None] * len(rows)
        outputs[name] = Chosen(metric.sentence_scores(rows), rows, texts)
    found = compare_runs(records, outputs=outputs, metric=metric, data=data)
    return comparison_page(found, title=table.title, opening=opening)
