"""What `--help` shows: everything, or of a verb with many options those that most people need.

The options that most need are those without a panel (`cli/declaring.py`); `--help-all` shows the others too, each
under the heading of its panel.
"""

from __future__ import annotations

import copy
import inspect
from typing import Any, NamedTuple

from typer.core import TyperCommand

FEW = 20
"""A verb with at most this number of options shows all of them."""
EXAMPLES = 3
"""Examples in the help of a verb with more options."""
ALL, WORD = "tunesmith.help_all", "--help-all"
HELP = ("-h", "--help", WORD)
_EXAMPLES = "[bold]Examples[/bold]"


class Kind(NamedTuple):
    """What a value is called: in messages, and in the help of an option that has no word of its own for it."""

    name: str
    letter: str


_WHOLE, _NUMBER, _TEXT, _PATH = (
    Kind("whole number", "N"),
    Kind("number", "X"),
    Kind("text", "TEXT"),
    Kind("path", "PATH"),
)
KINDS = {"int": _WHOLE, "int range": _WHOLE, "float": _NUMBER, "float range": _NUMBER, "str": _TEXT, "path": _PATH}
"""By the names that typer gives its types."""


def wants_all(ctx: Any, args: list[str]) -> list[str]:
    """Return the words of the command line with `--help-all` replaced by `--help`, after remembering it."""
    before = args[: args.index("--")] if "--" in args else args
    if WORD not in before:
        return args
    ctx.meta[ALL] = True
    return ["--help", *(word for word in args if word != WORD)]


def with_plain_types(params: list[Any]) -> list[Any]:
    """Return the parameters; help and messages name their values in words, not by types of the parser.

    A flag takes no value, and an argument has a name of its own.
    """
    for each in params:
        if getattr(each, "is_flag", False):
            each.metavar = ""
        elif (kind := KINDS.get(each.type.name)) is not None:
            each.type = copy.copy(each.type)  # which other parameters share
            each.type.name = kind.name
            if each.param_type_name == "argument":
                each.type.get_metavar = _no_metavar
            elif each.metavar is None:
                each.metavar = kind.letter
    return params


def _no_metavar(param: Any, ctx: Any) -> str:
    return ""


def shown(verb: TyperCommand, ctx: Any) -> TyperCommand:
    """Return the verb as its help shows it: itself, or with the options that most people need."""
    options = [each for each in verb.params if each.param_type_name == "option"]
    rare = [each for each in options if getattr(each, "rich_help_panel", None) and not each.required]
    short = copy.copy(verb)
    short.help = _refilled(verb.help or "")
    if len(options) <= FEW or not rare or ctx.meta.get(ALL):
        return short
    short.params = [_without_panel(each) for each in verb.params if each not in rare]
    short.help, examples = _with_few_examples(short.help)
    also = f" and {examples} examples" if examples > EXAMPLES else ""
    short.epilog = f"All {len(options)} options{also}: {ctx.command_path} {WORD}"
    return short


def _without_panel(parameter: Any) -> Any:
    plain = copy.copy(parameter)
    plain.rich_help_panel = None
    return plain


def _refilled(text: str) -> str:
    """Return the text with a line for each paragraph, to be broken at the width of the terminal; examples stay."""
    parts = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(part if "\n " in part else part.replace("\n", " ") for part in parts)


def _with_few_examples(text: str) -> tuple[str, int]:
    """Return the text with its first examples, and their number; deeper indentation continues an example."""
    before, heading, after = text.partition(_EXAMPLES)
    body, gap, rest = after.strip("\n").partition("\n\n")
    lines = body.split("\n")
    depth = len(lines[0]) - len(lines[0].lstrip())
    starts = [at for at, line in enumerate(lines) if not line.startswith(" " * (depth + 1))]
    if not heading or len(starts) <= EXAMPLES:
        return text, len(starts)
    return f"{before}{heading}\n" + "\n".join(lines[: starts[EXAMPLES]]) + gap + rest, len(starts)
