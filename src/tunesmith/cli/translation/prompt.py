"""`tunesmith translate` in a terminal: a line is typed, its translation follows."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Sequence

from tunesmith.cli.printing import flush_output, put, tell, watched
from tunesmith.cli.signals import Ended, prompting
from tunesmith.errors import TunesmithError

PROMPT = "> "


def converse(translated: Callable[[Sequence[str]], Iterable[str]], *, quiet: bool = False) -> None:
    """Translate lines as they are typed. Ctrl-D ends; Ctrl-C drops the line, whether typed or being translated."""
    if not quiet:
        tell("Type a line to translate it. Ctrl-C drops the line, Ctrl-D ends.")
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 (lines can be edited and called back from now on)
    while True:
        try:
            with prompting():
                line = _typed()
            if line is None:
                return
            for text in translated([line]):
                put(text, end="")
            flush_output()
        except Ended:
            raise
        except KeyboardInterrupt:
            tell("")
        except TunesmithError as error:  # of this line; the next may be well
            tell(f"tunesmith: {error}")


def _typed() -> str | None:
    """Return the next line; None at the end. Where translations go elsewhere, the prompt is on standard error."""
    try:
        if watched(sys.stdout):
            line = input(PROMPT)
        else:
            sys.stderr.write(PROMPT)
            sys.stderr.flush()
            line = sys.stdin.readline()
            if not line:
                raise EOFError
    except EOFError:
        tell("")
        return None
    except UnicodeDecodeError:
        raise TunesmithError("the line is not UTF-8") from None
    return line.rstrip("\r\n").replace("\0", "").encode("utf-8", "replace").decode("utf-8")
