"""The reference of the verbs, made from what `--help` shows: a page for each heading of `tunesmith --help`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer.main
from typer.core import TyperGroup

from tunesmith.cli.main import app

HEADING = "[bold]Examples[/bold]"
NO_PANEL = "Options"


def verb_pages() -> dict[str, tuple[str, str]]:
    """Return title and Markdown text by file name, in the order of `tunesmith --help`."""
    command: Any = typer.main.get_command(app)
    context = command.make_context("tunesmith", ["--help"], resilient_parsing=True)
    verbs: dict[str, list[str]] = {}
    for name in command.list_commands(context):
        verb = command.get_command(context, name)
        verbs.setdefault(verb.rich_help_panel, []).extend(_sections(f"tunesmith {name}", verb))
    return {
        f"{heading.lower().replace(' ', '-')}.md": (heading, "\n\n".join([f"# {heading}", *sections]) + "\n")
        for heading, sections in verbs.items()
    }


def _sections(name: str, verb: Any, depth: int = 2) -> Iterator[str]:
    """Yield heading, description, examples and options of a verb, and of the verbs below it."""
    yield f"{'#' * depth} `{name}`"
    context = verb.context_class(verb, info_name=name)
    description, _, examples = inspect.cleandoc(verb.help or "").partition(HEADING)
    yield from _paragraphs(description)
    if not isinstance(verb, TyperGroup):
        usage = " ".join(verb.collect_usage_pieces(context))
        yield f"```text\n{name} {usage}\n```"
    body, _, rest = examples.strip("\n").partition("\n\n")
    if body:
        yield f"```text\n{inspect.cleandoc(body)}\n```"
    yield from _paragraphs(rest)
    if isinstance(verb, TyperGroup):
        for below in verb.list_commands(context):
            yield from _sections(f"{name} {below}", verb.get_command(context, below), depth + 1)
    else:
        yield from _tables([each for each in verb.params if not getattr(each, "hidden", False)], context)


def _paragraphs(text: str) -> Iterator[str]:
    """Yield paragraphs of a help text; one with indented lines keeps them."""
    for part in filter(None, (part.strip("\n") for part in text.split("\n\n"))):
        if re.search(r"^ ", part, re.MULTILINE):
            title, _, lines = part.partition("\n")
            if title.startswith("[bold]"):
                yield re.sub(r"\[/?bold\]", "**", title)
                part = lines
            yield f"```text\n{inspect.cleandoc(part)}\n```"
        else:
            yield _escaped(part.replace("\n", " "))


def _tables(params: list[Any], context: Any) -> Iterator[str]:
    """Yield a table of arguments and options for each panel of the help."""
    panels: dict[str, list[str]] = {}
    for each in params:
        argument = each.param_type_name == "argument"
        panel = "Arguments" if argument else each.rich_help_panel or NO_PANEL
        panels.setdefault(panel, []).append(_row(each, argument, context))
    for panel in sorted(panels, key=lambda name: (name != "Arguments", name != NO_PANEL)):
        rows = "\n".join(panels[panel])
        yield f"| {panel} | | default |\n|---|---|---|\n{rows}"


def _row(each: Any, argument: bool, context: Any) -> str:
    kind = each.make_metavar(context).strip("<>").replace("|", "\\|")
    if argument:
        name = f"`{kind}`"
    else:
        flag = getattr(each, "is_flag", False)
        words = [*sorted(each.opts, key=len, reverse=True), *each.secondary_opts]
        name = " ".join(f"`{word}`" for word in words) + ("" if flag else f" `{kind}`")
    return f"| {name} | {_escaped(each.help or '')} | {_default(each)} |".replace("  ", " ")


def _default(each: Any) -> str:
    if each.required:
        return "required"
    if isinstance(each.show_default, str):
        return _escaped(each.show_default)
    value = each.default
    if value is None or isinstance(value, bool) or value in ((), []) or callable(value):
        return ""
    return f"`{getattr(value, 'value', value)}`"


def _escaped(text: str) -> str:
    """Return help as Markdown: nothing in it is markup but the words in bold."""
    plain = re.sub(r"\[/?bold\]", "**", text.replace("\\[", "["))
    plain = re.sub(r"([|<>_{}\[\]])", r"\\\1", plain.replace("\n", " "))
    return re.sub(r"(?<!\*)\*(?!\*)", r"\\*", plain)
