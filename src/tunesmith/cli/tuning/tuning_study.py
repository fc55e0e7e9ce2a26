"""What `tunesmith tune` does with `--stability`, `--seeds` and `--sweep`: many runs, one table."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli import options
from tunesmith.cli.console import note, remark
from tunesmith.cli.declaring import option
from tunesmith.cli.printing import put_json
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.corpus.text_processing import TextProcessing
    from tunesmith.experiments.corpus import EvaluationSet
    from tunesmith.experiments.study.study import TuningStudy
    from tunesmith.experiments.study.table import StudyTable
    from tunesmith.experiments.variations import Variation
    from tunesmith.jobs.tuning import OpenJob
    from tunesmith.weights import Weights


REPEATED = "Many runs, one table"


@dataclass(frozen=True)
class Repeated:
    """What is repeated, and the data that settings are judged by; true where anything is repeated."""

    stability: Annotated[int | None, option(
        "--stability N", "Tune on all of dev and on N fixed sub-samples; report mean and standard deviation.",
        REPEATED,
    )] = None  # fmt: skip
    seeds: Annotated[
        int | None, option("--seeds N", "Tune with N seeds; report mean and standard deviation.", REPEATED)
    ] = None
    sweep: Annotated[list[str], option(
        "--sweep KEY=X,Y,…",
        "Tune with every value of a setting that --set takes; repeated, with all combinations.", REPEATED
    )] = field(default_factory=list)  # fmt: skip
    devtest: Annotated[str | None, option(
        "--devtest FILE", "Source text by which these runs are judged and a setting is chosen.", REPEATED
    )] = None  # fmt: skip
    devtest_references: Annotated[list[str], option("--devtest-refs FILE…", "Its references.", REPEATED)] = field(
        default_factory=list
    )

    def __bool__(self) -> bool:
        return self.stability is not None or self.seeds is not None or bool(self.sweep)

    def check(self, *, lists: bool, held_out: bool, unrepeated: bool) -> None:
        """Refuse what cannot be meant before anything is read."""
        if self and unrepeated:
            raise ConfigError(
                "--stability, --seeds and --sweep take a model (-m) or --candidates, not a command or --graphs"
            )
        if self and held_out:
            raise ConfigError("--heldout and --also judge one run; those of --sweep and the like have --devtest")
        if self.devtest is not None and not self:
            raise ConfigError("--devtest judges the runs of --sweep, --stability or --seeds; one run needs none")
        if (self.devtest is None) != (not self.devtest_references):
            raise ConfigError("--devtest FILE and --devtest-refs FILE… belong together")
        if self.devtest is not None and lists:
            raise ConfigError("--devtest is decoded with a model (-m); lists from files cannot be")
        if self.stability is not None and self.seeds is not None:
            raise ConfigError(
                "--stability (other sentences) and --seeds (other random numbers) are two questions: ask one at a "
                "time, with a folder for each"
            )
        if self.stability is not None and self.stability < 1:
            raise ConfigError(f"--stability must be at least 1, such as 4, got {self.stability}")
        if self.seeds is not None and self.seeds < 2:
            raise ConfigError(f"--seeds must be at least 2 to see how runs differ, got {self.seeds}")

    def variations(self, seed: int) -> tuple[Variation, ...]:
        """Return the repetitions of each setting."""
        from tunesmith.experiments.variations import seeded, sub_sampled

        if self.seeds is not None:
            return seeded(self.seeds, seed)
        return sub_sampled(self.stability or 0, seed)

    def read_devtest(
        self, ctx: typer.Context, processing: TextProcessing | None = None, *, quiet: bool
    ) -> EvaluationSet | None:
        """Read the data that settings are judged by."""
        if self.devtest is None:
            return None
        from tunesmith.cli.evaluation.evaluation_input import check_reference_groups
        from tunesmith.corpus.text_files import TextFiles
        from tunesmith.experiments.corpus import EvaluationSet
        from tunesmith.jobs.texts import read_text

        check_reference_groups(ctx)
        files = TextFiles(self.devtest, tuple(self.devtest_references))
        found = read_text(files, lambda text: remark(text, quiet=quiet))
        lines, references = (found if processing is None else processing.text(found))[:2]
        if not lines:
            raise ConfigError(f"{self.devtest}: there is no sentence to judge by")
        return EvaluationSet(list(lines), [tuple(each) for each in references])


def run_study(
    repeated: Repeated,
    job: OpenJob,
    start: Weights | None,
    devtest: EvaluationSet | None,
    output: Path,
    *,
    restart: bool,
    threads: int,
    quiet: bool,
) -> StudyTable:
    """Run all of it, write table, picture and page."""
    from tunesmith.cli.experiments.stage_progress import progress_of_stages
    from tunesmith.cli.interruptible import run_interruptibly
    from tunesmith.experiments.parallel import FailedStagesError
    from tunesmith.experiments.study.study import Task, TuningStudy
    from tunesmith.experiments.study.sweeps import Sweep

    sweeps = [Sweep.parse(text) for text in repeated.sweep]
    task = Task(job.recipe, job.sources, start, job.tuner.parts.constraints, devtest)
    study = TuningStudy(output, task, repeated.variations(job.tuner.seed), sweeps, threads=threads)
    try:
        table = run_interruptibly(
            lambda: study.run(progress_of_stages(quiet=quiet), restart=restart),
            lambda: "interrupted; resume with the same command",
        )
    except FailedStagesError:
        if (left := study.table()) is not None:
            _write_pages(study, left, quiet=quiet)
        raise
    _write_pages(study, table, quiet=quiet)
    return table


def _write_pages(study: TuningStudy, table: StudyTable, *, quiet: bool) -> None:
    from tunesmith.experiments.pictures import write_pictures
    from tunesmith.experiments.study.page import sweep_picture, write_study_page

    picture = sweep_picture(table)
    if not picture:
        (study.folder / "sweep.svg").unlink(missing_ok=True)  # that of an earlier sweep
    else:
        write_pictures(study.folder, {"sweep": picture})
    page = write_study_page(study, table, picture)
    note(f"the table is in {study.folder / 'table.md'}, the report in {page}", quiet=quiet)


def print_study(
    table: StudyTable, output: Path, output_format: options.Format, digits: int, *, quiet: bool
) -> None:
    from tunesmith.cli.table import print_table

    if output_format is options.Format.json:
        put_json(table.as_dict(), indent=1)
        return
    print_table(*table.rows(digits))
    if not table.sweeps:
        return
    if table.chosen is None:
        remark("nothing is chosen, for dev is what was tuned on; --devtest would be the judge", quiet=quiet)
    else:
        note(f"{table.choice(table.chosen)}; its weights are in {output / 'weights.tsv'}", quiet=quiet)
