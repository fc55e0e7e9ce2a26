"""How verbs are run: options that take several words, and errors turned into one line and an exit code."""

from __future__ import annotations

import os
import sys
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from tunesmith.errors import TunesmithError

# Options that take all words up to the next option (what a shell glob expands to).
GREEDY = ("--refs",)


def spread_greedy(args: list[str], options: tuple[str, ...] = GREEDY) -> list[str]:
    """`--refs a b c -q` as `--refs a --refs b --refs c -q`, which the parser understands.

    Words behind `--` are left alone, as everywhere.
    """
    spread: list[str] = []
    current: str | None = None
    fresh = False
    for at, word in enumerate(args):
        if word == "--":
            return spread + args[at:]
        if word in options:
            current, fresh = word, True
            spread.append(word)
        elif current is not None and (fresh or word == "-" or not word.startswith("-")):
            spread += [word] if fresh else [current, word]
            fresh = False
        else:
            current = None
            spread.append(word)
    return spread


class Verb(TyperCommand):
    """A command whose greedy options take several words."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Spread greedy options, then parse as usual."""
        return super().parse_args(ctx, spread_greedy(args))


class Verbs(TyperGroup):
    """The group of all verbs, listed in the order of the data; our errors end with their exit code."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Verbs in the order of definition."""
        return list(self.commands)

    def invoke(self, ctx: Any) -> Any:
        """Run the verb; a user's error is one line on stderr, never a traceback."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except TunesmithError as error:
            fail(str(error), error.exit_code)
        except KeyboardInterrupt:
            fail("interrupted", 130)
        except BrokenPipeError:  # the reader, such as head, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None


def fail(message: str, exit_code: int) -> None:
    """Say what is wrong on stderr and end with this code."""
    print(f"tunesmith: {message}", file=sys.stderr)
    raise typer.Exit(exit_code) from None
