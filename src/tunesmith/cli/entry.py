"""The installed command: light until Python has started, so that even an early Ctrl-C ends in one line."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command line and end with its exit code."""
    try:
        from tunesmith.cli.group import abandon_output
        from tunesmith.cli.main import app

        try:
            try:
                app()
            finally:
                sys.stdout.flush()
        except OSError as error:
            abandon_output()
            print(f"tunesmith: standard output: {error.strerror}", file=sys.stderr)
            sys.exit(1)
    except KeyboardInterrupt:
        print("tunesmith: interrupted", file=sys.stderr)
        sys.exit(130)
