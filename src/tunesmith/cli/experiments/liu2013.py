"""`tunesmith experiment liu2013`: feature grouping compared with tuning one by one, to a table."""

from __future__ import annotations

import dataclasses
from typing import Annotated

from tunesmith.cli.cluster.cluster_options import ClusterOptions
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.experiments.experiment_options import MODEL, SIZE, Common
from tunesmith.errors import ConfigError


@grouped
def liu2013(
    common: Common,
    full: Annotated[bool, option("--full", "All training sentences, 15 rounds: many hours.")] = False,
    train_sentences: Annotated[
        int | None,
        option("--train-sentences", "Training sentences that are decoded.", SIZE, show_default="10000", min=1),
    ] = None,
    rounds: Annotated[
        int | None, option("--rounds", "Rounds of decoding training data.", SIZE, show_default="6", min=1)
    ] = None,
    inner_rounds: Annotated[
        int | None, option("--inner-rounds", "Rounds on dev, in each of them.", SIZE, show_default="5", min=1)
    ] = None,
    dev_rounds: Annotated[
        int | None,
        option("--dev-rounds", "Rounds of rows that are tuned on dev alone.", SIZE, show_default="15", min=1),
    ] = None,
    sweep: Annotated[
        int | None, option("--sweep", "Values of a setting tried.", SIZE, show_default="3", min=1)
    ] = None,
    min_count: Annotated[float, option("--min-count", "Least joint count of a rule.", MODEL, min=0)] = 0.0,
    top: Annotated[int, option("--top", "Rules kept per source side; 0 for all.", MODEL, min=0)] = 0,
    significance: Annotated[float | None, option("--significance", "Least -log p of a rule.", MODEL)] = None,
    clustered: ClusterOptions = ClusterOptions(),
) -> None:
    """Repeat Table 1 of Liu et al. (2013) on your own data: tune rows, choose on devtest, score on test.

    The folder gets table.md, table.json, pictures and report.html. Interrupted or killed, the same command
    resumes; with another setting only stages that depend on it is done again.

    [bold]Examples[/bold]
      tunesmith experiment liu2013 --data phrasebook -o table1/
      tunesmith experiment liu2013 --data zh-en/ -o table1/ --rows pro-dev-default mira-dev-default
      tunesmith experiment liu2013 --data phrasebook -o tiny/ --tiny
      tunesmith experiment liu2013 --list
    """
    from tunesmith.experiments.liu2013.rows import chosen_rows

    chosen = chosen_rows(common.rows)
    if common.list_rows:
        from tunesmith.cli.table import print_table

        print_table(["row", "method", "tuned on", "features", "of"],
                    [[row.name, row.method, row.data, row.features, row.part] for row in chosen])  # fmt: skip
        return
    if full and common.tiny:
        raise ConfigError("--full and --tiny cannot be used together")
    files, folder = common.place()
    from tunesmith.cli.experiments.experiment_output import print_experiment, print_plan, write_pages
    from tunesmith.cli.experiments.stage_progress import progress_of_stages
    from tunesmith.cli.interruptible import run_interruptibly
    from tunesmith.experiments.liu2013.experiment import Liu2013
    from tunesmith.experiments.liu2013.page import write_report
    from tunesmith.experiments.liu2013.pictures import draw_all
    from tunesmith.experiments.liu2013.table import HEADER
    from tunesmith.experiments.settings import DEFAULT, FULL, Extraction

    settings = common.settings(
        FULL if full else DEFAULT,
        train_sentences=train_sentences,
        rounds=rounds,
        inner_rounds=inner_rounds,
        dev_rounds=dev_rounds,
        sweep=sweep,
    )
    settings = dataclasses.replace(settings, extraction=Extraction(min_count, top, significance))
    if common.dry_run:
        print_plan(Liu2013(folder, files, settings, threads=common.threads).plan(chosen))
        return
    with clustered.opened(quiet=common.quiet) as executor:
        work = Liu2013(folder, files, settings, threads=common.threads, executor=executor)
        table = run_interruptibly(
            lambda: work.run(chosen, progress_of_stages(quiet=common.quiet)),
            lambda: "interrupted; resume with the same command",
        )
    write_pages(
        folder,
        lambda: draw_all(table.results, table.base),
        lambda path, pictures: write_report(path, table, pictures),
        quiet=common.quiet,
    )
    print_experiment(table, HEADER, common.output_format, texts=(0,))
