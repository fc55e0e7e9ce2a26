"""Options about data that is only judged on: held-out lists, and metrics beside the one that is tuned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.metrics import Metric
    from tunesmith.search import CandidateSet
    from tunesmith.tuning import CandidateSource, Tuner
    from tunesmith.tuning.pools.heldout import Judged

HELDOUT = "Held-out data"

Heldout = Annotated[
    list[str] | None,
    typer.Option("--heldout", metavar="FILE…", rich_help_panel=HELDOUT, show_default=False,
                 help="Lists that are not tuned on; the weights are judged on them in the end."),
]  # fmt: skip
HeldoutReferences = Annotated[
    list[str] | None,
    typer.Option("--heldout-refs", metavar="FILE…", rich_help_panel=HELDOUT, show_default=False,
                 help="Their references."),
]  # fmt: skip
Beside = Annotated[
    list[str] | None,
    typer.Option("--beside", metavar="METRIC", rich_help_panel=HELDOUT, show_default=False,
                 help="Metrics reported beside the tuned one, such as chrf; may be repeated."),
]  # fmt: skip


class Asked(NamedTuple):
    """What was typed."""

    lists: Sequence[str]
    references: Sequence[str]
    beside: Sequence[str]


class Judging(NamedTuple):
    """Lists, references and metrics, read before anything is tuned."""

    lists: CandidateSet | None
    references: Sequence[Sequence[str]] | None
    beside: Sequence[Metric]


def read_heldout(ctx: typer.Context, asked: Asked, dialect: str | None, *, skip_bad: bool, quiet: bool) -> Judging:
    """Read what will be judged on; mistakes are told before a long run."""
    from tunesmith.cli.candidate_files import read_candidates
    from tunesmith.cli.evaluation_input import read_reference_files
    from tunesmith.corpus.bitext import expand_paths
    from tunesmith.metrics import metrics

    beside = [metrics.make(name) for name in asked.beside]
    if not asked.lists:
        if asked.references:
            raise ConfigError("--heldout-refs belongs to --heldout FILE…")
        return Judging(None, None, beside)
    found = read_candidates(expand_paths(asked.lists), [], dialect, skip_bad=skip_bad, quiet=quiet)
    references = found.references
    if asked.references:
        references = read_reference_files(ctx, asked.references, asked.lists, quiet=quiet).sentences
    if references is None:
        raise ConfigError("held-out lists need references: --heldout-refs FILE…")
    if len(references) != found.candidates.sentences:
        raise ConfigError(
            f"the held-out lists have {found.candidates.sentences} sentences and there are references for "
            f"{len(references)}"
        )
    return Judging(found.candidates, references, beside)


def judge_run(
    judging: Judging, tuner: Tuner, source: CandidateSource, folder: Path, *, threads: int
) -> list[Judged]:
    """Judge the start and the tuned weights; `heldout.json` in the run directory holds the result."""
    import numpy as np

    from tunesmith.io.documents import write_document
    from tunesmith.io.inside import inside
    from tunesmith.metrics import Bleu, Precomputed
    from tunesmith.tuning import FileSource
    from tunesmith.tuning.pools.heldout import judge
    from tunesmith.weights import Weights

    home = inside(folder)
    start = Weights.read(home / "rounds" / "00" / "weights.tsv")
    found: list[Judged] = []
    if judging.beside and isinstance(source, FileSource) and source.references is not None:
        lists = source.candidates(np.zeros(0))
        found += judge("dev", lists, source.references, judging.beside, start, tuner.weights_, threads=threads)
    if judging.lists is not None:
        # Scores computed elsewhere are known for the candidates that were tuned on, not for these.
        tuned = [] if isinstance(tuner.metric, Precomputed) else [tuner.metric]
        metrics = [*tuned, *judging.beside] or [Bleu()]
        found += judge(
            "held-out", judging.lists, judging.references, metrics, start, tuner.weights_, threads=threads
        )
    if found:
        write_document(home / "heldout.json", [asdict(each) for each in found])
    return found


def judged_lines(judged: Sequence[Judged], digits: int) -> list[str]:
    """For people."""
    return [
        f"{each.data}: {each.metric} {each.score:.{digits}f} (start: {each.start:.{digits}f})" for each in judged
    ]


def judged_document(judged: Sequence[Judged]) -> dict[str, Any]:
    """For JSON; nothing where nothing was asked."""
    return {"judged": [asdict(each) for each in judged]} if judged else {}
