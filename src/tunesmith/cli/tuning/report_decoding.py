"""Decoding for a report: a test set with the weights of runs, and derivations of the sentences that are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.decoding import Decoder
    from tunesmith.evaluation.pages.sentence_changes import Change, Changes
    from tunesmith.evaluation.run_record import RunRecord
    from tunesmith.metrics import Metric
    from tunesmith.tuning.runs.chosen import Chosen
    from tunesmith.tuning.runs.documents import Sentence
    from tunesmith.weights import Weights

START = "start"


@dataclass(frozen=True, eq=False)
class Test:
    """A test set translated with the best weights of every run, by name; of a single run also with its start."""

    name: str
    metric: Metric
    sentences: Sequence[Sentence]
    outputs: Mapping[str, Chosen]

    def against_start(self) -> Changes | None:
        """The sentences that changed most, of a single run."""
        from tunesmith.evaluation.pages.sentence_changes import largest_changes

        before, after = self.outputs[START], next(each for name, each in self.outputs.items() if name != START)
        higher = self.metric.higher_is_better
        return largest_changes(before, after, self.sentences, higher_is_better=higher, data=self.name)


def report_test(
    ctx: typer.Context,
    records: Sequence[RunRecord],
    model: Path,
    test: str,
    references: Sequence[str],
    *,
    threads: int,
    quiet: bool,
) -> Test:
    """Decode, and judge by the metric of the first run."""
    from tunesmith.cli.console import progress
    from tunesmith.cli.evaluation.evaluation_input import read_reference_files
    from tunesmith.decoding import TranslationModel
    from tunesmith.evaluation.mistakes import check_line_count
    from tunesmith.evaluation.run_record import check_distinct
    from tunesmith.io import read_lines
    from tunesmith.tuning.runs.chosen import Chosen
    from tunesmith.tuning.runs.documents import Sentence

    lines = read_lines(test)
    found = read_reference_files(ctx, references, [test], quiet=quiet)
    check_line_count(test, lines, found)
    metric = _metric(records[0], quiet=quiet)
    prepared = metric.prepare(found.sentences)
    opened = TranslationModel.open(model, threads=threads)
    wanted = dict(zip(check_distinct(records), map(_best, records), strict=True))
    if len(records) == 1:
        [(name, best)] = wanted.items()
        wanted = {START: _start(records[0]), f"{name} (tuned)" if name == START else name: best}
    outputs = {}
    with progress("decode", quiet=quiet) as advance:
        for done, (name, weights) in enumerate(wanted.items()):
            texts = [each.text for each in opened.decoder(weights).translate(lines, threads=threads)]
            rows = prepared.statistics(texts, threads=threads)
            outputs[name] = Chosen(metric.sentence_scores(rows), rows, texts)
            advance(done + 1, len(wanted))
    sentences = [Sentence(line, tuple(each)) for line, each in zip(lines, found.sentences, strict=True)]
    return Test(Path(test).name, metric, sentences, outputs)


def explained(changes: Changes, record: RunRecord, model: Path, *, threads: int) -> Changes:
    """The changes with derivations of those sentences whose source is known.

    The model may not be the one of the run; then a derivation may be of other words than those shown, and says so.
    """
    from tunesmith.decoding import TranslationModel

    opened = TranslationModel.open(model, threads=threads)
    shown = [each for each in (*changes.gains, *changes.losses) if each.source is not None]
    if not shown:
        return changes
    lines = [str(each.source) for each in shown]
    texts = []
    for weights in (_start(record), _best(record)):
        decoder = opened.decoder(weights)
        texts.append(_derivations(decoder, lines, threads))
    said = {each.sentence: (texts[0][at], texts[1][at]) for at, each in enumerate(shown)}

    def with_derivations(each: Change) -> Change:
        if each.sentence not in said:
            return each
        before, after = said[each.sentence]
        return each.explained(_checked(before, each.before), _checked(after, each.after))

    return replace(
        changes,
        gains=[with_derivations(each) for each in changes.gains],
        losses=[with_derivations(each) for each in changes.losses],
    )


def _checked(found: tuple[str, str], shown: str) -> str:
    words, derivation = found
    if words == shown:
        return derivation
    return f"(this model with these weights translates: {words})\n{derivation}"


def _derivations(decoder: Decoder, lines: Sequence[str], threads: int) -> list[tuple[str, str]]:
    """Words and the text of the derivation of each line."""
    from tunesmith.cli.translation.explain import explain

    found = []
    for line, translation in zip(lines, decoder.translate(lines, threads=threads), strict=True):
        text = list(explain(1, line, translation, decoder))
        found.append((translation.text, "\n".join(text[text.index("") + 1 :]).strip("\n")))
    return found


def _metric(record: RunRecord, *, quiet: bool) -> Metric:
    """That of the run, or BLEU, aloud, where it cannot be made again from what the run has kept."""
    from tunesmith.cli.console import remark
    from tunesmith.metrics import Bleu

    found = record.metric or Bleu()
    if found.settings() != record.metric_settings:
        wanted = f"{record.metric_label} {record.metric_settings}"
        remark(f"judged by {found.label} {found.settings()}, the run by {wanted}", quiet=quiet)
    return found


def _best(record: RunRecord) -> Weights:
    if record.best_weights is None:
        raise ConfigError(f"{record.folder}: has no weights yet to decode with")
    return record.best_weights


def _start(record: RunRecord) -> Weights:
    found = record.weights(0)
    if found is None:
        raise ConfigError(f"{record.folder}: the start weights (rounds/00/weights.tsv) are not there")
    return found
