"""How options are declared: one as its help shows it, several as a group that a verb takes as one parameter."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_args, get_type_hints

import typer

SEVERAL = "takes_several"
"""Attribute of a verb: its options that take several words, in addition to those of every verb."""


def option(
    form: str,
    about: str,
    panel: str | None = None,
    *,
    show_default: str | bool = True,
    min: float | None = None,
    max: float | None = None,
) -> Any:
    """Declare an option by its names and its value, such as `-o --output FILE`.

    panel: heading of the help it stands under; None for an option that most people need, which the help of a verb
    with many options shows, while the others are shown by `--help-all`.
    show_default: text of the help where None stands for a default.
    """
    words = form.split(" ")
    names = [word for word in words if word.startswith("-")]
    return typer.Option(
        *names,
        metavar=" ".join(words[len(names) :]) or None,
        help=about,
        rich_help_panel=panel,
        show_default=show_default,
        min=min,
        max=max,
    )


def argument(metavar: str, about: str, *, show_default: str | bool = True) -> Any:
    """Declare a word of the command line that is not an option."""
    return typer.Argument(metavar=metavar, help=about, show_default=show_default)


def takes_several(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let these options of a verb take all words up to the next option (what a shell glob expands to)."""

    def declare(verb: Callable[..., None]) -> Callable[..., None]:
        vars(verb)[SEVERAL] = names
        return verb

    return declare


def _as_written(hint: Any) -> Any:
    """Return the declaration; Python 3.10 puts an Optional around that of a parameter with the default None."""
    return next((each for each in get_args(hint) if hasattr(each, "__metadata__")), hint)


def grouped(verb: Callable[..., None]) -> Callable[..., None]:
    """Let the command line see an option for every field of those parameters that are dataclasses of options."""
    hints = {name: _as_written(hint) for name, hint in get_type_hints(verb, include_extras=True).items()}
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if dataclasses.is_dataclass(hint)}

    def parameters() -> Iterator[inspect.Parameter]:
        for name, parameter in inspect.signature(verb).parameters.items():
            if name not in groups:
                yield parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
                continue
            declared = get_type_hints(groups[name], include_extras=True)
            for field in dataclasses.fields(groups[name]):
                default = field.default_factory() if callable(field.default_factory) else field.default
                yield inspect.Parameter(
                    field.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=inspect.Parameter.empty if default is dataclasses.MISSING else default,
                    annotation=declared[field.name],
                )

    @functools.wraps(verb)
    def called(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in dataclasses.fields(group)})
        verb(**given)

    seen = sorted(parameters(), key=lambda each: each.default is not inspect.Parameter.empty)  # required first
    vars(called)["__signature__"] = inspect.Signature(seen)
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in seen}
    return called
