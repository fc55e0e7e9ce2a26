"""`tunesmith tune`: weights for a model or for lists of candidates, in a run directory that can be continued."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tunesmith.cli import decoder_command as other
from tunesmith.cli import heldout as judged
from tunesmith.cli import metric_options as choose
from tunesmith.cli import options
from tunesmith.cli.candidate_files import precomputed_metric
from tunesmith.cli.console import note, remark
from tunesmith.cli.declaring import option
from tunesmith.cli.group import GREEDY, Verb
from tunesmith.cli.list_options import Dialect, SkipBad
from tunesmith.cli.printing import put_json, say
from tunesmith.cli.recipe_options import Typed, chosen_recipe, chosen_tuner
from tunesmith.cli.tuning_sources import (
    Data,
    Given,
    ListReading,
    check_given,
    decoded_in_parts,
    source_maker,
    start_weights,
)
from tunesmith.cli.tuning_study import Repeated, print_study, read_devtest, run_study
from tunesmith.errors import ConfigError, TunesmithError

if TYPE_CHECKING:
    from tunesmith.metrics import Metric
    from tunesmith.tuning import Tuner

INPUT = "Input"
RECIPE = "Recipe"
TRAINING = "Training data"
REPEATED = "Many runs, one table"


class TuneVerb(Verb):
    """Candidates and their scores are globs, like references."""

    greedy = (
        *GREEDY, "--candidates", "--scores", "--train-candidates", "--train-refs", "--devtest-refs", "--heldout",
        "--heldout-refs",
    )  # fmt: skip


def tune(
    ctx: typer.Context,
    output: Annotated[Path, option("-o --output FOLDER", "The run directory.")],
    model: Annotated[Path | None, option("-m --model FOLDER", "Model directory to tune.", INPUT)] = None,
    dev: Annotated[str | None, option("--dev FILE", "Source text of the development data.", INPUT)] = None,
    references: Annotated[list[str] | None, option("--refs FILE…", "Its references.", INPUT)] = None,
    candidates: Annotated[list[str] | None, option(
        "--candidates FILE…",
        "Lists to tune on instead of a model: text of any dialect, features.dat, or folders.", INPUT
    )] = None,
    scores: Annotated[list[str] | None, option(
        "--scores FILE…", "For each file of lists its scores.dat, or a number for each candidate (COMET, …).",
        INPUT,
    )] = None,
    decoder_command: other.Command = None,
    decoder_config: other.Config = None,
    decoder_timeout: other.Timeout = None,
    lower_is_better: choose.LowerIsBetter = False,
    dialect: Dialect = None,
    skip_bad: SkipBad = False,
    heldout: judged.Heldout = None,
    heldout_references: judged.HeldoutReferences = None,
    beside: judged.Beside = None,
    start: Annotated[str | None, option(
        "--start FILE|NAME", "Start weights: a file, or a preset by name.", INPUT, show_default="the model's"
    )] = None,
    train: Annotated[str | None, option(
        "--train FILE", "Source text that groups (oscar) or weights (others) are learnt on.", TRAINING
    )] = None,
    train_candidates: Annotated[list[str] | None, option(
        "--train-candidates FILE…", "With --candidates: lists of training data instead of --train.", TRAINING
    )] = None,
    train_references: Annotated[
        list[str] | None, option("--train-refs FILE…", "Its references, one file as a rule.", TRAINING)
    ] = None,
    train_sample: Annotated[int | None, option(
        "--train-sample N", "Training sentences decoded in a round, others in each.",
        TRAINING, show_default="all", min=1,
    )] = None,
    leave_one_out: Annotated[Path | None, option(
        "--leave-one-out FOLDER", "Decode training sentences as if each had not been there; FOLDER was made by "
        "tunesmith rules own, the training data are its first lines.", TRAINING, show_default="found for oscar"
    )] = None,
    parts: Annotated[int | None, option(
        "--parts N", "Decode each of N parts of the training data, which is all given, as if rules and language "
        "model (estimated anew from --train-refs) had read the rest only.",
        TRAINING, show_default="5 for oscar", min=2
    )] = None,
    group: Annotated[list[str] | None, option(
        "--group NAME", "Features that are grouped, a name or pattern; may be repeated.",
        TRAINING, show_default="id:*",
    )] = None,
    group_with: Annotated[list[str] | None, option(
        "--group-with NAME", "Features that rules share, such as 'lexical_alignment:*': what training data teach "
        "about them decides the group of a rule too. May be repeated.", TRAINING
    )] = None,
    inner_rounds: Annotated[int | None, option(
        "--inner-rounds", "Times that dev is tuned on and decoded with one set of groups.",
        TRAINING, show_default="the recipe's", min=1,
    )] = None,
    recipe: Annotated[str, option("--recipe", "mert, mira, pro, risk, svm, oscar, …", RECIPE)] = "mira",
    settings: Annotated[list[str] | None, option(
        "--set KEY=VALUE", "A setting of the recipe's loss or optimizer; may be repeated.", RECIPE
    )] = None,
    regularizer: Annotated[str | None, option(
        "--regularizer NAME:KEY=VALUE,…", "Such as oscar:l1=1e-3,l2=1e-5, or none.",
        RECIPE, show_default="the recipe's",
    )] = None,
    plain: Annotated[bool, option(
        "--plain --as-printed", "The algorithm as published, no safety, nothing corrected (pro, risk, oscar).",
        RECIPE,
    )] = False,
    fix: Annotated[list[str] | None, option(
        "--fix NAME", "Features that keep their weight; a name, or a beginning and *.", RECIPE
    )] = None,
    bound: Annotated[
        list[str] | None, option("--bound NAME>=X", "Features whose weight has a bound, such as 'lm>=0'.", RECIPE)
    ] = None,
    penalty: Annotated[list[str] | None, option(
        "--penalty NAME=X", "Features whose penalty is multiplied, such as 'id:*=2'.", RECIPE
    )] = None,
    rounds: Annotated[
        int | None, option("--rounds", "At most.", RECIPE, show_default="the recipe's", min=1)
    ] = None,
    k: Annotated[int | None, option("--k", "List length.", RECIPE, show_default="the recipe's", min=2)] = None,
    metric: Annotated[str | None, option(
        "--metric NAME", "What is tuned towards: bleu, ter, chrf, …", RECIPE, show_default="bleu"
    )] = None,
    lowercase: options.Lowercase = False,
    tokenize: choose.Tokenize = None,
    stability: Annotated[int | None, option(
        "--stability N", "Tune on all of dev and on N fixed sub-samples of it; mean and standard deviation.",
        REPEATED,
    )] = None,
    seeds: Annotated[
        int | None, option("--seeds N", "Tune with N seeds; mean and standard deviation.", REPEATED)
    ] = None,
    sweep: Annotated[list[str] | None, option(
        "--sweep KEY=X,Y,…",
        "Tune with every value of a setting that --set takes; repeated, with all combinations.", REPEATED
    )] = None,
    devtest: Annotated[str | None, option(
        "--devtest FILE", "Source text that these runs are judged by, and a setting is chosen.", REPEATED
    )] = None,
    devtest_references: Annotated[
        list[str] | None, option("--devtest-refs FILE…", "Its references.", REPEATED)
    ] = None,
    seed: options.Seed = 1,
    restart: Annotated[bool, option("--restart", "Remove the run of this directory first.")] = False,
    output_format: options.OutputFormat = options.Format.text,
    digits: options.Digits = 2,
    threads: options.Threads = 1,
    quiet: options.Quiet = False,
) -> None:  # fmt: skip
    """Tune weights towards a metric: decode, merge, optimise, measure, until it is as good as it gets.

    Everything is in the run directory; weights.tsv there holds the best weights at any time. Interrupted or
    killed, the same command goes on and ends with the same bytes.

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
    from tunesmith.cli.interruptible import run_interruptibly
    from tunesmith.cli.tuning_progress import progress_of_tuning
    from tunesmith.tuning.runs.directory import is_run

    learnt_on = Data(train, train_references or [], leave_one_out, parts)
    judged_on = Data(dev, references or [])
    given = Given(
        model, judged_on, learnt_on, candidates or [], scores or [], k, train_candidates or []
    )  # fmt: skip
    foreign = other.Asked(decoder_command, decoder_config, decoder_timeout)
    if not any(foreign):
        check_given(given)
    elif model is not None or candidates or train is not None or train_candidates:
        raise ConfigError("--decoder-command takes the place of -m, --candidates, --train and --train-candidates")
    repeated = Repeated(stability, seeds, sweep or [])
    repeated.check(devtest, candidates or [], judged_elsewhere=bool(heldout or beside), foreign=any(foreign))
    typed = Typed(
        recipe, plain, settings or [], regularizer, fix or [], bound or [], penalty or [], rounds, k,
        group or [], group_with or [], inner_rounds, train_sample,
    )  # fmt: skip
    given_scores = precomputed_metric(candidates or [], scores or [], metric, lower_is_better=lower_is_better)
    if beside and not (candidates or heldout):
        raise ConfigError("--beside is about lists: --candidates FILE… or --heldout FILE…")
    chosen = chosen_recipe(typed, given_scores or _metric(metric, lowercase, tokenize))
    tuner = chosen_tuner(chosen, typed, seed)
    asked = judged.Asked(heldout or [], heldout_references or [], beside or [])
    judging = judged.read_heldout(ctx, asked, dialect, skip_bad=skip_bad, quiet=quiet)
    if any(foreign):
        make = other.source_maker(ctx, foreign, dev, references or [], dialect, quiet=quiet)
    else:
        needs_train(tuner, given)
        given = decoded_in_parts(ctx, given, chosen, threads=threads, quiet=quiet)
        reading = ListReading(dialect, skip_bad, given_scores)
        make = source_maker(ctx, given, reading, threads=threads, quiet=quiet)
    source, train_source = make(chosen.k)
    begin = None if start is None else start_weights(start, source)
    if repeated:
        held_out = read_devtest(ctx, devtest, devtest_references or [], quiet=quiet)
        table = run_study(
            repeated, chosen, tuner, make, begin, held_out, output, restart=restart, threads=threads, quiet=quiet
        )
        print_study(table, output, output_format, digits, quiet=quiet)
        return
    with progress_of_tuning(quiet=quiet) as observer:

        def interrupted() -> str:
            observer.__exit__(None, None, None)
            best = output / "weights.tsv"
            kept = f"the best weights so far are in {best}; " if best.exists() else ""
            write_report(output, "interrupted")
            return f"interrupted; {kept}resume with the same command"

        try:
            run_interruptibly(
                lambda: tuner.fit(
                    source,
                    train=train_source,
                    start=begin,
                    output=output,
                    restart=restart,
                    threads=threads,
                    observer=observer,
                ),
                interrupted,
            )
        except TunesmithError:
            if is_run(output):
                write_report(output)
            raise
    report = write_report(output)
    others_judged = judged.judge_run(judging, tuner, source, output, threads=threads)
    if output_format is options.Format.json:
        found = {**document(tuner, output), **judged.judged_document(others_judged)}
        put_json(found, indent=1)
        return
    best, first = tuner.history_.best, tuner.history_[0]
    assert best is not None
    if best.round == 0:
        note("no round is better than the start weights, which are kept", quiet=quiet)
    told = "" if report is None else f", the report in {report}"
    note(f"{tuner.reason_}; the weights are in {output / 'weights.tsv'}{told}", quiet=quiet)
    last = tuner.history_[-1]
    others = [f"start: {first.score:.{digits}f}"]
    if last.round not in (best.round, 0):
        others.append(f"last round: {last.score:.{digits}f}")
    say(f"{tuner.metric.label} {best.score:.{digits}f} in round {best.round} ({', '.join(others)})")
    for line in judged.judged_lines(others_judged, digits):
        say(line)


