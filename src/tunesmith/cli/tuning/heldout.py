"""Options about data that is only judged on: held-out lists, and metrics in addition to the tuned one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from tunesmith.cli.declaring import option
from tunesmith.cli.tuning.tuning_input import Given
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.metrics import Metric
    from tunesmith.search import CandidateSet
    from tunesmith.tuning import CandidateSource, GraphFileSource, Tuner
    from tunesmith.tuning.pools.heldout import Judged

HELDOUT = "Held-out data"


class Judging(NamedTuple):
    """Lists, references and metrics, read before anything is tuned."""

    lists: CandidateSet | None
    references: Sequence[Sequence[str]] | None
    also: Sequence[Metric]
    sources: Sequence[str] | None = None
    graphs: GraphFileSource | None = None

    def check_sources(self, source: CandidateSource) -> None:
        """Refuse metrics in addition that look at source sentences which the lists to tune on lack."""
        from tunesmith.tuning import FileSource

        if isinstance(source, FileSource) and source.references is not None and source.lines is None:
            for metric in self.also:
                if metric.needs_source:
                    raise ConfigError(f"--also: {metric.label} looks at source sentences: give --source FILE")


@dataclass(frozen=True)
class HeldOut:
    """Lists that are not tuned on, and metrics in addition to the tuned one; true where any is given."""

    heldout: Annotated[list[str], option(
        "--heldout FILE…",
        "Lists (with --graphs: graphs) that are not tuned on; weights are judged on them in the end.", HELDOUT
    )] = field(default_factory=list)  # fmt: skip
    heldout_references: Annotated[list[str], option("--heldout-refs FILE…", "Their references.", HELDOUT)] = field(
        default_factory=list
    )
    heldout_source: Annotated[str | None, option(
        "--heldout-source FILE", "Their source text, for metrics that look at it.", HELDOUT,
        show_default="that of the lists",
    )] = None  # fmt: skip
    also: Annotated[list[str], option(
        "--also METRIC", "Metrics reported in addition to the tuned one, such as chrf; may be repeated.", HELDOUT
    )] = field(default_factory=list)  # fmt: skip

    def __bool__(self) -> bool:
        return bool(self.heldout or self.also)

    def files(self) -> list[str]:
        """Return names of the files that are read."""
        source = [] if self.heldout_source is None else [self.heldout_source]
        return [*self.heldout, *self.heldout_references, *source]

    def read(self, ctx: typer.Context, given: Given, tuned: Metric, *, quiet: bool) -> Judging:
        """Read what will be judged on, so that a mistake is reported before a long run."""
        from tunesmith.cli.evaluation.evaluation_input import read_reference_files
        from tunesmith.cli.tuning.job_progress import progress_of_job
        from tunesmith.corpus.bitext import expand_paths
        from tunesmith.corpus.subwords import join_references, join_sources
        from tunesmith.io import read_lines
        from tunesmith.jobs.list_files import read_candidates
        from tunesmith.metrics import metric_of
        from tunesmith.search.lists.pieces import PieceJoiner

        also = [metric_of(name) for name in self.also]
        if not self.heldout:
            if self.heldout_references or self.heldout_source is not None:
                name = "--heldout-refs" if self.heldout_references else "--heldout-source"
                raise ConfigError(f"{name} belongs to --heldout FILE…")
            return Judging(None, None, also)
        if given.graphs:
            return self._read_graphs(ctx, given, tuned, also, quiet=quiet)
        with progress_of_job(quiet=quiet) as observer:
            found = read_candidates(
                expand_paths(self.heldout), [], given.dialect, skip_bad=given.skip_bad, observer=observer
            )
        sources = found.sources if self.heldout_source is None else read_lines(self.heldout_source)
        if sources is not None and len(sources) != found.candidates.sentences:
            raise ConfigError(
                f"{self.heldout_source}: has {len(sources)} source sentences, the held-out lists have "
                f"{found.candidates.sentences}; give the sources of the same sentences in the same order"
            )
        for metric in (tuned, *also):
            if metric.needs_source and sources is None:
                raise ConfigError(
                    f"{metric.label} looks at source sentences, which these held-out lists do not have: give "
                    "--heldout-source FILE"
                )
        if sources is not None and any(metric.needs_source for metric in (tuned, *also)):
            sources = join_sources(sources, given.subwords, self.heldout_source)
        references = found.references
        if self.heldout_references:
            references = read_reference_files(ctx, self.heldout_references, self.heldout, quiet=quiet).sentences
        if references is None:
            raise ConfigError("held-out lists need references: --heldout-refs FILE…")
        if len(references) != found.candidates.sentences:
            raise ConfigError(
                f"the held-out lists have {found.candidates.sentences} sentences and there are references for "
                f"{len(references)}"
            )
        joiner = PieceJoiner(given.subwords)
        candidates = joiner.joined(found.candidates)
        return Judging(candidates, join_references(references, joiner.found)[0], also, sources)

    def _read_graphs(
        self, ctx: typer.Context, given: Given, tuned: Metric, also: Sequence[Metric], *, quiet: bool
    ) -> Judging:
        from tunesmith.cli.evaluation.evaluation_input import read_reference_files
        from tunesmith.search.graphs.formats import read_graphs
        from tunesmith.tuning import GraphFileSource

        if self.heldout_source is not None or (looking := [m for m in (tuned, *also) if m.needs_source]):
            what = "--heldout-source" if self.heldout_source is not None else looking[0].label
            raise ConfigError(f"search graphs have no source sentences, which {what} is about")
        if not self.heldout_references:
            raise ConfigError("held-out graphs need references: --heldout-refs FILE…")
        references = read_reference_files(ctx, self.heldout_references, self.heldout, quiet=quiet).sentences
        graphs = read_graphs(self.heldout, given.graph_format)
        return Judging(None, None, also, graphs=GraphFileSource(graphs, references, subwords=given.subwords))


def judge_run(
    judging: Judging, tuner: Tuner, source: CandidateSource, folder: Path, *, threads: int
) -> list[Judged]:
    """Judge the start and the tuned weights; `heldout.json` in the run directory holds the result."""
    import numpy as np

    from tunesmith.corpus.subwords import join_sources
    from tunesmith.io.inside import inside
    from tunesmith.metrics import Bleu, Precomputed
    from tunesmith.tuning import FileSource, GraphFileSource
    from tunesmith.tuning.pools.heldout import judge, judge_graphs, write_judged
    from tunesmith.tuning.runs.directory import HELD_OUT
    from tunesmith.weights import Weights

    home = inside(folder)
    start = Weights.read(home / "rounds" / "00" / "weights.tsv")
    found: list[Judged] = []
    if judging.also and isinstance(source, FileSource) and source.references is not None:
        lists, lines = source.candidates(np.zeros(0)), source.lines
        if lines is not None and any(metric.needs_source for metric in judging.also):
            lines = join_sources(lines, source.asked_subwords)
        found += judge(
            "dev", lists, source.references, judging.also, start, tuner.weights_,
            sources=lines, threads=threads,
        )  # fmt: skip
    if judging.also and isinstance(source, GraphFileSource):
        found += judge_graphs(
            "dev", source.whole(), source.references, judging.also, start, tuner.weights_, threads=threads
        )
    if judging.graphs is not None:
        found += judge_graphs(
            "held-out", judging.graphs.whole(), judging.graphs.references, [tuner.metric, *judging.also], start,
            tuner.weights_, threads=threads,
        )  # fmt: skip
    if judging.lists is not None:
        # Scores computed elsewhere are known for the candidates that were tuned on, not for these.
        tuned = [] if isinstance(tuner.metric, Precomputed) else [tuner.metric]
        metrics = [*tuned, *judging.also] or [Bleu()]
        found += judge(
            "held-out",
            judging.lists,
            judging.references,
            metrics,
            start,
            tuner.weights_,
            sources=judging.sources,
            threads=threads,
        )
    if found:
        write_judged(home / HELD_OUT, found)
    return found
