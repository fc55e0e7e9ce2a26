"""Options that name Python files of users. Every verb that opens a model or computes a metric has them."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Annotated, Any

import typer

from tunesmith.cli.options import DETAILS

FILES_OF_USERS = ("--features-from", "--metric-from")
"""Options whose file is run as soon as the parser reads them."""

_METRICS = frozenset({"metric", "bayes_risk", "also", "add"})
"""Parameters of verbs that take the name of a metric."""


def files_of_users(parameters: Collection[str | None]) -> list[Any]:
    """Return options `--features-from` and `--metric-from` for a verb with these parameters, where it lacks them.

    The files are run before anything else is done with the words of the command line.
    """
    wanted = []
    if "model" in parameters and "features_from" not in parameters:  # those of `lm` are called language_model
        wanted.append("features_from")
    if _METRICS & set(parameters) or {"test", "references"} <= set(parameters):  # `report` has the metric of a run
        wanted.append("metric_from")
    return [_options()[name] for name in wanted]


def _run_features(path: str | None) -> None:
    if path is not None:
        from tunesmith.features import features_from

        features_from(path)


def _run_metrics(path: str | None) -> None:
    if path is not None:
        from tunesmith.metrics import metrics_from

        metrics_from(path)


@cache
def _options() -> dict[str, Any]:
    """Return the options as the command line knows them, by name."""
    app = typer.Typer()

    @app.command()
    def declared(
        features_from: Annotated[str | None, typer.Option(
            "--features-from", metavar="FILE", help="Python file with your own templates.",
            callback=_run_features, is_eager=True, expose_value=False, rich_help_panel=DETAILS,
        )] = None,
        metric_from: Annotated[str | None, typer.Option(
            "--metric-from", metavar="FILE", help="Python file with your own metrics.",
            callback=_run_metrics, is_eager=True, expose_value=False, rich_help_panel=DETAILS,
        )] = None,
    ) -> None:  # fmt: skip
        """Declare nothing but options."""

    return {each.name: each for each in typer.main.get_command(app).params if each.name}
