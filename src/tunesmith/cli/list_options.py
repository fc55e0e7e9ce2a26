"""Options of verbs that read or write n-best lists."""

from __future__ import annotations

from typing import Annotated

import typer

ListFileArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[LIST]", help="Lists of any dialect; - or nothing is standard input.", show_default=False
    ),
]
Dialect = Annotated[
    str | None,
    typer.Option(
        "--dialect",
        metavar="NAME",
        show_default="recognised",
        help="moses, cdec, joshua, travatar, marian, fairseq, sockeye, json, moses-dat, flat:n=10,scores=FILE.",
    ),
]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave out lines that cannot be read, and list them.")]
To = Annotated[
    str | None, typer.Option("--to", metavar="DIALECT", help="Dialect to write.", show_default="that of the input")
]
Lossy = Annotated[bool, typer.Option("--lossy", help="Leave out what the dialect cannot hold.")]
References = Annotated[
    list[str] | None, typer.Option("--refs", metavar="FILE…", help="References.", show_default="those of the list")
]
MetricName = Annotated[str, typer.Option("--metric", metavar="NAME", help="bleu, chrf, ter, …")]
