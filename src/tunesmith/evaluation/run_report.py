"""The report of one tuning run: a page one can read on a phone and put into a talk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tunesmith.evaluation.bootstrap import Interval
from tunesmith.evaluation.compare import Comparison
from tunesmith.evaluation.domains import sentences_of
from tunesmith.evaluation.pages import page as html
from tunesmith.evaluation.pages.run_rounds import rounds_section
from tunesmith.evaluation.pages.run_weights import groups_section, weights_section
from tunesmith.evaluation.pages.sentence_changes import Changes, changes_section, largest_changes
from tunesmith.evaluation.run_gain import best_interval, p_text, run_gain
from tunesmith.evaluation.run_record import RunRecord
from tunesmith.evaluation.settings import Resampling
from tunesmith.io import StrPath, atomic_writer
from tunesmith.tuning.runs.directory import REPORT, flat

_TEST = "tunesmith report RUN -m MODEL --test FILE --refs FILE…"
_TEST_LISTS = "tunesmith tune … --heldout LISTS --heldout-refs FILE…"


def write_run_report(path: StrPath, state: str | None = None) -> str:
    """Write the page of the run in this folder into it; where it was written.

    state: how the run stands, where the caller knows better than the folder.
    """
    record = RunRecord(path, state)
    target, text = record.folder / REPORT, run_page(record)
    with atomic_writer(target) as out:
        out.write(text)
    return str(target)


def run_page(
    record: RunRecord,
    *,
    changes: Changes | None = None,
    test: Comparison | None = None,
    resampling: Resampling | None = None,
) -> str:
    """Return the HTML text.

    changes: sentences to show instead of those that the run itself has kept.   test: the start weights and the
    best ones on other data than dev.   resampling: of the intervals and tests on dev.
    """
    gain = run_gain(record, resampling)
    interval = best_interval(record, resampling) if gain is None else gain.systems[1].interval
    body = [
        *_head(record, gain, test, interval),
        html.heading("Round by round"),
        *rounds_section(record, interval),
        *_domains(record),
        html.heading("Weights"),
        *weights_section(record),
        *groups_section(record),
        html.heading("Sentences that changed"),
        *_sentences(record, changes),
        *_notes(record),
        html.heading("Settings"),
        *_settings(record),
    ]
    if record.missing:
        body += [html.heading("What could not be read"), *(html.missing(text) for text in record.missing)]
    return html.page(f"{record.recipe}: {record.name}", body)


def _head(
    record: RunRecord, gain: Comparison | None, test: Comparison | None, interval: Interval | None
) -> list[str]:
    state, reason = record.state
    told = f"{state}: {reason}" if reason else state
    title = record.name if record.name == record.recipe else f"{record.recipe} · {record.name}"
    parts = [
        html.paragraph("tuning run", "over"),
        f"<h1>{html.escape(title)}</h1>",
        html.paragraph(told, "small"),
    ]
    best = record.best
    if best is None:
        return [*parts, html.missing("No round has ended yet: there are no scores.")]
    numbers = [] if test is None else _on_test(test)
    first = record.rounds[0]
    what = f"{record.metric_label} on dev, round {best.round}"
    if interval is not None:
        what += f"; {interval.level:.0%} interval {interval.low:.2f} to {interval.high:.2f}"
    numbers.append((f"{best.score:.2f}", what))
    if first.round == 0:
        over = f"over the start weights ({first.score:.2f}) on dev"
        tests = None if gain is None else gain.systems[1].tests
        numbers.append((f"{best.score - first.score:+.2f}", over if tests is None else f"{over}; {p_text(tests)}"))
    rounds = record.rounds[-1].round
    numbers.append((str(rounds), "round" if rounds == 1 else "rounds"))
    numbers.append((f"{int(best.active):,}", "features with a weight"))
    if best.length_ratio is not None:
        numbers.append((f"{best.length_ratio:.3f}", "length ratio"))
    numbers.append((_time(sum(row.seconds for row in record.rounds)), "of work"))
    parts.append(html.hero(numbers))
    if interval is None:
        parts.append(html.missing("No interval: the run has not kept translations, or their metric is not known."))
    elif test is None:
        told = "Weights are chosen on dev, so its score and its p flatter them."
        if not any(each.data != "dev" for each in record.judged):
            told += f" Judge by a test set: {_TEST_LISTS if _of_lists(record) else _TEST}"
        parts.append(html.paragraph(told, "small"))
    return [*parts, *_judged(record)]


def _of_lists(record: RunRecord) -> bool:
    dev = record.settings.get("dev")
    return isinstance(dev, Mapping) and dev.get("kind") == "lists"


def _judged(record: RunRecord) -> list[str]:
    """Return held-out lists and other metrics as a table; nothing for a run without."""
    if not record.judged:
        return []
    rows, strong = [], {}
    for at, each in enumerate(record.judged):
        rows.append(
            [each.data, each.metric, f"{each.start:.2f}", f"{each.score:.2f}", f"{each.score - each.start:+.2f}"]
        )
        if each.score != each.start:
            strong[at, 4] = "bad" if each.worse else "good"
    header = ["lists", "metric", "start", "tuned", "difference"]
    return [html.table(html.Table(header, rows, frozenset({0, 1}), strong=strong))]


def _domains(record: RunRecord) -> list[str]:
    """Return scores of the sentences of each domain on dev; nothing for a run without labels."""
    best, metric = record.best, record.metric
    labels = [each.label for each in record.sentences or [] if each.label is not None]
    if best is None or metric is None or not labels:
        return []
    before, after = record.chosen(0), record.chosen(best.round)
    if before is None or after is None or not len(before) == len(after) == len(labels):
        return []
    rows = []
    for domain, chosen in sentences_of(labels).items():
        start, tuned = (float(metric.score(each.statistics[chosen].sum(axis=0))) for each in (before, after))
        rows.append([domain, str(len(chosen)), f"{start:.2f}", f"{tuned:.2f}", f"{tuned - start:+.2f}"])
    header = ["domain", "sentences of dev", "start", "tuned", "difference"]
    return [html.heading("Each domain"), html.table(html.Table(header, rows, frozenset({0})))]


def _on_test(test: Comparison) -> list[tuple[str, str]]:
    """Score and gain on a test set, for the head of the page."""
    start, tuned = test.systems
    data = test.signature.fields.get("data", "test")
    what = f"{test.signature.name} on {data}"
    if tuned.interval is not None:
        what += f"; {tuned.interval.level:.0%} interval {tuned.interval.low:.2f} to {tuned.interval.high:.2f}"
    found = [(f"{tuned.score:.2f}", what)]
    if tuned.tests is not None:
        over = f"over the start weights ({start.score:.2f}) on {data}; {p_text(tuned.tests)}"
        found.append((f"{tuned.tests.difference:+.2f}", over))
    return found


def own_changes(record: RunRecord, limit: int = 5) -> Changes | None:
    """Return the sentences of dev whose translation the best weights change, as the run recorded them."""
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
    return [html.heading("Notes"), f'<ul class="small">{items}</ul>']


def _settings(record: RunRecord) -> list[str]:
    found = {key: value for key, value in flat(record.settings).items() if value is not None}
    parts = [html.facts(found)] if found else [html.missing("settings.json names no settings")]
    if record.signature:
        parts.append(f"<p><code>{html.escape(record.signature)}</code></p>")
    return parts


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"


def documents(records: Sequence[RunRecord], names: Sequence[str]) -> list[dict[str, object]]:
    """Return the runs for JSON: state, rounds, best round, largest weights, missing pieces."""
    found: list[dict[str, object]] = []
    for record, name in zip(records, names, strict=True):
        weights, best = record.best_weights, record.best
        state, reason = record.state
        gain, interval = run_gain(record), best_interval(record)
        order = [] if weights is None else np.argsort(-np.abs(weights.array), kind="stable")[:20].tolist()
        largest = {weights.native.name(at): float(weights.array[at]) for at in order} if weights else {}
        found.append(
            {
                "run": name, "path": str(record.folder), "state": state, "reason": reason,
                "recipe": record.recipe, "metric": record.metric_label,
                "best_round": None if best is None else best.round,
                "score": None if best is None else best.score,
                "interval": None if interval is None else interval.as_dict(),
                "tests": None if gain is None else gain.as_dict(),
                "rounds": [row.as_dict() for row in record.rounds],
                "largest_weights": largest,
                "signature": record.signature,
                "missing": list(record.missing),
            }
        )  # fmt: skip
    return found
