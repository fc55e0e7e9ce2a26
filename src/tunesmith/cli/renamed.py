"""Options and verbs whose names have changed: the old name works for one minor version, with a message."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tunesmith.cli.printing import tell

OPTIONS = {"--parts": "--folds", "--beside": "--also"}
VERBS = {"own": "leave-one-out"}


def with_new_options(args: list[str], known: Collection[str]) -> list[str]:
    """Return the words with the new names of options, for a verb that knows these options."""
    end = args.index("--") if "--" in args else len(args)
    return [*_renamed(args[:end], known), *args[end:]]


def new_verb(name: str, known: Collection[str]) -> str:
    """Return the name of a verb as its group knows it."""
    return _said(name, VERBS[name]) if name not in known and VERBS.get(name) in known else name


def _renamed(args: list[str], known: Collection[str]) -> Iterator[str]:
    for word in args:
        option, equals, value = word.partition("=")
        new = OPTIONS.get(option)
        yield word if new is None or option in known or new not in known else _said(option, new) + equals + value


def _said(old: str, new: str) -> str:
    tell(f"tunesmith: {old} is now called {new}; version 0.4 will not know {old}")
    return new
