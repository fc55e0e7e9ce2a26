"""Options of verbs that read or write n-best lists."""

from __future__ import annotations

from typing import Annotated

from tunesmith.cli.declaring import argument, option

ListFileArgument = Annotated[
    str | None, argument("[LIST]", "Lists of any dialect; - or nothing is standard input.")
]
Dialect = Annotated[str | None, option(
    "--dialect NAME", "moses, cdec, joshua, travatar, marian, fairseq, sockeye, json, moses-dat, "
    "flat:n=10,scores=FILE.", show_default="recognised"
)]  # fmt: skip
SkipBad = Annotated[bool, option("--skip-bad", "Leave out lines that cannot be read, and list them.")]
To = Annotated[str | None, option("--to DIALECT", "Dialect to write.", show_default="that of the input")]
Lossy = Annotated[bool, option("--lossy", "Leave out what the dialect cannot hold.")]
References = Annotated[list[str] | None, option("--refs FILE…", "References.", show_default="those of the list")]
MetricName = Annotated[str, option("--metric NAME", "bleu, chrf, ter, …")]
