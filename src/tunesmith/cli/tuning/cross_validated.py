"""`tunesmith tune --cross-validate K`: what to expect of tuned weights on sentences that they have not seen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli import options
from tunesmith.cli.console import note
from tunesmith.cli.declaring import option
from tunesmith.cli.printing import put_json, say
from tunesmith.cli.tuning.tuning_study import REPEATED, Repeated
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.evaluation.cross_validation import CrossValidation
    from tunesmith.tuning import CandidateSource, Tuner
    from tunesmith.weights import Weights


@dataclass(frozen=True)
class CrossValidated:
    """How many folds; true where there are some."""

    cross_validate: Annotated[int | None, option(
        "--cross-validate K", "Lists: tune on all but one of K folds of sentences and judge on that one, for "
        "each of them; mean, standard deviation, and p of the output of all folds together.", REPEATED
    )] = None  # fmt: skip

    def __bool__(self) -> bool:
        return self.cross_validate is not None

    def check(self, *, lists: bool, held_out: bool, repeated: Repeated) -> None:
        """Refuse what cannot be meant before anything is read."""
        if not self:
            return
        if self.cross_validate is not None and self.cross_validate < 2:
            raise ConfigError(f"--cross-validate must be at least 2, such as 5, got {self.cross_validate}")
        if not lists:
            raise ConfigError("--cross-validate takes lists: --candidates FILE…")
        if repeated or held_out:
            raise ConfigError(
                "--cross-validate judges on its own folds; leave out --heldout, --also, --stability, --seeds "
                "and --sweep"
            )

    def run(
        self,
        tuner: Tuner,
        source: CandidateSource,
        train: CandidateSource | None,
        start: Weights | None,
        output: Path,
        *,
        restart: bool,
        threads: int,
        quiet: bool,
    ) -> CrossValidation:
        """Tune all folds with progress; interrupted, the same command resumes."""
        from tunesmith.cli.interruptible import run_interruptibly
        from tunesmith.cli.tuning.tuning_progress import PlainLines
        from tunesmith.evaluation.cross_validation import cross_validate
        from tunesmith.tuning import FileSource

        assert isinstance(source, FileSource)
        assert train is None or isinstance(train, FileSource)
        assert self.cross_validate is not None
        lists, training, folds = source, train, self.cross_validate
        return run_interruptibly(
            lambda: cross_validate(
                tuner,
                lists,
                folds,
                train=training,
                start=start,
                output=output,
                restart=restart,
                threads=threads,
                observer=PlainLines(quiet=quiet),
            ),
            lambda: "interrupted; resume with the same command",
        )


def print_cross_validation(
    found: CrossValidation, output: Path, output_format: options.Format, digits: int, *, quiet: bool
) -> None:
    """Print a row for each fold and what they are together."""
    from tunesmith.cli.table import print_table

    if output_format is options.Format.json:
        put_json({"run": str(output), **found.as_dict()}, indent=1)
        return
    rows = [
        [str(fold.fold), str(fold.sentences), f"{fold.start_score:.{digits}f}", f"{fold.score:.{digits}f}",
         f"{fold.score - fold.start_score:+.{digits}f}"]
        for fold in found.folds
    ]  # fmt: skip
    print_table(["fold", "sentences", "start", "held-out", "Δ"], rows)
    label = found.comparison.signature.name
    say(f"{label} mean {found.mean:.{digits}f} SD {found.deviation:.{digits}f} over {len(found.folds)} folds")
    say(
        f"all folds together: {found.score:.{digits}f} (start: {found.start_score:.{digits}f}, "
        f"p = {found.p_value:.4f})"
    )
    note(f"the output of all folds is in {output / 'heldout.out'}", quiet=quiet)
