"""`tunesmith experiment watanabe2007`: a table of online MIRA with structural features."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.cluster.cluster_options import ClusterOptions
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.experiments.experiment_options import SIZE, Common

if TYPE_CHECKING:
    from tunesmith.experiments.watanabe2007.rows import Row


@grouped
def watanabe2007(
    common: Common,
    tables: Annotated[
        list[int] | None, option("--tables NUMBER…", "Only rows of these tables of the paper.", show_default="all")
    ] = None,
    budget: Annotated[float | None, option(
        "--budget MINUTES", "Processor time after which no further tuning is begun; the same command resumes.",
        SIZE, show_default="no limit", min=0
    )] = None,
    rounds: Annotated[
        int | None, option("--rounds", "Epochs, or rounds of batch tuners.", SIZE, show_default="10", min=1)
    ] = None,
    online_k: Annotated[
        int | None, option("--online-k", "List length of online rows.", SIZE, show_default="1000", min=2)
    ] = None,
    train_sentences: Annotated[int | None, option(
        "--train-sentences", "Decoded by rows that learn on training data.", SIZE, show_default="10000", min=1
    )] = None,
    clustered: ClusterOptions = ClusterOptions(),
) -> None:  # fmt: skip
    """Compare structural features in online MIRA on your own data (Watanabe et al. 2007, Tables 1 to 4).

    Rows are tuned on dev and judged on dev and devtest; those of Table 4, which are last, on folds of dev, devtest
    and test together. --data is a folder, or a TOML file that names the files. Threads tune several rows at once.
    Interrupted or killed, the same command resumes.

    [bold]Examples[/bold]
      tunesmith experiment watanabe2007 --data fr-en/ -o online/
      tunesmith experiment watanabe2007 --data zh-en/ -o online/ --rows mert all hiero-all
      tunesmith experiment watanabe2007 --data zh-en/ -o online/ --tables 3 --budget 600
      tunesmith experiment watanabe2007 --data phrasebook -o tiny/ --tiny
      tunesmith experiment watanabe2007 --list
    """
    from tunesmith.experiments.watanabe2007.rows import ROWS, chosen_rows

    chosen = chosen_rows(common.rows, tables or ())
    if common.list_rows:
        _print_rows(chosen if common.rows or tables else ROWS)
        return
    files, folder = common.place()
    from tunesmith.cli.experiments.experiment_output import print_experiment, print_plan, run_and_publish
    from tunesmith.experiments.settings import Scale
    from tunesmith.experiments.watanabe2007.experiment import OnlineTraining
    from tunesmith.experiments.watanabe2007.page import draw_all, write_page
    from tunesmith.experiments.watanabe2007.table import HEADER, TEXTS

    settings = common.settings(
        Scale(dev_rounds=10, rounds=1), dev_rounds=rounds, reused_k=online_k, train_sentences=train_sentences
    )
    make = partial(OnlineTraining, folder, files, settings, budget=budget, threads=common.threads)
    if common.dry_run:
        print_plan(make().plan(chosen))
        return

    with clustered.opened(quiet=common.quiet) as executor:
        table = run_and_publish(make(executor=executor), chosen, folder, draw_all, write_page, quiet=common.quiet)
    print_experiment(table, HEADER, common.output_format, texts=range(TEXTS))


def _print_rows(rows: Iterable[Row]) -> None:
    from tunesmith.cli.table import print_table

    print_table(["row", "table", "recipe", "search", "what"],
                [[row.name, ", ".join(str(each) for each in row.tables if each) or "–", row.recipe, row.search,
                  row.label] for row in rows],
                texts=range(5))  # fmt: skip
