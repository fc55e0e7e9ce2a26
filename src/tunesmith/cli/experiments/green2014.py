"""`tunesmith experiment green2014`: extended features, losses and references compared, to a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.cluster.cluster_options import ClusterOptions
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.experiments.experiment_options import MODEL, SIZE, Common

if TYPE_CHECKING:
    from tunesmith.experiments.green2014.rows import FeatureRow

EPOCHS, CLASSES, MORE_THAN = 15, 64, 50


@grouped
def green2014(
    common: Common,
    epochs: Annotated[int | None, option("--epochs", "Rounds of tuning.", SIZE, show_default="15", min=1)] = None,
    train_sentences: Annotated[int | None, option(
        "--train-sentences", "Decoded by rows of shares, in held-out folds.", SIZE, show_default="10000", min=1,
    )] = None,
    classes: Annotated[int, option("--classes N", "Word classes of each side.", MODEL, min=1)] = CLASSES,
    more_than: Annotated[int | None, option(
        "--more-than N", "Lexicalised features are of rules that occur more often.", MODEL,
        show_default="50, tiny 5", min=0,
    )] = None,
    budget: Annotated[float | None, option(
        "--budget MINUTES", "Processor time after which no further tuning is begun; the same command resumes.",
        SIZE, show_default="no limit", min=0,
    )] = None,
    clustered: ClusterOptions = ClusterOptions(),
) -> None:  # fmt: skip
    """Compare dense, sparse and extended features on your own data (Green et al. 2014).

    Weights are learnt on dev by online expected BLEU, the epoch is chosen on devtest. With dev.labels,
    devtest.labels, test.labels and in-domain.NAME.SOURCE in the folder of the data there is a row with domains.
    A row with another recipe is ROW+RECIPE, with settings ROW+RECIPE+NAME=VALUE. Interrupted or killed, the same
    command resumes.

    [bold]Examples[/bold]
      tunesmith experiment green2014 --data zh-en/ -o extended/
      tunesmith experiment green2014 --data zh-en/ -o extended/ --rows dense sparse ext ext-filt --epochs 10
      tunesmith experiment green2014 --data zh-en/ -o extended/ --rows dense+mira ext-filt+mira ext-filt+shares
      tunesmith experiment green2014 --data phrasebook -o tiny/ --tiny
      tunesmith experiment green2014 --list
    """
    from tunesmith.experiments.green2014.rows import ROWS, chosen_rows

    chosen = chosen_rows(common.rows)
    if common.list_rows:
        _print_rows(chosen if common.rows else ROWS)
        return
    files, folder = common.place()
    from tunesmith.cli.experiments.experiment_output import print_experiment, print_plan, run_and_publish
    from tunesmith.experiments.green2014.experiment import ExtendedFeatures
    from tunesmith.experiments.green2014.page import draw_all, write_page
    from tunesmith.experiments.green2014.table import HEADER
    from tunesmith.experiments.settings import PhraseModel, Scale

    sized = common.settings(Scale(rounds=1), dev_rounds=epochs, train_sentences=train_sentences)
    settings = dataclasses.replace(sized, phrases=PhraseModel())
    least = (5 if common.tiny else MORE_THAN) if more_than is None else more_than
    make = partial(ExtendedFeatures, folder, files, settings, classes=classes, more_than=least, budget=budget,
                   threads=common.threads)  # fmt: skip
    if common.dry_run:
        print_plan(make().plan(chosen))
        return

    with clustered.opened(quiet=common.quiet) as executor:
        table = run_and_publish(make(executor=executor), chosen, folder, draw_all, write_page, quiet=common.quiet)
    print_experiment(table, HEADER, common.output_format, texts=(0, 1))


def _print_rows(rows: Iterable[FeatureRow]) -> None:
    from tunesmith.cli.table import print_table

    print_table(["row", "table", "recipe", "features", "changed"],
                [[row.name, row.table, row.recipe, row.templates(MORE_THAN), _changed(row)] for row in rows],
                texts=range(5))  # fmt: skip


def _changed(row: FeatureRow) -> str:
    found = list(row.settings) + ([] if row.regularizer is None else [f"regularizer {row.regularizer}"])
    found += [f"starts with {row.start}"] if row.start else []
    found += [] if row.references is None else [f"{row.references} reference"]
    return ", ".join(found + (["domains"] if row.domains else []))
