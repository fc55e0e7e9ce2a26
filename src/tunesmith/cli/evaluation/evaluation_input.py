"""What `evaluate`, `compare` and `references` read: outputs and references, with mix-ups found before any work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from tunesmith.cli.console import remark, warn
from tunesmith.cli.declaring import argument

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tunesmith.corpus.bitext import References
    from tunesmith.metrics import Metric, Prepared
    from tunesmith.metrics.base import Floats
    from tunesmith.signature import Signature

_FEW_LINES = 10
OutputToScore = Annotated[str | None, argument("FILE", "Output of a system; - or nothing is standard input.")]


def read_reference_files(ctx: Any, words: Sequence[str], systems: Sequence[str], *, quiet: bool) -> References:
    """Return references of `--refs`; a system among them, or a reference among the systems, is an error."""
    from tunesmith.jobs.texts import read_reference_files as read

    check_reference_groups(ctx)
    return read(words, systems, lambda text: remark(text, quiet=quiet))


def check_reference_groups(ctx: Any) -> None:
    """Refuse a system among the references that were typed together."""
    from tunesmith.cli.group import GROUPS
    from tunesmith.corpus.bitext import expand_paths
    from tunesmith.evaluation.mistakes import check_reference_group

    for group in ctx.meta.get(GROUPS, []):
        check_reference_group(expand_paths(group))


def read_output(path: str, references: References, *, quiet: bool) -> list[str]:
    """Return the lines of a system, as many as the references have; blank lines beyond are left out, aloud."""
    from tunesmith.evaluation.mistakes import check_line_count
    from tunesmith.io import display_name, read_lines

    lines, size = read_lines(path), len(references.sentences)
    if len(lines) > size and not any(line.strip() for line in lines[size:]):
        say([f"{display_name(path)}: {len(lines) - size} blank lines at the end left out"], quiet=quiet)
        del lines[size:]
    check_line_count(display_name(path), lines, references)
    return lines


def warn_of_low_score(
    metric: Metric, score: float, which: str, lines: Sequence[str], references: References
) -> None:
    """Warn of BLEU close to nothing where its cause can be seen; a few lines may have it by chance."""
    from tunesmith.metrics.low_scores import is_low, likely_cause

    if len(lines) >= _FEW_LINES and is_low(metric, score) and (cause := likely_cause(lines, references.sentences)):
        warn(f"{metric.label} is {score:.2f}{which}: {cause}")


def metric_signature(metric: Metric, prepared: Prepared | None) -> Signature:
    """Return the signature of a metric; scores computed elsewhere have no known references."""
    from tunesmith.signature import Signature

    return metric.signature(prepared) if prepared is not None else Signature(metric.label, metric.settings())


def given_rows(metric: Metric, path: str, expected: int) -> Floats:
    """Return statistics of the metric `precomputed`."""
    from tunesmith.metrics import Precomputed, read_scores

    assert isinstance(metric, Precomputed)
    return metric.statistics(read_scores(path, expected=expected))


def read_domains(path: str | None, sentences: int) -> dict[str, NDArray[np.int64]]:
    """Return the sentences of each domain by the labels in a file, domains by name; none without a file."""
    from tunesmith.corpus.text_files import read_labels
    from tunesmith.evaluation.domains import sentences_of

    return {} if path is None else sentences_of(read_labels(path, sentences, "the references"))


def say(notes: Iterable[str], *, quiet: bool) -> None:
    for text in notes:
        remark(text, quiet=quiet)
