"""A comparison of runs for users: a page, and tables for a paper."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tunesmith.evaluation.pages import page as html
from tunesmith.evaluation.pages.charts import Line, line_chart
from tunesmith.evaluation.pages.drawing import Chart, Figure, grid
from tunesmith.evaluation.pages.page import Table
from tunesmith.evaluation.pages.run_rounds import COUNTS, FEW, LENGTHS, round_numbers
from tunesmith.evaluation.pages.sentence_changes import changes_section, largest_changes
from tunesmith.evaluation.run_comparison import HEADER, RunComparison
from tunesmith.features.names import readable
from tunesmith.tuning.runs.documents import Sentence

_LATEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
          "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "→": r"$\to$",
          "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}  # fmt: skip


def comparison_page(
    found: RunComparison,
    *,
    sentences: Sequence[Sentence] | None = None,
    digits: int = 2,
    title: str = "",
    opening: Sequence[str] = (),
) -> str:
    """Return the HTML text. sentences: source and references of the data that was compared on.

    title: instead of the names of the runs.   opening: HTML that comes before all else.
    """
    title = title or " · ".join(found.names)
    body = [
        html.paragraph("tuning runs compared", "over"),
        f"<h1>{html.escape(title)}</h1>",
        *opening,
        *_scores(found, digits),
        html.heading("Round by round"),
        *_rounds(found),
        *_settings(found),
        *_weights(found),
        *_sentences(found, sentences),
    ]
    for name, record in zip(found.names, found.records, strict=True):
        if record.missing:
            body += [html.heading(f"What could not be read of {name}"), *map(html.missing, record.missing)]
    body.append(html.heading("Signatures"))
    if found.tests is not None:
        body.append(f"<p><code>{html.escape(found.tests.signature)}</code></p>")
    for name, record in zip(found.names, found.records, strict=True):
        body.append(f"<p>{html.escape(name)}<br><code>{html.escape(record.signature)}</code></p>")
    return html.page(title, body)


def _scores(found: RunComparison, digits: int) -> list[str]:
    rows = found.rows(digits)
    strong = {}
    for at, name in enumerate(found.names):
        tests = getattr(found.result(name), "tests", None)
        if tests is not None and (tests.significant_bootstrap or tests.significant_randomization):
            strong[at, 4] = "good" if tests.better else "bad"
    parts = [html.table(Table(HEADER, rows, frozenset({0, 1}), marked=frozenset({0}), strong=strong))]
    label = found.records[0].metric_label if found.tests is None else found.tests.signature.name
    if found.tests is None:
        parts.append(html.missing(f"There are no tests of significance: {found.why_not}."))
        told = f"Scores are {label} on dev, of the best round."
    else:
        alpha = found.tests.resampling.alpha
        told = (
            f"{label} on {found.data}, of the best round by dev. ± is half of the {1 - alpha:.0%} interval. "
            f"Differences are to the first run, in italics; a star: p < {alpha:g} by paired bootstrap or "
            "approximate randomisation (trust the latter where they disagree), the difference then green where it "
            "is for the better and red where it is for the worse."
        )
        if found.data == "dev":
            told += " Dev is what the runs were tuned on: a gain there need not be one elsewhere."
    return [*parts, html.paragraph(told, "small")]


def _rounds(found: RunComparison) -> list[str]:
    runs = list(zip(found.names, found.records, strict=True))
    label = found.records[0].metric_label
    if all(len(record.rounds) <= FEW for _, record in runs):
        return [_best_rounds(found, label)]

    def chart(title: str, field: str, show: str, least: float = 0.0) -> Figure:
        lines = []
        for name, record in runs:
            points = [(row.round, getattr(row, field)) for row in record.rounds]
            lines.append(Line(name, [(x, None if y is None else float(y)) for x, y in points]))
        return line_chart(Chart(title, show=lambda value: format(value, show), least=least), lines)

    intervals = [each.interval for each in map(found.result, found.names) if each is not None]
    noise = max((each.high - each.low for each in intervals if each is not None), default=0.0)
    charts = [
        chart(f"{label} on dev", "score", ".1f", noise),
        chart("Length ratio", "length_ratio", ".2f", LENGTHS),
        chart("Active features", "active", ",.0f", COUNTS),
        chart("Candidates", "candidates", ",.0f", COUNTS),
        chart("Norm of the weights", "norm", ".3g"),
        chart("Seconds per round", "seconds", ".3g"),
    ]
    return [grid(charts)]


def _best_rounds(found: RunComparison, label: str) -> str:
    """Return runs of few rounds as a table of their best ones."""
    runs = [(name, record) for name, record in zip(found.names, found.records, strict=True) if record.best]
    best = [record.best for _, record in runs if record.best is not None]
    rows = [[name, *cells] for name, cells in round_numbers(best, label)]
    return html.table(Table(["best round", *(name for name, _ in runs)], rows))


def _weights(found: RunComparison) -> list[str]:
    header, rows = found.weights()
    shown = [[readable(row[0]), *row[1:]] for row in rows]
    parts = [html.heading("Largest weights")]
    if not rows:
        return [*parts, html.missing("No run has weights yet.")]
    told = (
        "The scale of weights is arbitrary. Normalised: divided by the sum of the absolute weights of the "
        "features that all runs share. The largest of these come first."
    )
    return [*parts, html.table(Table(header, shown)), html.paragraph(told, "small")]


def _settings(found: RunComparison) -> list[str]:
    header, rows = found.differing_settings()
    left, long = frozenset({0}), frozenset(range(1, len(header)))
    common, of_some = [row for row in rows if all(row)], [row for row in rows if not all(row)]
    parts = [html.heading("Settings that differ")]
    parts.append(
        html.table(Table(header, common, left, long)) if common else html.missing("None that all runs have.")
    )
    if of_some:
        parts.append(
            html.folded("settings that only some runs have", html.table(Table(header, of_some, left, long)))
        )
    return parts


def _sentences(found: RunComparison, sentences: Sequence[Sentence] | None) -> list[str]:
    """Show sentences of two runs only; of more, each against the first would be too much to read."""
    if len(found.names) != 2 or found.tests is None:
        return []
    known = sentences if sentences is not None else found.records[0].sentences
    first, second = found.names
    changes = largest_changes(
        found.translations[first],
        found.translations[second],
        known,
        higher_is_better=found.tests.higher_is_better,
        data=found.data,
        names=(first, second),
    )
    return [] if changes is None else [html.heading("Sentences that differ"), *changes_section(changes)]


def latex_tables(found: RunComparison, digits: int = 2) -> str:
    """Return tables for LaTeX with the package booktabs: scores, and settings that differ between runs."""
    rows = found.rows(digits)
    used = [at for at in range(len(HEADER)) if at < 3 or any(row[at] for row in rows)]
    label = found.records[0].metric_label if found.tests is None else found.tests.signature.name
    header = [f"{label} ({found.data})" if HEADER[at] == "score" else HEADER[at] for at in used]
    parts = ["% needs \\usepackage{booktabs}"]
    parts.append(f"% {found.tests.signature}" if found.tests is not None else f"% no tests: {found.why_not}")
    parts += _latex(header, [[row[at] for at in used] for row in rows], 2)
    settings_header, settings = found.differing_settings()
    if common := [row for row in settings if all(row)]:
        parts += ["", *_latex(settings_header, common, len(settings_header))]
    return "\n".join(parts) + "\n"


def _latex(header: Sequence[str], rows: Sequence[Sequence[str]], texts: int) -> list[str]:
    """Format a table for LaTeX.   texts: number of columns at the left that are text; the others are numbers."""
    columns = "l" * texts + "r" * (len(header) - texts)

    def line(cells: Sequence[str]) -> str:
        return " & ".join(_latex_text(cell) for cell in cells) + r" \\"

    return [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", line(header), r"\midrule", *map(line, rows),
            r"\bottomrule", r"\end{tabular}"]  # fmt: skip


def _latex_text(text: str) -> str:
    if re.fullmatch(r"<?[0-9.]+\*", text):  # a p-value below the level
        return f"{_latex_text(text[:-1])}$^*$"
    shown = "".join(_LATEX.get(character, character) for character in text.replace("\n", " "))
    number = text[1:].replace(".", "").isdigit()
    return f"${text}$" if text[:1] in ("+", "-") and number else shown
