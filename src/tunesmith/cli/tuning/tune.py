"""`tunesmith tune`: weights for a model or for lists of candidates, in a run directory that can be continued."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli import options
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.group import GREEDY, Verb
from tunesmith.cli.lists.candidate_files import precomputed_metric
from tunesmith.cli.tuning.decoder_command import ExternalDecoder
from tunesmith.cli.tuning.heldout import HeldOut, judge_run
from tunesmith.cli.tuning.recipe_options import RecipeOptions
from tunesmith.cli.tuning.tuning_input import Given
from tunesmith.cli.tuning.tuning_output import print_run, write_report
from tunesmith.cli.tuning.tuning_sources import decoded_in_parts, source_maker, start_weights
from tunesmith.cli.tuning.tuning_study import Repeated, print_study, run_study
from tunesmith.errors import ConfigError, TunesmithError

if TYPE_CHECKING:
    from tunesmith.tuning import CandidateSource, Tuner
    from tunesmith.weights import Weights


class TuneVerb(Verb):
    """Candidates and their scores are globs, like references."""

    greedy = (
        *GREEDY, "--candidates", "--scores", "--train-candidates", "--train-refs", "--devtest-refs", "--heldout",
        "--heldout-refs",
    )  # fmt: skip


@grouped
def tune(
    ctx: typer.Context,
    output: Annotated[Path, option("-o --output FOLDER", "The run directory.")],
    given: Given,
    external: ExternalDecoder,
    held_out: HeldOut,
    typed: RecipeOptions,
    repeated: Repeated,
    seed: options.Seed = 1,
    restart: Annotated[bool, option("--restart", "Remove the run of this directory first.")] = False,
    output_format: options.OutputFormat = options.Format.text,
    digits: options.Digits = 2,
    threads: options.Threads = 1,
    quiet: options.Quiet = False,
) -> None:
    """Tune weights towards a metric: decode, merge, optimise, measure, until it is as good as it gets.

    Everything is in the run directory; weights.tsv there holds the best weights at any time. Interrupted or
    killed, the same command resumes and ends with the same bytes.

    [bold]Examples[/bold]
      tunesmith tune -m model/ --dev dev.zh --refs dev.en.* --recipe mira -o run/
      tunesmith tune -m model/ --recipe oscar --train t.zh --train-refs t.en --dev dev.zh --refs dev.en.* -o run/
      tunesmith tune --candidates *.features.dat --scores *.scores.dat --recipe mert -o run/
      tunesmith tune --candidates dev.nbest.gz --refs dev.en.* --recipe pro -o run/
      tunesmith tune --candidates d.nbest --refs d.en.* --recipe oscar --group 'tm_*'
        --train-candidates t.nbest --train-refs t.en -o run/
      tunesmith tune -m model/ --dev dev.zh --refs dev.en.* --stability 4 -j 2 -o run/
      tunesmith tune -m m/ --dev d.zh --refs d.en.* --sweep k=50,100 --devtest t.zh --devtest-refs t.en.* -o run/
      tunesmith tune --decoder-command 'moses -f {config} -n-best-list {nbest} {k} distinct < {source}'
        --decoder-config moses.ini --dev dev.zh --refs dev.en.* -o run/
    """
    if not external:
        given.check(typed.k)
    elif given.model is not None or given.candidates or given.train is not None or given.train_candidates:
        raise ConfigError("--decoder-command takes the place of -m, --candidates, --train and --train-candidates")
    repeated.check(lists=bool(given.candidates), held_out=bool(held_out), external=bool(external))
    given_scores = precomputed_metric(
        given.candidates, given.scores, typed.metric, lower_is_better=given.lower_is_better
    )
    if held_out.beside and not (given.candidates or held_out.heldout):
        raise ConfigError("--beside is about lists: --candidates FILE… or --heldout FILE…")
    recipe = typed.chosen(given_scores)
    tuner = typed.tuner(recipe, seed)
    judging = held_out.read(ctx, given, quiet=quiet)
    if external:
        make = external.source_maker(ctx, given, quiet=quiet)
    else:
        needs_train(tuner, given)
        given = decoded_in_parts(ctx, given, recipe, threads=threads, quiet=quiet)
        make = source_maker(ctx, given, given_scores, threads=threads, quiet=quiet)
    source, train = make(recipe.k)
    start = None if given.start is None else start_weights(given.start, source)
    if repeated:
        devtest = repeated.read_devtest(ctx, quiet=quiet)
        table = run_study(
            repeated, recipe, tuner, make, start, devtest, output, restart=restart, threads=threads, quiet=quiet
        )
        print_study(table, output, output_format, digits, quiet=quiet)
        return
    _fit(tuner, source, train, start, output, restart=restart, threads=threads, quiet=quiet)
    report = write_report(output)
    judged = judge_run(judging, tuner, source, output, threads=threads)
    print_run(tuner, output, judged, report, output_format, digits, quiet=quiet)


def _fit(
    tuner: Tuner,
    source: CandidateSource,
    train: CandidateSource | None,
    start: Weights | None,
    output: Path,
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
                observer=observer,
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


def needs_train(tuner: Tuner, given: Given) -> None:
    """Refuse a recipe without its training data before a model is opened, which may take a while."""
    if tuner.plan.needs_training_data and given.train is None and not given.train_candidates:
        missing = "--train-candidates FILE…" if given.candidates else "--train FILE"
        raise ConfigError(
            f"{tuner.name} learns groups of features on training data: give {missing} --train-refs FILE"
        )
