"""What `evaluate`, `compare` and `references` read: outputs and references, with mix-ups found before any work."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.corpus.bitext import References
    from tunesmith.metrics import Metric, Prepared
    from tunesmith.metrics.base import Floats
    from tunesmith.signature import Signature


def expect_input(path: str, verb: str) -> None:
    """A terminal is not an output: say what is missing and do not wait for ever."""
    if path == "-" and sys.stdin.isatty():
        raise ConfigError(
            f"no output to look at: give the file, or pipe it in, one translation per line. "
            f"For example: tunesmith {verb} --refs test.en.* < test.out"
        )


def read_reference_files(ctx: Any, words: Sequence[str], systems: Sequence[str]) -> References:
    """References of `--refs`; a system among them, or a reference among the systems, is an error."""
    from tunesmith.cli.group import GROUPS
    from tunesmith.corpus.bitext import expand_paths, read_references
    from tunesmith.evaluation.mistakes import check_paths, check_reference_group

    for group in ctx.meta.get(GROUPS, []):
        check_reference_group(expand_paths(group))
    paths = expand_paths(words)
    check_paths(systems, paths)
    return read_references(paths)


def read_output(path: str, references: References) -> list[str]:
    """The lines of a system, as many as there are references."""
    from tunesmith.evaluation.mistakes import check_line_count
    from tunesmith.io import display_name, read_lines

    lines = read_lines(path)
    check_line_count(display_name(path), lines, references)
    return lines


def metric_signature(metric: Metric, prepared: Prepared | None) -> Signature:
    """Scores computed elsewhere have no references that we know of."""
    from tunesmith.signature import Signature

    return metric.signature(prepared) if prepared is not None else Signature(metric.label, metric.settings())


def given_rows(metric: Metric, path: str, expected: int) -> Floats:
    """Statistics of the metric `precomputed`."""
    from tunesmith.metrics import Precomputed, read_scores

    assert isinstance(metric, Precomputed)
    return metric.statistics(read_scores(path, expected=expected))


def say(notes: Iterable[str], *, quiet: bool) -> None:
    """Remarks to the user, on stderr."""
    if not quiet:
        for note in notes:
            print(f"tunesmith: note: {note}", file=sys.stderr)
