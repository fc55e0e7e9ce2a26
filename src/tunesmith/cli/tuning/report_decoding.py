"""Decoding for a report: a test set with the weights of runs, and derivations of the sentences that are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli import options
from tunesmith.cli.declaring import option
from tunesmith.cli.models.raw_text import Tokenized
from tunesmith.corpus.subwords import check_subwords, join_line, join_references, join_sources
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.decoding import Decoder
    from tunesmith.evaluation.compare import Comparison
    from tunesmith.evaluation.pages.sentence_changes import Change, Changes
    from tunesmith.evaluation.run_record import RunRecord
    from tunesmith.metrics import Metric
    from tunesmith.tuning.runs.chosen import Chosen
    from tunesmith.tuning.runs.documents import Sentence
    from tunesmith.weights import Weights

START = "start"


@dataclass(frozen=True)
class TestText:
    """A test set to decode for the report, with its references; true where one is given."""

    test: Annotated[
        str | None, option("--test FILE", "Source text to judge by instead of dev; it is decoded.")
    ] = None
    references: Annotated[list[str], option("--refs FILE…", "References of --test.")] = field(default_factory=list)
    tokenized: Tokenized = False
    subwords: Annotated[str | None, option(
        "--subwords NAME", "With --test: pieces that translations are joined from: bpe, sentencepiece or none.",
        options.DETAILS, show_default="those of the run",
    )] = None  # fmt: skip

    def check(self, model: Path | None) -> None:
        """Refuse options that go with --test where there is none, and a test set that cannot be decoded."""
        if self.test is not None:
            if model is None or not self.references:
                raise ConfigError(
                    "--test FILE needs -m MODEL to decode it and --refs FILE… to judge the translations"
                )
            check_subwords(self.subwords)
        elif self.references:
            raise ConfigError("--refs belongs to --test FILE; the references of dev are in the run")
        elif self.tokenized or self.subwords is not None:
            name = "--tokenized" if self.tokenized else "--subwords"
            raise ConfigError(f"{name} belongs to --test FILE; dev is judged as it was tuned on")


@dataclass(frozen=True, eq=False)
class Test:
    """A test set translated with the best weights of every run, by name; of a single run also with its start.

    subwords: the pieces that the translations were joined from.
    """

    name: str
    metric: Metric
    sentences: Sequence[Sentence]
    outputs: Mapping[str, Chosen]
    subwords: str

    def against_start(self) -> Changes | None:
        """Return the sentences that changed most, of a single run."""
        from tunesmith.evaluation.pages.sentence_changes import largest_changes

        before, after = self.outputs[START], next(each for name, each in self.outputs.items() if name != START)
        higher = self.metric.higher_is_better
        return largest_changes(before, after, self.sentences, higher_is_better=higher, data=self.name)

    def comparison(self) -> Comparison:
        """Return scores, intervals and paired tests against the first translations."""
        from tunesmith.evaluation.compare import compare
        from tunesmith.signature import Signature

        rows = {name: each.statistics for name, each in self.outputs.items()}
        return compare(
            self.metric, rows, Signature(self.metric.label, {**self.metric.settings(), "data": self.name})
        )


def report_test(
    ctx: typer.Context,
    records: Sequence[RunRecord],
    model: Path,
    given: TestText,
    *,
    threads: int,
    quiet: bool,
) -> Test:
    """Decode, and judge by the metric of the first run."""
    from tunesmith.cli.console import progress
    from tunesmith.cli.evaluation.evaluation_input import read_reference_files
    from tunesmith.decoding import TranslationModel
    from tunesmith.decoding.work.kinds import translations
    from tunesmith.evaluation.mistakes import check_line_count
    from tunesmith.evaluation.run_record import check_distinct
    from tunesmith.io import read_lines
    from tunesmith.tuning.runs.chosen import Chosen
    from tunesmith.tuning.runs.documents import Sentence

    assert given.test is not None
    test = given.test
    lines = read_lines(test)
    found = read_reference_files(ctx, given.references, [test], quiet=quiet)
    check_line_count(test, lines, found)
    metric = _metric(records[0], quiet=quiet)
    opened = TranslationModel.open(model, threads=threads)
    raw: Sequence[Sequence[str]] = found.sentences
    if not given.tokenized:
        lines, raw = opened.text.sources(lines), opened.text.references(found.sentences)
    subwords, asked = _subwords(records[0], opened.decoder().subwords, given.subwords)
    words, _ = join_references(raw, subwords)
    prepared = metric.prepare_for(words, join_sources(lines, asked) if metric.needs_source else lines)
    wanted = dict(zip(check_distinct(records), map(_best, records), strict=True))
    if len(records) == 1:
        [(name, best)] = wanted.items()
        wanted = {START: _start(records[0]), f"{name} (tuned)" if name == START else name: best}
    outputs = {}
    with progress("decode", quiet=quiet) as advance:
        for done, (name, weights) in enumerate(wanted.items()):
            decoded = translations(opened.decoder(weights), lines, threads=threads)
            texts = [join_line(each, subwords) for each in decoded]
            rows = prepared.statistics(texts, threads=threads)
            outputs[name] = Chosen(metric.sentence_scores(rows), rows, texts)
            advance(done + 1, len(wanted))
    sentences = [Sentence(line, tuple(each)) for line, each in zip(lines, words, strict=True)]
    return Test(Path(test).name, metric, sentences, outputs, subwords)


def explained(
    changes: Changes, record: RunRecord, model: Path, *, subwords: str | None = None, threads: int
) -> Changes:
    """Return the changes with derivations of those sentences whose source is known.

    subwords: the pieces that the translations shown were joined from, None for those of the run.
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
        kind, _ = _subwords(record, decoder.subwords, subwords)
        texts.append(_derivations(decoder, lines, kind, threads))
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


