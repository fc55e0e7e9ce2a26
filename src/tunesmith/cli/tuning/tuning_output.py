"""What `tunesmith tune` prints at the end of a run, and the report it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tunesmith.cli import options
from tunesmith.cli.console import note, remark, warn
from tunesmith.cli.printing import put_json, say
from tunesmith.errors import TunesmithError
from tunesmith.tuning.loop.safeguards import length_advice

if TYPE_CHECKING:
    from tunesmith.tuning import Tuner
    from tunesmith.tuning.pools.heldout import Judged


def write_report(output: Path, state: str | None = None) -> str | None:
    """Write the page of the run as it stands into its directory; a run is complete without one too."""
    from tunesmith.evaluation.run_report import write_run_report

    try:
        return write_run_report(output, state)
    except (TunesmithError, OSError) as error:
        remark(f"there is no report: {error}")
        return None


def print_run(
    tuner: Tuner,
    output: Path,
    judged: Sequence[Judged],
    report: str | None,
    output_format: options.Format,
    digits: int,
    *,
    quiet: bool,
) -> None:
    """Print the best score and those of other data; where weights and report are goes to stderr."""
    for each in judged:
        if each.worse and each.data != "dev":
            warn(
                f"{each.data}: {each.metric} {each.score:.{digits}f} is worse than that of the start weights, "
                f"{each.start:.{digits}f}: the weights do not carry over. Are the lists made alike, and tuned on "
                "enough sentences? --cross-validate 5 shows what to expect of them"
            )
    if output_format is options.Format.json:
        others = {"judged": [asdict(each) for each in judged]} if judged else {}
        put_json({**document(tuner, output), **others}, indent=1)
        return
    best, first, last = tuner.history_.best, tuner.history_[0], tuner.history_[-1]
    assert best is not None
    if best.round == 0:
        note("no round is better than the start weights, which are kept", quiet=quiet)
        if not tuner.weights_.array.any():
            note("they are all 0, the first candidate of each list: rerank refuses them", quiet=quiet)
    if advice := length_advice(_brevity(tuner), (last if best.round == 0 else best).length_ratio):
        note(advice, quiet=quiet)
    page = "" if report is None else f", the report in {report}"
    note(f"{tuner.reason_}; the weights are in {output / 'weights.tsv'}{page}", quiet=quiet)
    compared = [f"start: {first.score:.{digits}f}"]
    if last.round not in (best.round, 0):
        compared.append(f"last round: {last.score:.{digits}f}")
    say(f"{tuner.metric.label} {best.score:.{digits}f} in round {best.round} ({', '.join(compared)})")
    for each in judged:
        say(f"{each.data}: {each.metric} {each.score:.{digits}f} (start: {each.start:.{digits}f})")


def _brevity(tuner: Tuner) -> float | None:
    """Return the setting of the loss by which references count as longer; None where it is of no effect."""
    loss = tuner.parts.loss
    if tuner.metric.bleu_smoothing is None or getattr(loss, "gain", "sentence") != "sentence":
        return None
    found: float | None = getattr(loss, "brevity", None)
    return found


def document(tuner: Tuner, output: Path) -> dict[str, Any]:
    best = tuner.history_.best
    assert best is not None
    return {
        "run": str(output),
        "weights": str(output / "weights.tsv"),
        "recipe": tuner.name,
        "metric": tuner.metric.label,
        "score": best.score,
        "start_score": tuner.history_[0].score,
        "best_round": best.round,
        "last_score": tuner.history_[-1].score,
        "reason": tuner.reason_,
        "rounds": [row.as_dict() for row in tuner.history_],
        "signature": tuner.signature_.as_dict(),
    }
