"""`tunesmith pipeline`: an experiment written in one file, from data to a comparison of systems."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tunesmith.cli import options
from tunesmith.cli.cluster.cluster_options import CLUSTER, ClusterOptions
from tunesmith.cli.console import note
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.printing import put, put_json, say
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.execution import Executor
    from tunesmith.experiments.pipeline import pipeline as pipelines


def pipeline(
    file: Annotated[str | None, argument("FILE", "The experiment, in TOML; - is standard input.")] = None,
    overrides: Annotated[list[str] | None, option(
        "--set KEY=VALUE", "Another value for a key of the file, such as tune.mira.rounds=3; may be repeated."
    )] = None,
    dry_run: Annotated[bool, option("--dry-run", "Print which stages would run, and why, and exit.")] = False,
    only: Annotated[list[str] | None, option(
        "--only STAGE", "Run these stages alone, such as tune or tune.mira; stages that they need must be done."
    )] = None,
    since: Annotated[list[str] | None, option("--from STAGE", "Run these stages and all that need them.")] = None,
    example: Annotated[
        str | None, option("--example NAME", "Print a file to begin with: readme, shares, demo, online or lists.")
    ] = None,
    output: Annotated[Path | None, option(
        "-o --output FOLDER", "Folder of all stages.", show_default="as the file says, or its name"
    )] = None,
    allow_code: Annotated[
        bool, option("--allow-code", "Let the file name code to run: features-from, decoder-command.")
    ] = False,
    cluster: Annotated[str | None, option(
        "--cluster PLACE", "Run stages on workers that see our files by their paths, several at once. PLACE is "
        "that of tunesmith tune.", CLUSTER, show_default="here",
    )] = None,
    output_format: options.OutputFormat = options.Format.text,
    digits: options.Digits = 2,
    threads: options.Threads = options.THREADS,
    quiet: options.Quiet = False,
) -> None:  # fmt: skip
    """Run an experiment written in one file: data, train, tune, translate, evaluate, compare.

    Stages that were done with the same settings, files and program are not done again. Interrupted or killed, the
    same command resumes and ends with the same bytes.

    [bold]Examples[/bold]
      tunesmith pipeline --example readme > experiment.toml
      tunesmith pipeline experiment.toml --dry-run
      tunesmith pipeline experiment.toml
      tunesmith pipeline experiment.toml --set tune.mira.rounds=5 --from tune.mira
    """
    from tunesmith.cli.experiments.pipeline_commands import VerbCommands
    from tunesmith.cli.experiments.stage_progress import progress_of_stages
    from tunesmith.cli.interruptible import run_interruptibly
    from tunesmith.experiments.pipeline import pipeline as pipelines

    if example is not None:
        put(pipelines.example(example), end="")
        return
    if file is None:
        raise ConfigError(
            "which experiment? Name its file; tunesmith pipeline --example readme > experiment.toml makes one"
        )

    with contextlib.ExitStack() as stack:

        @cache
        def executor() -> Executor | None:
            return stack.enter_context(ClusterOptions(cluster).opened(quiet=quiet, blocks=False))

        opened = pipelines.Pipeline.open(
            file,
            VerbCommands(threads, quiet, executor),
            folder=output,
            overrides=overrides or (),
            allow_code=allow_code,
        )
        stages = opened.chosen(only or (), since or ())
        if dry_run:
            print_plan(opened.planned(stages), output_format)
            return
        there = executor() is not None  # made now that the file was found to be good
        found = run_interruptibly(
            lambda: opened.run(
                stages, progress_of_stages(quiet=quiet), at_once=max(len(stages), 1) if there else 1
            ),
            lambda: "interrupted; resume with the same command",
        )
    if output_format is options.Format.json:
        put_json(found, indent=1)
    else:
        print_results(found, digits)
    note(f"everything is in {opened.root}", quiet=quiet)


def print_plan(planned: Sequence[pipelines.PlannedStage], output_format: options.Format) -> None:
    """Stages with their state, and why they would run."""
    if output_format is options.Format.json:
        put_json([each._asdict() for each in planned], indent=1)
        return
    for each in planned:
        say(f"{each.name}\t{each.state}" + ("" if each.why is None else f"\t{each.why}"))


def print_results(found: dict[str, Any], digits: int) -> None:
    """Print a table for each test set; without one, the score of each tuning."""
    from tunesmith.cli.table import print_table

    judged = {name: test for name, test in found["tests"].items() if test["systems"]}
    for name, test in judged.items():
        metrics = [each["metric"] for each in next(iter(test["systems"].values()))["metrics"]]
        compared = (test["comparison"] or {"metrics": []})["metrics"]
        header = [name, *metrics, *(word for each in compared for word in (f"Δ {each['metric']}", "p"))]
        rows = [
            [system, *_scores(result["metrics"], digits), *_differences(test["comparison"], system, digits)]
            for system, result in test["systems"].items()
        ]
        print_table(header, rows)
    if not judged:
        for name, tuning in found["tunings"].items():
            start, best = (f"{tuning[key]:.{digits}f}" for key in ("start_score", "score"))
            say(f"{name}: {tuning['metric']} {best} in round {tuning['best_round']} (start: {start})")


def _scores(metrics: list[dict[str, Any]], digits: int) -> Iterator[str]:
    for each in metrics:
        interval = each["interval"]
        width = "" if interval is None else f" ± {interval['half_width']:.{digits}f}"
        yield f"{each['score']:.{digits}f}{width}"


def _differences(comparison: dict[str, Any] | None, system: str, digits: int) -> Iterator[str]:
    """Yield difference from the base and its p-value, for every metric; blanks for the base."""
    for each in comparison["metrics"] if comparison else ():
        at = comparison["systems"].index(system) if comparison and system in comparison["systems"] else None
        tests = None if at is None else each["systems"][at]["tests"]
        if tests is None:
            yield from ("", "")
        else:
            p = tests["p_randomization"] if tests["p_randomization"] is not None else tests["p_bootstrap"]
            yield f"{tests['difference']:+.{digits}f}"
            yield "" if p is None else f"{p:.4f}"
