"""No run ends well with dead weights.

Data that cannot be tuned on is named before it is used, weights that cannot be used before they are kept. Checks
raise FormatError where continuing is of no use, and return notes, by kind, on what a user should know.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunesmith.errors import FormatError
from tunesmith.features.index import FeatureIndex
from tunesmith.tuning.loop.history import History
from tunesmith.tuning.messages import feature_names, sentence_numbers
from tunesmith.tuning.pools.base import Floats

LENGTH_RATIOS = (0.8, 1.25)
"""Outside of these the output is named too short or too long."""
FALLING_ROUNDS = 3
"""A run whose lengths are off stops when its score has fallen for this number of rounds as well."""
DRIFT, DRIFT_ROUNDS = 0.05, 3
"""Output whose length has moved by more than this share, in one direction for this number of rounds, is named."""
SETTLED_LENGTHS = (0.97, 1.03)
"""Outside of these the setting of the loss that moves lengths is named."""
_DATA = {"dev": "development", "train": "training"}


def check_references(references: Sequence[Sequence[str]], data: str = "dev") -> dict[str, str]:
    """Raise FormatError where no reference has a word; return notes on sentences without one."""
    missing = [at for at, each in enumerate(references) if not any(text.strip() for text in each)]
    if not references or len(missing) == len(references):
        raise FormatError(
            f"every reference of the {_DATA.get(data, data)} data is empty; without references there is nothing "
            "to tune towards"
        )
    if missing:
        where = "" if data == "dev" else f" of the {_DATA.get(data, data)} data"
        text = f"{sentence_numbers(missing)}{where} without a word in any reference; nothing can match there"
        return {f"empty references {data}": text}
    return {}


def check_weights(weights: Floats, features: FeatureIndex, regularizer: object = None) -> None:
    """Raise FormatError for weights that are not numbers, or all zero."""
    if not np.isfinite(weights).all():
        bad = np.flatnonzero(~np.isfinite(weights))
        raise FormatError(
            f"the optimizer gave weights that are not numbers: {feature_names(features, bad)}. Feature values "
            "that are very large, or a step that is too long, do so; the best weights so far are kept"
        )
    if not weights.any():
        cause = ""
        if regularizer is not None:
            cause = f": the penalty {regularizer} is too strong for this loss. Make it weaker"
        raise FormatError(f"all weights are zero{cause}; the best weights so far are kept")


def length_warning(ratio: float | None) -> str | None:
    """Return a warning about an unusual length ratio, or None."""
    low, high = LENGTH_RATIOS
    if ratio is None or low <= ratio <= high:
        return None
    what = "short" if ratio < low else "long"
    return f"the output is too {what}: its length is {ratio:.2f} of the references' ({low} to {high} is usual)"


def length_drift(history: History) -> str | None:
    """Return a warning about output that has become shorter, or longer, round by round, or None.

    Said once: in the first round in which it is beyond DRIFT of the length of the start and has not moved back for
    DRIFT_ROUNDS, in which it moved more than once.
    """
    ratios = [row.length_ratio for row in history]
    known = [ratio for ratio in ratios if ratio is not None]
    if len(known) < len(ratios) or not known or not known[0]:
        return None
    for sign, what in ((-1, "shorter"), (1, "longer")):
        drifting = [_drifts(known[: at + 1], sign) for at in range(len(known))]
        if drifting[-1] and not any(drifting[:-1]):
            return (
                f"the output becomes {what} from round to round, by {abs(100 * (known[-1] / known[0] - 1)):.0f} % "
                f"since the start: its length is {known[-1]:.3f} of the references'. Read some of it before you "
                "trust the score"
            )
    return None


def length_advice(brevity: float | None, ratio: float | None) -> str | None:
    """Return which way `brevity` of a loss should go for output of this length ratio, or None."""
    low, high = SETTLED_LENGTHS
    if brevity is None or ratio is None or low <= ratio <= high or (ratio > high and brevity == 0):
        return None
    short = ratio < low
    return (
        f"the tuned output has {ratio:.3f} of the references' length. The loss compares sentence by sentence, "
        f"which {'forgives short' if short else 'rewards long'} output here: a "
        f"{'larger' if short else 'smaller'} brevity than {brevity:g} may gain"
    )


def _drifts(ratios: Sequence[float], sign: int) -> bool:
    steps = sign * np.diff(ratios[-DRIFT_ROUNDS - 1 :])
    moved = sign * (ratios[-1] / ratios[0] - 1)
    return bool(len(steps) == DRIFT_ROUNDS and moved > DRIFT and np.all(steps >= 0) and np.sum(steps > 0) > 1)


def hopeless(history: History) -> str | None:
    """Return why a run should end, or None: lengths are unusual and the score has been falling."""
    if not len(history) or history.falling() < FALLING_ROUNDS:
        return None
    warning = length_warning(history[-1].length_ratio)
    return None if warning is None else f"{warning}, and the score has fallen for {FALLING_ROUNDS} rounds"
