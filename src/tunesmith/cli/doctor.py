"""`tunesmith doctor`: what this machine and this installation offer."""

from __future__ import annotations

from dataclasses import asdict

import typer

from tunesmith.cli.options import Format, OutputFormat
from tunesmith.cli.printing import put_json, say


def doctor(output_format: OutputFormat = Format.text) -> None:
    """Show versions, processors, memory, disk and extras, with advice on what is missing.

    Attach the output to a report of a problem. Exit codes: 0, or 1 where something keeps tunesmith from working.

    [bold]Examples[/bold]
      tunesmith doctor
      tunesmith doctor -f json
    """
    from tunesmith.environment import findings

    found = list(findings())
    if output_format is Format.json:
        put_json([asdict(each) for each in found], indent=1)
    else:
        width = max(len(each.subject) for each in found)
        for each in found:
            say(f"{each.subject:<{width}}  {each.value}")
            if each.advice:
                say(f"{'':<{width}}  → {each.advice}")
    raise typer.Exit(1 if any(each.state == "problem" for each in found) else 0)
