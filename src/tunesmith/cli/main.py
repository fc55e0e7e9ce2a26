"""`tunesmith`: the list of verbs, in the order of the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

import tunesmith
from tunesmith.cli.check import check
from tunesmith.cli.cluster.cluster import cluster
from tunesmith.cli.corpus.clean import clean
from tunesmith.cli.corpus.detokenize import detokenize
from tunesmith.cli.corpus.phrasebook import phrasebook
from tunesmith.cli.corpus.select import select
from tunesmith.cli.corpus.tokenize import tokenize
from tunesmith.cli.corpus.vocab import vocab
from tunesmith.cli.demo import demo
from tunesmith.cli.doctor import doctor
from tunesmith.cli.evaluation.compare import compare
from tunesmith.cli.evaluation.evaluate import evaluate
from tunesmith.cli.evaluation.references import references
from tunesmith.cli.experiments.experiment import experiment
from tunesmith.cli.experiments.pipeline import pipeline
from tunesmith.cli.group import Verb, Verbs
from tunesmith.cli.lists.candidates import candidates
from tunesmith.cli.lists.graphs import graphs
from tunesmith.cli.lists.rerank import rerank
from tunesmith.cli.models.align import align
from tunesmith.cli.models.classes import classes
from tunesmith.cli.models.extract import extract
from tunesmith.cli.models.features import features
from tunesmith.cli.models.import_moses import import_moses
from tunesmith.cli.models.lm import lm
from tunesmith.cli.models.rules import rules
from tunesmith.cli.models.train import train
from tunesmith.cli.printing import say
from tunesmith.cli.translation.serve import serve
from tunesmith.cli.translation.translate import translate
from tunesmith.cli.tuning.groups import groups
from tunesmith.cli.tuning.report import report
from tunesmith.cli.tuning.runs import runs
from tunesmith.cli.tuning.tune import TuneVerb, tune

# In the order of the data; the headings are those of `tunesmith --help`.
VERBS: dict[str, tuple[Callable[..., None] | typer.Typer, ...]] = {
    "Start here": (demo, pipeline, doctor),
    "Corpus": (phrasebook, tokenize, detokenize, clean, select, vocab),
    "Models": (train, align, lm, classes, extract, rules, features, import_moses, check),
    "Translation": (translate, serve),
    "Tuning": (tune, runs, report, groups),
    "Lists": (candidates, graphs, rerank),
    "Evaluation": (evaluate, compare, references, experiment),
    "More than one machine": (cluster,),
}
OWN_CLASS: dict[Callable[..., None], type[Verb]] = {tune: TuneVerb}


class InOrder(Verbs):
    """All verbs, those with sub-verbs too, in the order of the list above."""

    def list_commands(self, ctx: Any) -> list[str]:
        flat = (verb for verbs in VERBS.values() for verb in verbs)
        return [
            str(verb.info.name) if isinstance(verb, typer.Typer) else verb.__name__.replace("_", "-")
            for verb in flat
        ]


app = typer.Typer(
    name="tunesmith",
    cls=InOrder,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"tunesmith {tunesmith.__version__}")
        raise typer.Exit


@app.callback()
def tunesmith_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Train, tune, decode and rerank log-linear translation models with millions of features.

    [bold]Start here[/bold]
      n-best lists to rerank:   tune --candidates, then rerank and evaluate
      parallel text, no system: pipeline; or train, tune, translate, evaluate
      research on tuners:       tune --recipe, compare, report, experiment

    [bold]Examples[/bold]
      tunesmith demo              see it work on the built-in corpus
      tunesmith VERB --help       what a verb does, with examples
      tunesmith VERB --help-all   with every option it has

    Data goes to standard output, messages to standard error; - and .gz work everywhere.
    Exit codes: 0 done, 1 bad data, 2 bad usage, 70 internal error, 128+n ended by signal n.
    """


for heading, verbs in VERBS.items():
    for verb in verbs:
        if isinstance(verb, typer.Typer):
            app.add_typer(verb, rich_help_panel=heading)
        else:
            app.command(cls=OWN_CLASS.get(verb, Verb), rich_help_panel=heading)(verb)