def _derivations(decoder: Decoder, lines: Sequence[str], subwords: str, threads: int) -> list[tuple[str, str]]:
    """Return words and the text of the derivation of each line."""
    from tunesmith.cli.translation.explain import explain
    from tunesmith.decoding.explanation import explained

    found = []
    for line, translation in zip(lines, decoder.translate(lines, threads=threads), strict=True):
        text = list(explain(1, line, explained(line, translation, decoder), decoder.language_models))
        found.append((join_line(translation.text, subwords), "\n".join(text[text.index("") + 1 :]).strip("\n")))
    return found


def _metric(record: RunRecord, *, quiet: bool) -> Metric:
    """Return the metric of the run; or BLEU, with a remark, where the run has not kept enough to make it again."""
    from tunesmith.cli.console import remark
    from tunesmith.metrics import Bleu

    found = record.metric or Bleu()
    if found.settings() != record.metric_settings:
        wanted = f"{record.metric_label} {record.metric_settings}"
        remark(f"judged by {found.label} {found.settings()}, the run by {wanted}", quiet=quiet)
    return found


def _subwords(record: RunRecord, shown: str, asked: str | None) -> tuple[str, str | None]:
    """Return the pieces that translations are joined from, and what was asked for, None where marks decide.

    shown: the pieces of the model.   asked: those that were typed, None for those that the run has joined.
    """
    dev = record.settings.get("dev")
    if asked is None and isinstance(dev, Mapping):
        joined = str(dev.get("subwords", "none"))
        asked = None if joined == shown else joined
    return asked or shown, asked


def _best(record: RunRecord) -> Weights:
    if record.best_weights is None:
        raise ConfigError(f"{record.folder}: has no weights yet to decode with")
    return record.best_weights


def _start(record: RunRecord) -> Weights:
    found = record.weights(0)
    if found is None:
        raise ConfigError(f"{record.folder}: the start weights (rounds/00/weights.tsv) are not there")
    return found
