"""Options of lexicalised reordering: which orientations a phrase table distinguishes and how it counts them."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Any

from tunesmith.checks import at_least, finite, one_of
from tunesmith.errors import ConfigError

MODELS = ("word", "phrase", "hier")
ORIENTATIONS = {
    "msd": ("monotone", "swap", "discontinuous"),
    "msdn": ("monotone", "swap", "discontinuous", "non-monotone"),
    "mslr": ("monotone", "swap", "discontinuous-left", "discontinuous-right"),
    "monotonicity": ("monotone", "non-monotone"),
}
DIRECTIONS = {"bidirectional": ("previous", "next"), "backward": ("previous",), "forward": ("next",)}
_MOSES_MODELS = {"wbe": "word", "phrase": "phrase", "hier": "hier"}
_SHAPE = re.compile(
    rf"(?:(?P<model>{'|'.join(_MOSES_MODELS)})-)?(?P<orientations>{'|'.join(ORIENTATIONS)})"
    rf"(?:-(?P<direction>{'|'.join(DIRECTIONS)}))?(?:-(?P<given>fe|f))?(?:-(?P<scores>allff|collapseff))?"
)


@dataclass(frozen=True)
class ReorderingOptions:
    """Orientation of a phrase pair towards the previous and the next phrase of the translation.

    model: the neighbour: a `word` that is linked (Koehn et al. 2005), a `phrase` of the table (Tillmann 2004), or
        a block of phrases of any length (`hier`, Galley and Manning 2008). orientations: `msd`; `msdn`, with
        non-monotone in addition (the eight of Green et al. 2014, section 3.5); `mslr` (discontinuous to the left
        or to the right); or `monotonicity`. direction: `backward` for the previous phrase, `forward` for the next
        phrase, or `bidirectional`.
    smoothing: added to every count; 0.5 in Moses.
    """

    model: str = "word"
    orientations: str = "msd"
    direction: str = "bidirectional"
    smoothing: float = 0.5

    def __post_init__(self) -> None:
        one_of(MODELS, model=self.model)
        one_of(ORIENTATIONS, orientations=self.orientations)
        one_of(DIRECTIONS, direction=self.direction)
        at_least(0, smoothing=self.smoothing)
        finite(smoothing=self.smoothing)

    @classmethod
    def parse(cls, text: str, smoothing: float = 0.5) -> ReorderingOptions:
        """Parse Moses' name of a model, such as `wbe-msd-bidirectional-fe`; omitted parts take these values."""
        found = _SHAPE.fullmatch(text)
        if found is None or found["given"] == "f" or found["scores"] == "collapseff":
            raise ConfigError(
                f"reordering {text!r} is not understood; expected a name such as wbe-msd-bidirectional-fe: "
                f"{', '.join(_MOSES_MODELS)}, then {', '.join(ORIENTATIONS)}, then {', '.join(DIRECTIONS)}, then "
                "fe (probabilities of phrase pairs)"
            )
        return cls(
            _MOSES_MODELS[found["model"] or "wbe"],
            found["orientations"],
            found["direction"] or "bidirectional",
            smoothing,
        )

    @property
    def name(self) -> str:
        """Moses' name of the model; `parse` reads it."""
        model = next(name for name, ours in _MOSES_MODELS.items() if ours == self.model)
        return f"{model}-{self.orientations}-{self.direction}-fe"

    @property
    def columns(self) -> list[str]:
        """The names of the probabilities, in the order of Moses' tables: `previous-monotone`, `previous-swap`."""
        return [
            f"{side}-{name}" for side in DIRECTIONS[self.direction] for name in ORIENTATIONS[self.orientations]
        ]

    def native(self) -> Any:
        from tunesmith import _core

        native = _core.ReorderingOptions()
        native.model = getattr(_core.OrientationModel, self.model)
        native.orientations = getattr(_core.OrientationSet, self.orientations)
        native.previous = "previous" in DIRECTIONS[self.direction]
        native.next = "next" in DIRECTIONS[self.direction]
        native.smoothing = self.smoothing
        return native


def options_of_columns(columns: list[str], model: str) -> ReorderingOptions | None:
    """Return the options that give these columns, disregarding smoothing; None if there are none."""
    known = (ReorderingOptions(model, *shape) for shape in itertools.product(ORIENTATIONS, DIRECTIONS))
    return next((options for options in known if options.columns == columns), None)
