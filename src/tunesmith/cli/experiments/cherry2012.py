"""`tunesmith experiment cherry2012`: batch tuners compared, with their stability, to a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.cluster.cluster_options import ClusterOptions
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.experiments.experiment_options import MODEL, SIZE, Common
from tunesmith.cli.models.extraction_options import Kind
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.experiments.cherry2012.rows import TunerRow
    from tunesmith.experiments.settings import PhraseModel


@grouped
def cherry2012(
    common: Common,
    kind: Annotated[Kind, option("--kind", "Hierarchical rules or phrase pairs.", MODEL)] = Kind.hiero,
    labels: Annotated[str | None, option(
        "--labels FILE", "phrase: a label per training pair; each gets a translation table.", MODEL
    )] = None,
    more_lms: Annotated[list[str] | None, option(
        "--more-lm FILE…", "phrase: language models in addition to that of the target side.", MODEL
    )] = None,
    tuners: Annotated[
        list[str] | None, option("--tuners NAME…", "Only rows of these tuners.", show_default="those of the paper")
    ] = None,
    sizes: Annotated[list[str] | None, option(
        "--sizes NAME…", "Only rows with these feature sets; overfit is that of Figure 1.", show_default="all"
    )] = None,
    stability: Annotated[int | None, option(
        "--stability", "Sub-samples of dev that rows are tuned on too; 0 for none.", SIZE, show_default="4", min=0
    )] = None,
    repeat: Annotated[
        list[str] | None, option("--repeat NAME…|all", "Rows that are tuned on the sub-samples.", SIZE,
                                 show_default="those of MERT and MIRA")
    ] = None,
    budget: Annotated[float | None, option(
        "--budget MINUTES", "Processor time after which no further tuning is begun; the same command resumes.",
        SIZE, show_default="no limit", min=0
    )] = None,
    rounds: Annotated[int | None, option("--rounds", "Rounds of tuning.", SIZE, show_default="15", min=1)] = None,
    clustered: ClusterOptions = ClusterOptions(),
) -> None:  # fmt: skip
    """Compare batch tuners on your own data, their scores and their stability (Cherry and Foster 2012).

    Every row is tuned on dev, rows of MERT and MIRA also on fixed sub-samples of dev; figure rows sweep a setting
    with features made to over-fit. --data is a folder, or a TOML file that names the files. Threads tune several
    rows at once. Interrupted or killed, the same command resumes.

    [bold]Examples[/bold]
      tunesmith experiment cherry2012 --data zh-en/ -o batch/
      tunesmith experiment cherry2012 --data zh-en/ -o batch/ --rows kb-mira-big pro-big --stability 0
      tunesmith experiment cherry2012 --data phrasebook -o tiny/ --tiny
      tunesmith experiment cherry2012 --data en-fr.toml -o batch/ --kind phrase --tuners kb-mira lb-mira
      tunesmith experiment cherry2012 --list
    """
    from tunesmith.experiments.cherry2012.rows import ROWS, chosen_rows

    chosen = chosen_rows(common.rows, kind.value, tuners=tuners or (), sizes=sizes or ())
    repeated = repeat
    if repeat == ["all"]:
        repeated = [row.name for row in chosen]
    elif repeat:
        chosen_rows(repeat, kind.value)
    if common.list_rows:
        _print_rows(chosen if common.rows or tuners or sizes else ROWS[kind.value])
        return
    files, folder = common.place()
    from tunesmith.cli.experiments.experiment_output import print_experiment, print_plan, run_and_publish
    from tunesmith.experiments.cherry2012.experiment import BatchTuning
    from tunesmith.experiments.cherry2012.page import draw_all, write_page
    from tunesmith.experiments.cherry2012.table import HEADER
    from tunesmith.experiments.settings import DEFAULT
    from tunesmith.lm.loading import typed_path

    samples = (2 if common.tiny else 4) if stability is None else stability
    phrases = _phrases(kind, labels, tuple(map(typed_path, more_lms or ())))
    settings = dataclasses.replace(common.settings(DEFAULT, dev_rounds=rounds), phrases=phrases)
    make = partial(BatchTuning, folder, files, settings, samples=samples, repeated=repeated, budget=budget,
                   threads=common.threads)  # fmt: skip
    if common.dry_run:
        print_plan(make().plan(chosen))
        return

    with clustered.opened(quiet=common.quiet) as executor:
        table = run_and_publish(make(executor=executor), chosen, folder, draw_all, write_page, quiet=common.quiet)
    print_experiment(table, HEADER, common.output_format, texts=(0, 1))


def _phrases(kind: Kind, labels: str | None, more_lms: tuple[str, ...]) -> PhraseModel | None:
    from tunesmith.experiments.settings import PhraseModel

    if kind is Kind.phrase:
        return PhraseModel(labels, more_lms)
    if labels is not None or more_lms:
        raise ConfigError("--labels and --more-lm are for --kind phrase")
    return None


def _print_rows(rows: Iterable[TunerRow]) -> None:
    from tunesmith.cli.table import print_table

    print_table(["row", "recipe", "features", "sweeps", "in the paper"],
                [[row.name, row.recipe + (" --plain" if row.plain else ""), row.features,
                  _sweep(row.setting, row.sweep), "no" if row.ours else "yes"] for row in rows],
                texts=range(5))  # fmt: skip


def _sweep(setting: str, values: tuple[str, ...]) -> str:
    return f"{setting} = {', '.join(values)}" if values else ""
