"""Features that are fixed, bounded, or have their own penalty, by name."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.features.index import FeatureIndex
from tunesmith.tuning.feature_names import matching

Floats = NDArray[np.float64]

_FORMS = {  # what a user writes, and examples of it
    "bound": (re.compile(r"(.+?)\s*(>=|<=)\s*([^<>=]+)"), "lm>=0 or id:*<=1"),
    "penalty": (re.compile(r"(.+?)\s*(=)\s*([^<>=]+)"), "id:*=2 or lm=0"),
}


@dataclass(frozen=True)
class Constraints:
    """What weights may not do, as a user writes it.

    Names are whole (`lm`) or patterns (`id:*`); of several that fit the last one counts.

    fixed: features that keep their start weight, such as `lm`.
    bounds: such as `lm>=0` or `id:*<=1`.
    penalties: factors of the regularizer's strength, such as `id:*=2`, or `lm=0` for none.
    """

    fixed: tuple[str, ...] = ()
    bounds: tuple[str, ...] = ()
    penalties: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for text in self.bounds:
            _parse("bound", text)
        for text in self.penalties:
            if _parse("penalty", text)[2] < 0:
                raise ConfigError(f"penalty {text!r}: the factor must be at least 0")

    def resolve(self, features: FeatureIndex, start: Floats) -> Limits:
        """Return limits of the features that have a start weight; ConfigError where a pattern has no feature.

        There may be more features: the search gives numbers to those of a batch that is decoded ahead.
        """
        columns = len(start)
        lower, upper = np.full(len(start), -math.inf), np.full(len(start), math.inf)
        factors = np.ones(len(start))
        for text in self.bounds:
            name, relation, number = _parse("bound", text)
            (lower if relation == ">=" else upper)[_matching(name, features, columns)] = number
        for text in self.penalties:
            name, _, number = _parse("penalty", text)
            factors[_matching(name, features, columns)] = number
        if np.any(lower > upper):
            worst = int(np.argmax(lower > upper))
            raise ConfigError(
                f"no weight of {features.name(worst)} is between {lower[worst]:g} and {upper[worst]:g}"
            )
        for name in self.fixed:
            where = _matching(name, features, columns)
            lower[where] = upper[where] = start[where]
        return Limits(lower, upper, factors)


@dataclass(frozen=True, eq=False)
class Limits:
    """Bounds and penalty factors of all weights; a weight is fixed where both bounds are equal."""

    lower: Floats
    upper: Floats
    factors: Floats

    @classmethod
    def none(cls, columns: int) -> Limits:
        return cls(np.full(columns, -math.inf), np.full(columns, math.inf), np.ones(columns))

    @classmethod
    def penalising(cls, penalised: NDArray[np.bool_]) -> Limits:
        """Return limits where every weight is free, and only these have a penalty."""
        return replace(cls.none(len(penalised)), factors=penalised.astype(np.float64))

    def only(self, chosen: NDArray[np.bool_]) -> Limits:
        """Return the limits of these weights."""
        return Limits(self.lower[chosen], self.upper[chosen], self.factors[chosen])

    @cached_property
    def bounded(self) -> bool:
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    @property
    def fixed(self) -> NDArray[np.bool_]:
        return np.equal(self.lower, self.upper)

    def clip(self, w: Floats) -> Floats:
        """Return the nearest weights inside the bounds."""
        return np.clip(w, self.lower, self.upper) if self.bounded else w.copy()


def limits_of(
    constraints: Constraints | None, features: FeatureIndex, start: Floats, penalised: Sequence[str] = ()
) -> Limits:
    """Return the limits of these features.

    penalised: patterns of those that have a penalty; all without them.
    """
    limits = Limits.none(len(start)) if constraints is None else constraints.resolve(features, start)
    if not penalised:
        return limits
    wanted = np.zeros(len(start), dtype=bool)
    wanted[columns_named(features, len(start), penalised)] = True
    return replace(limits, factors=np.where(wanted, limits.factors, 0.0))


def columns_named(features: FeatureIndex, columns: int, patterns: Sequence[str]) -> NDArray[np.int64]:
    """Return the first `columns` features whose names fit one of the patterns, ascending; ConfigError for none."""
    found = matching(features, *patterns)
    found = found[found < columns]
    if not found.size:
        raise ConfigError(
            f"no feature is called {' '.join(patterns)!r}, so there is nothing to penalise. Rule identities "
            "(id:*) come with tunesmith train --features default,id; other sparse features are named by a "
            "pattern, such as --set 'penalised=word_pair:*'"
        )
    return found


def _parse(what: str, text: str) -> tuple[str, str, float]:
    """Parse name, relation and number of a bound or penalty."""
    form, examples = _FORMS[what]
    if match := form.fullmatch(text.strip()):
        with contextlib.suppress(ValueError):
            if math.isfinite(number := float(match[3])):
                return match[1], match[2], number
    raise ConfigError(f"{what} {text!r} cannot be read; write it like {examples}")


def _matching(pattern: str, features: FeatureIndex, columns: int) -> NDArray[np.int64]:
    """Return which of the first `columns` features a name or pattern stands for; ConfigError for no feature."""
    found = matching(features, pattern)
    if not found.size:
        raise ConfigError(f"no feature is called {pattern!r}; patterns such as id:* stand for many")
    return found[found < columns]
