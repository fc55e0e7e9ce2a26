"""Options about data that is only judged on: held-out lists, and metrics in addition to the tuned one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from tunesmith.cli.declaring import option
from tunesmith.cli.tuning.tuning_input import Given
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.metrics import Metric
    from tunesmith.search import CandidateSet
    from tunesmith.tuning import CandidateSource, Tuner
    from tunesmith.tuning.pools.heldout import Judged

HELDOUT = "Held-out data"


class Judging(NamedTuple):
    """Lists, references and metrics, read before anything is tuned."""

    lists: CandidateSet | None
    references: Sequence[Sequence[str]] | None
    beside: Sequence[Metric]


@dataclass(frozen=True)
class HeldOut:
    """Lists that are not tuned on, and metrics in addition to the tuned one; true where any is given."""

    heldout: Annotated[list[str], option(
        "--heldout FILE…", "Lists that are not tuned on; the weights are judged on them in the end.", HELDOUT
    )] = field(default_factory=list)  # fmt: skip
    heldout_references: Annotated[list[str], option("--heldout-refs FILE…", "Their references.", HELDOUT)] = field(
        default_factory=list
    )
    beside: Annotated[list[str], option(
        "--beside METRIC", "Metrics reported in addition to the tuned one, such as chrf; may be repeated.", HELDOUT
    )] = field(default_factory=list)  # fmt: skip

    def __bool__(self) -> bool:
        return bool(self.heldout or self.beside)

    def read(self, ctx: typer.Context, given: Given, *, quiet: bool) -> Judging:
        """Read what will be judged on, so that a mistake is reported before a long run."""
        from tunesmith.cli.evaluation.evaluation_input import read_reference_files
        from tunesmith.cli.lists.candidate_files import read_candidates
        from tunesmith.corpus.bitext import expand_paths
        from tunesmith.metrics import metrics

        beside = [metrics.make(name) for name in self.beside]
        if not self.heldout:
            if self.heldout_references:
                raise ConfigError("--heldout-refs belongs to --heldout FILE…")
            return Judging(None, None, beside)
        found = read_candidates(
            expand_paths(self.heldout), [], given.dialect, skip_bad=given.skip_bad, quiet=quiet
        )
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
