"""`tunesmith`: the list of verbs, in the order of the data."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import tunesmith
from tunesmith.cli.group import Verbs
from tunesmith.cli.printing import say
from tunesmith.cli.verb_table import VerbTable

# Modules in the order of the data, by the headings of `tunesmith --help`; a verb has the name of its module.
VERBS = {
    "Start here": ("demo", "experiments.pipeline", "doctor"),
    "Corpus": (
        *("corpus.phrasebook", "corpus.tokenize", "corpus.detokenize", "corpus.clean", "corpus.select"),
        "corpus.vocab",
    ),
    "Models": (
        *("models.train", "models.align", "models.lm", "models.classes", "models.extract", "models.rules"),
        *("models.features", "models.import_moses", "check"),
    ),
    "Translation": ("translation.translate", "translation.serve"),
    "Tuning": ("tuning.tune", "tuning.runs", "tuning.report", "tuning.groups"),
    "Lists": ("lists.candidates", "lists.graphs", "lists.rerank"),
    "Evaluation": ("evaluation.evaluate", "evaluation.compare", "evaluation.references", "experiments.experiment"),
    "More than one machine": ("cluster.cluster",),
}


class AllVerbs(Verbs):
    """The verbs above; a module is imported when its verb is called or its help is shown."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**{**more, "commands": VerbTable("tunesmith.cli", VERBS)})


app = typer.Typer(
    name="tunesmith",
    cls=AllVerbs,
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
