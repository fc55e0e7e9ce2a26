"""Options of verbs that read n-best lists, to convert or to measure them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from tunesmith.cli import options
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.evaluation import metric_options
from tunesmith.cli.evaluation.joined_words import tell_subwords
from tunesmith.cli.lists.candidate_files import read_one
from tunesmith.cli.lists.list_streams import OpenLists, open_lists, write_lists
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.metrics import Metric
    from tunesmith.search import CandidateSet

ListFileArgument = Annotated[
    str | None, argument("[LIST]", "Lists of any dialect; - or nothing is standard input.")
]
Dialect = Annotated[str | None, option(
    "--dialect NAME", "moses, cdec, joshua, travatar, marian, fairseq, sockeye, "
    "huggingface, ctranslate2, openai, json, moses-dat, flat:n=10,scores=FILE.", options.DETAILS,
    show_default="recognised"
)]  # fmt: skip
SkipBad = Annotated[
    bool, option("--skip-bad", "Leave out lines that cannot be read, and list them.", options.DETAILS)
]


@dataclass(frozen=True)
class Converting:
    """How lists are read, and written again."""

    to: Annotated[str | None, option("--to DIALECT", "Dialect to write.", show_default="that of the input")] = None
    lossy: Annotated[bool, option("--lossy", "Leave out what the dialect cannot hold.")] = False
    dialect: Dialect = None
    skip_bad: SkipBad = False
    output: options.OutputFile = "-"
    quiet: options.Quiet = False

    def open(self, file: str | None, *, any_order: bool = False, whole: bool = False) -> OpenLists:
        """Open a file of lists, standard input for None."""
        return open_lists(
            file, self.dialect, self.to, skip_bad=self.skip_bad, any_order=any_order, whole=whole, quiet=self.quiet
        )

    def write(self, parts: Iterable[tuple[int, CandidateSet]], dialect: str, *inputs: str | None) -> None:
        """Write lists as they come, each part with the number of its first sentence."""
        write_lists(parts, self.output, dialect, *inputs, lossy=self.lossy)


@dataclass(frozen=True)
class Measuring:
    """How lists are read and measured against references."""

    references: Annotated[list[str], option("--refs FILE…", "References.", show_default="those of the list")] = (
        field(default_factory=list)
    )
    metric: Annotated[str, option("--metric NAME", "bleu, chrf, ter, …")] = "bleu"
    lowercase: options.Lowercase = False
    tokenize: metric_options.Tokenize = None
    subwords: options.Subwords = None
    source: metric_options.Source = None
    dialect: Dialect = None
    skip_bad: SkipBad = False
    digits: options.Digits = 2
    threads: options.Threads = options.THREADS
    quiet: options.Quiet = False

    def read(self, ctx: typer.Context, file: str | None) -> Measured:
        """Read the lists, with statistics of the metric where there are references, given or in the file."""
        from tunesmith.cli.evaluation.evaluation_input import read_reference_files
        from tunesmith.corpus.subwords import join_references, join_sources
        from tunesmith.search.lists.pieces import PieceJoiner

        found = read_one(file, self.dialect, skip_bad=self.skip_bad, quiet=self.quiet)
        candidates, texts = found.candidates, found.references
        if self.references:
            texts = read_reference_files(ctx, self.references, [], quiet=self.quiet).sentences
        if texts is not None and len(texts) < candidates.sentences:
            raise ConfigError(
                f"the lists have {candidates.sentences} sentences and there are references for {len(texts)}"
            )
        metric = metric_options.chosen_metric(self.metric, self.lowercase, self.tokenize)
        joiner = PieceJoiner(self.subwords)
        candidates = joiner.joined(candidates)
        tell_subwords("the lists", joiner.found, quiet=self.quiet)
        if texts is not None:
            texts, _ = join_references(texts, joiner.found)
            sources = metric_options.words_of_source(self.source, metric, self.subwords)
            if self.source is None and found.sources is not None and metric.needs_source:
                sources = join_sources(found.sources, self.subwords)
            candidates = candidates.with_statistics(metric.prepare_for(texts, sources), threads=self.threads)
        return Measured(candidates, found.dialect, metric, has_references=texts is not None)


class Measured(NamedTuple):
    """Lists, and the metric that they have statistics of where there are references."""

    candidates: CandidateSet
    dialect: str
    metric: Metric
    has_references: bool