def write_report(output: Path, state: str | None = None) -> str | None:
    """The page of the run as it stands, beside its other files; a run is not less done where there can be none."""
    from tunesmith.evaluation.run_report import write_run_report

    try:
        return write_run_report(output, state)
    except (TunesmithError, OSError) as error:
        remark(f"there is no report: {error}")
        return None


def needs_train(tuner: Tuner, given: Given) -> None:
    """Say so before a model is opened, which may take a while."""
    from tunesmith.tuning import GroupedRounds

    if isinstance(tuner.plan, GroupedRounds) and given.train.text is None and not given.train_candidates:
        options = "--train-candidates FILE…" if given.candidates else "--train FILE"
        raise ConfigError(
            f"{tuner.name} learns groups of features on training data: give {options} --train-refs FILE"
        )


def _metric(name: str | None, lowercase: bool, tokenize: str | None) -> Metric | None:
    """The metric that was typed, None if nothing was."""
    if name is None and not lowercase and tokenize is None:
        return None
    settings = choose.Settings(lowercase, tokenize, None, None)
    wanted = [] if name is None else [name]
    return next(iter(choose.chosen_metrics(wanted, settings, scores=False, lower_is_better=False).values()))


def document(tuner: Tuner, output: Path) -> dict[str, Any]:
    """The result for JSON."""
    best = tuner.history_.best
    assert best is not None
    return {
        "run": str(output),
        "weights": str(output / "weights.tsv"),
        "recipe": tuner.name,
        "metric": tuner.metric.label,
        "score": best.score,
        "start_score": tuner.history_[0].score,
        "best_round": best.round,
        "last_score": tuner.history_[-1].score,
        "reason": tuner.reason_,
        "rounds": [row.as_dict() for row in tuner.history_],
        "signature": tuner.signature_.as_dict(),
    }
