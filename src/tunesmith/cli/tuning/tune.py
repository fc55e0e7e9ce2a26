"""`tunesmith tune`: weights for a model or for lists of candidates, in a run directory that can be continued."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli import options
from tunesmith.cli.cluster.cluster_options import ClusterOptions
from tunesmith.cli.declaring import grouped, option, takes_several
from tunesmith.cli.evaluation.evaluation_input import check_reference_groups
from tunesmith.cli.evaluation.joined_words import tell_subwords
from tunesmith.cli.lists.candidate_files import precomputed_metric
from tunesmith.cli.search_limits import SearchLimits
from tunesmith.cli.tuning.cross_validated import CrossValidated, print_cross_validation
from tunesmith.cli.tuning.decoder_command import ExternalDecoder
from tunesmith.cli.tuning.heldout import HeldOut, judge_run
from tunesmith.cli.tuning.job_progress import progress_of_job
from tunesmith.cli.tuning.recipe_options import RecipeOptions
from tunesmith.cli.tuning.tuning_input import Given
from tunesmith.cli.tuning.tuning_logs import Logs
from tunesmith.cli.tuning.tuning_output import print_run, write_report
from tunesmith.cli.tuning.tuning_study import Repeated, print_study, run_study
from tunesmith.errors import ConfigError, TunesmithError

if TYPE_CHECKING:
    from tunesmith.execution import Executor
    from tunesmith.jobs.tuning import TuningJob
    from tunesmith.tuning import CandidateSource, Recipe, Tuner
    from tunesmith.tuning.loop.observer import Observer
    from tunesmith.weights import Weights


@takes_several(
    *("--candidates", "--graphs", "--scores", "--train-candidates", "--train-refs", "--select-refs"),
    *("--devtest-refs", "--heldout", "--heldout-refs"),
)
@grouped
def tune(
    ctx: typer.Context,
    output: Annotated[Path, option("-o --output FOLDER", "The run directory.")],
    given: Given,
    external: ExternalDecoder,
    held_out: HeldOut,
    typed: RecipeOptions,
    repeated: Repeated,
    folded: CrossValidated,
    logs: Logs,
    clustered: ClusterOptions,
    search: SearchLimits,
    seed: options.Seed = 1,
    restart: Annotated[bool, option("--restart", "Remove the run of FOLDER first.")] = False,
    output_format: options.OutputFormat = options.Format.text,
    digits: options.Digits = 2,
    threads: options.Threads = options.THREADS,
    quiet: options.Quiet = False,
) -> None:
    """Tune weights towards a metric in rounds: decode, merge, optimise, measure.

    Everything is in the run directory; weights.tsv there holds the best weights at any time. Interrupted or
    killed, the same command resumes and ends with the same bytes.

    [bold]Examples[/bold]
      tunesmith tune -m model/ --dev dev.zh --refs dev.en.* --recipe mira -o run/
      tunesmith tune --candidates dev.nbest.gz --refs dev.en.* --recipe pro -o run/
      tunesmith tune --graphs graphs/ --refs dev.en.* --start weights.tsv --recipe lattice-mira -o run/
      tunesmith tune -m model/ --recipe shares --train t.zh --train-refs t.en --dev dev.zh --refs dev.en.* -o run/
      tunesmith tune --candidates *.features.dat --scores *.scores.dat --recipe mert -o run/
      tunesmith tune --candidates d.nbest --refs d.en.* --recipe oscar --group 'tm_*'
        --train-candidates t.nbest --train-refs t.en -o run/
      tunesmith tune --candidates dev.nbest.gz --refs dev.en.* --cross-validate 5 -o folds/
      tunesmith tune -m m/ --recipe expected-bleu --dev d.zh --refs d.en.*
        --select s.zh --select-refs s.en.* -o run/
      tunesmith tune -m model/ --dev dev.zh --refs dev.en.* --stability 4 -j 2 -o run/
      tunesmith tune -m model/ --dev dev.zh --refs dev.en.* --cluster local:workers=4 -o run/
      tunesmith tune -m m/ --dev d.zh --refs d.en.* --sweep k=50,100 --devtest t.zh --devtest-refs t.en.* -o run/
      tunesmith tune --decoder-command 'moses -f {config} -n-best-list {nbest} {k} distinct < {source}'
        --decoder-config moses.ini --dev dev.zh --refs dev.en.* -o run/
    """
    from tunesmith.jobs.tuning import TuningJob
    from tunesmith.tuning import FileSource, GraphFileSource, KBestSource
    from tunesmith.tuning.sources.command import CommandSource

    if not external:
        given.check(typed.k)
    elif given.model or given.candidates or given.graphs or given.train is not None or given.train_candidates:
        raise ConfigError(
            "--decoder-command takes the place of -m, --candidates, --graphs, --train and --train-candidates"
        )
    if (limits := search.changes()) and given.model is None:
        raise ConfigError(f"{search.typed()} limits the search of a model: give -m FOLDER, or leave it out")
    unrepeated = bool(external) or bool(given.graphs)
    repeated.check(lists=bool(given.candidates), held_out=bool(held_out), unrepeated=unrepeated)
    folded.check(lists=bool(given.candidates), held_out=bool(held_out), repeated=repeated)
    observers = logs.open(output, [*given.files(), *held_out.files()], one_run=not (repeated or folded))
    given_scores = precomputed_metric(
        given.candidates, given.scores, typed.metric, lower_is_better=given.lower_is_better
    )
    if held_out.also and not (given.candidates or given.graphs or held_out.heldout):
        raise ConfigError("--also is about lists or graphs: --candidates, --graphs or --heldout FILE…")
    described = typed.spec(given_scores)
    recipe = described.open()
    data = external.data(given) if external else given.data(recipe, limits)
    job = TuningJob(data=data, recipe=described, start=given.start, seed=seed)
    _check_cluster(clustered, job, recipe)
    check_reference_groups(ctx)
    judging = held_out.read(ctx, given, recipe.metric, quiet=quiet)
    executor = ctx.with_resource(clustered.opened(quiet=quiet, fits=True))
    with progress_of_job(quiet=quiet) as observer:
        fitting = executor if clustered.fit else None
        opened = ctx.with_resource(
            job.open(observer=observer, executor=executor, fitting=fitting, threads=threads)
        )
    tuner = opened.tuner
    source, train = opened.sources(recipe.k)
    judging.check_sources(source)
    if isinstance(source, (FileSource, KBestSource, GraphFileSource)):
        tell_subwords("the candidates", source.subwords, quiet=quiet)
    start = opened.start(source)
    if repeated:
        devtest = repeated.read_devtest(ctx, given.processing(), quiet=quiet)
        table = run_study(repeated, opened, start, devtest, output, restart=restart, threads=threads, quiet=quiet)
        print_study(table, output, output_format, digits, quiet=quiet)
        return
    if folded:
        folds = folded.run(tuner, source, train, start, output, restart=restart, threads=threads, quiet=quiet)
        print_cross_validation(folds, output, output_format, digits, quiet=quiet)
        return
    _fit(tuner, source, train, start, output, observers, fitting, restart=restart, threads=threads, quiet=quiet)
    if isinstance(source, CommandSource):  # its lists show it
        tell_subwords("the candidates", source.subwords, quiet=quiet)
    judged = judge_run(judging, tuner, source, output, threads=threads)
    report = write_report(output)
    print_run(tuner, output, judged, report, output_format, digits, quiet=quiet)


def _check_cluster(clustered: ClusterOptions, job: TuningJob, recipe: Recipe) -> None:
    from tunesmith.jobs.decoded import Decoded

    if clustered and (not isinstance(job.data, Decoded) or recipe.graphs is not None):
        raise ConfigError(
            "--cluster decodes n-best lists of a model (-m FOLDER --dev FILE); lists, search graphs and external "
            "decoders are worked on here"
        )


def _fit(
    tuner: Tuner,
    source: CandidateSource,
    train: CandidateSource | None,
    start: Weights | None,
    output: Path,
    observers: Sequence[Observer],
    fitting: Executor | None,
    *,
    restart: bool,
    threads: int,
    quiet: bool,
) -> None:
    """Tune with progress; the run has its report too where it is interrupted or fails."""
    from tunesmith.cli.interruptible import run_interruptibly
    from tunesmith.cli.tuning.tuning_progress import progress_of_tuning
    from tunesmith.tuning.runs.directory import is_run

    with progress_of_tuning(quiet=quiet) as observer:

        def work() -> None:
            tuner.fit(
                source,
                train=train,
                start=start,
                output=output,
                restart=restart,
                threads=threads,
                executor=fitting,
                observer=[observer, *observers],
                report=False,
            )

        def interrupted() -> str:
            observer.__exit__(None, None, None)
            best = output / "weights.tsv"
            kept = f"the best weights so far are in {best}; " if best.exists() else ""
            write_report(output, "interrupted")
            return f"interrupted; {kept}resume with the same command"

        try:
            run_interruptibly(work, interrupted)
        except TunesmithError:
            if is_run(output):
                write_report(output)
            raise
