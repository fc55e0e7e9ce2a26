"""How verbs are run: options that take several words, and errors turned into one line and an exit code."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from tunesmith.cli.declaring import SEVERAL
from tunesmith.cli.extensions import files_of_users
from tunesmith.cli.failures import INTERNAL, failure_of
from tunesmith.cli.help import HELP, shown, wants_all, with_plain_types
from tunesmith.cli.printing import abandon_output, flush_output, one_message, tell, visible
from tunesmith.cli.renamed import new_verb, with_new_options
from tunesmith.errors import ConfigError, TunesmithError, shortened

# Options that take all words up to the next option in every verb; a verb declares more with `takes_several`.
GREEDY = ("--refs", "--lm-text")
GROUPS, TAKEN = "tunesmith.greedy_groups", "tunesmith.taken"
# Typer brings its own click, and hands out these bases of its errors only through them.
_UsageError: Any = typer.BadParameter.__mro__[1]
_ClickError: Any = typer.BadParameter.__mro__[2]
_TAKES_ALL = "takes all words up to the next option"


class Taken(NamedTuple):
    """A greedy option and the words after it, as they were typed together."""

    option: str
    words: list[str]


def spread_greedy(args: list[str], options: tuple[str, ...] = GREEDY) -> tuple[list[str], list[Taken]]:
    """Spread `--refs a b c -q` into `--refs a --refs b --refs c -q` for the parser; return also what was spread.

    Words after `--` are left alone, as everywhere.
    """
    spread: list[str] = []
    taken: list[Taken] = []
    current: str | None = None
    for at, word in enumerate(args):
        option, equals, value = word.partition("=")
        if word == "--":
            spread += args[at:]
            break
        if option in options:
            current = option
            taken.append(Taken(option, [value] if equals else []))
            spread += [option, value] if equals else []
        elif current is not None and (word == "-" or not word.startswith("-")):
            spread += [current, word]
            taken[-1].words.append(word)
        else:
            current = None
            spread.append(word)
    for name, words in taken:
        if not words and not set(HELP) & set(args):
            raise ConfigError(f"{name} needs at least one file after it")
    return spread, taken


class Verb(TyperCommand):
    """A command whose greedy options take several words.

    Which references were typed together is in `ctx.meta[GROUPS]`, for verbs that look for mix-ups. A file that
    such an option took away from the verb looks like a reference until something fails; then it is said.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.greedy = (*GREEDY, *getattr(self.callback, SEVERAL, ()))
        self.params += files_of_users([each.name for each in self.params])

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters, with the one for help."""
        return with_plain_types(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, of many options those that most people need."""
        TyperCommand.format_help(shown(self, ctx), ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Spread greedy options, then parse as usual."""
        known = [option for each in self.params for option in each.opts]
        spread, taken = spread_greedy(wants_all(ctx, with_new_options(args, known)), self.greedy)
        ctx.meta[GROUPS] = [each.words for each in taken if each.option == "--refs"]
        ctx.meta[TAKEN] = next((each for each in reversed(taken) if len(each.words) > 1), None)
        try:
            return super().parse_args(ctx, spread)
        except typer.BadParameter as error:
            if (advice := self._advice(ctx, [error.param])) is None:
                raise
            raise ConfigError(f"{error.format_message()} {advice}") from None

    def invoke(self, ctx: Any) -> Any:
        """Run the verb; an error while it has no file says where the file may have gone."""
        try:
            return super().invoke(ctx)
        except TunesmithError as error:
            advice = self._advice(ctx, [each for each in self.params if not ctx.params.get(each.name)])
            if advice is None or _TAKES_ALL in str(error):  # it speaks of that itself
                raise
            fail(f"{error} {advice}", error.exit_code)

    def _advice(self, ctx: Any, missing: Sequence[Any]) -> str | None:
        """Return what to do about arguments that are missing while a greedy option took several words."""
        arguments = [each for each in missing if each in self.params and each.param_type_name == "argument"]
        names = [each.metavar or each.name.upper() for each in arguments]
        if not names or ctx.meta[TAKEN] is None:
            return None
        option, words = ctx.meta[TAKEN]
        return (
            f"({option} {_TAKES_ALL}, here {len(words)} up to {words[-1]}; if that is {names[0].strip('[]')}, put "
            f"it in front of {option}, or after --)"
        )


class Verbs(TyperGroup):
    """The group of all verbs, listed in the order of the data; our errors end with their exit code."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return verbs in the order of definition."""
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the verb of this name, or of the name that it had."""
        return super().get_command(ctx, new_verb(cmd_name, self.commands))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters, with the one for help."""
        return with_plain_types(super().get_params(ctx))

    def make_context(self, *given: Any, **more: Any) -> Any:
        """Read the words of the command line, which Ctrl-C may interrupt; wrong ones are shown harmlessly."""
        try:
            with _visible_usage_errors():
                return super().make_context(*given, **more)
        except KeyboardInterrupt as interrupt:
            fail(*failure_of(interrupt))

    def invoke(self, ctx: Any) -> Any:
        """Run the verb; a user's error is one line on stderr, never a traceback. Our own mistakes come through."""
        try:
            with _visible_usage_errors():
                result = super().invoke(ctx)
            flush_output()
            return result
        except BrokenPipeError:  # the reader, such as head, has seen enough
            abandon_output()
            raise typer.Exit(0) from None
        except (Exception, KeyboardInterrupt) as error:
            if isinstance(error, typer.Exit | typer.Abort | _ClickError):
                raise
            failure = failure_of(error)
            if failure.exit_code == INTERNAL:
                raise
            if isinstance(error, OSError):
                abandon_output()
            fail(failure.message, failure.exit_code)


def verb_group(name: str, about: str) -> typer.Typer:
    """Make a verb that has verbs of its own."""
    return typer.Typer(name=name, cls=Verbs, no_args_is_help=True, rich_markup_mode="rich", help=about)


@contextlib.contextmanager
def _visible_usage_errors() -> Iterator[None]:
    """Make the user's words visible in errors of the parser, and never markup."""
    try:
        yield
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        harmless = _UsageError(visible(shortened(error.format_message())), error.ctx)
        harmless.exit_code = error.exit_code
        raise harmless from None


def fail(message: str, exit_code: int) -> NoReturn:
    tell(f"tunesmith: {one_message(message)}")
    raise typer.Exit(exit_code) from None
