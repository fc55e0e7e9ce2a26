"""How verbs are run: options that take several words, and errors turned into one line and an exit code."""

from __future__ import annotations

import os
import sys
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from tunesmith.errors import ConfigError, TunesmithError

# Options that take all words up to the next option (what a shell glob expands to).
GREEDY = ("--refs", "--lm-text")
GROUPS = "tunesmith.greedy_groups"


def spread_greedy(args: list[str], options: tuple[str, ...] = GREEDY) -> list[str]:
    """`--refs a b c -q` as `--refs a --refs b --refs c -q`, which the parser understands.

    Words behind `--` are left alone, as everywhere.
    """
    return _spread_and_groups(args, options)[0]


def greedy_groups(args: list[str], options: tuple[str, ...] = GREEDY, of: str = "--refs") -> list[list[str]]:
    """The words of each occurrence of the greedy option `of`, as they were typed together."""
    return [words for name, words in _spread_and_groups(args, options)[1] if name == of]


def _spread_and_groups(args: list[str], options: tuple[str, ...]) -> tuple[list[str], list[tuple[str, list[str]]]]:
    spread: list[str] = []
    groups: list[tuple[str, list[str]]] = []
    current: str | None = None
    for at, word in enumerate(args):
        option, equals, value = word.partition("=")
        if word == "--":
            spread += args[at:]
            break
        if option in options:
            current = option
            groups.append((option, [value] if equals else []))
            spread += [option, value] if equals else []
        elif current is not None and (word == "-" or not word.startswith("-")):
            spread += [current, word]
            groups[-1][1].append(word)
        else:
            current = None
            spread.append(word)
    for name, words in groups:
        if not words and not {"-h", "--help"} & set(args):
            raise ConfigError(f"{name} needs at least one file behind it")
    return spread, groups


class Verb(TyperCommand):
    """A command whose greedy options take several words.

    Which references were typed together is in `ctx.meta[GROUPS]`, for verbs that look for mix-ups.
    """

    greedy: ClassVar[tuple[str, ...]] = GREEDY

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Spread greedy options, then parse as usual."""
        ctx.meta[GROUPS] = greedy_groups(args, self.greedy)
        return super().parse_args(ctx, spread_greedy(args, self.greedy))


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
            abandon_output()
            raise typer.Exit(0) from None
        except OSError as error:  # a full disk, a folder that cannot be made, …
            abandon_output()
            fail(f"{error.filename or 'standard output'}: {error.strerror or error}", 1)


def abandon_output() -> None:
    """Let nothing more be written to standard output, not even what Python still holds back for its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(message: str, exit_code: int) -> None:
    """Say what is wrong on stderr and end with this code."""
    print(f"tunesmith: {message}", file=sys.stderr)
    raise typer.Exit(exit_code) from None
