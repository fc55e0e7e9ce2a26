"""What `--help` shows: everything, or of a verb with many options those that most people need.

The options that most need are those without a panel (`cli/declaring.py`); `--help-all` shows the others too, each
under the heading of its panel.
"""

from __future__ import annotations

import copy
import inspect
from typing import Any

from typer.core import TyperCommand

FEW = 20
"""A verb with at most this number of options shows all of them."""
EXAMPLES = 3
"""Examples in the help of a verb with more options."""
ALL, WORD = "tunesmith.help_all", "--help-all"
HELP = ("-h", "--help", WORD)
_EXAMPLES = "[bold]Examples[/bold]"


def wants_all(ctx: Any, args: list[str]) -> list[str]:
    """Return the words of the command line with `--help-all` replaced by `--help`, after remembering it."""
    before = args[: args.index("--")] if "--" in args else args
    if WORD not in before:
        return args
    ctx.meta[ALL] = True
    return ["--help", *(word for word in args if word != WORD)]


def without_flag_types(params: list[Any]) -> list[Any]:
    """Return the parameters; the help of a flag names no type, for it takes no value."""
    for each in params:
        if getattr(each, "is_flag", False) and each.metavar is None:
            each.metavar = ""
    return params


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
