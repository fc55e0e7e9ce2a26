"""The comparison of Cherry and Foster (2012): tuners × feature sets, and their Figure 1, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tunesmith.errors import ConfigError
from tunesmith.tuning import recipes

START = "cherry2012"
"""Start weights: 1 for translation scores and language model, 0 for the rest (section 4.2)."""

FEATURES: Mapping[str, Mapping[str, str]] = {
    "hiero": {"default": "default", "big": "default,big", "overfit": "default,overfit"},
    "phrase": {"small": "small", "medium": "medium", "big": "medium,big", "overfit": "medium,overfit"},
}
"""Templates by kind of model and feature set. Theirs are Small, Medium and Big of a phrase-based system. Our
default for hierarchical models has what Small has, with penalties of rules instead of distortion; big adds their
sparse features; overfit is that of Figure 1."""


@dataclass(frozen=True)
class TunerRow:
    """A tuner with a feature set.

    sweep: values of a setting that are all tried, for the figure; without any the row is one of the table, tuned
    with the recipe as it is and repeated on sub-samples.
    """

    tuner: str
    features: str
    recipe: str
    plain: bool = False
    setting: str = ""
    sweep: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"figure-{self.tuner}" if self.sweep else f"{self.tuner}-{self.features}"

    @property
    def label(self) -> str:
        return f"{self.tuner} / {self.features}"

    @property
    def settings(self) -> tuple[tuple[str, ...], ...]:
        """The settings to run with; one without any for a row of the table."""
        return tuple((f"{self.setting}={value}",) for value in self.sweep) or ((),)


_FIGURE = (
    TunerRow("mira", "overfit", "mira", setting="step_cap", sweep=("1", "0.1", "0.01", "0.001")),
    TunerRow("pro", "overfit", "pro", setting="strength", sweep=("1e-4", "1e-3", "1e-2", "1e-1")),
    TunerRow("risk", "overfit", "risk", setting="strength", sweep=("1e-4", "1e-3", "1e-2", "1e-1")),
    TunerRow("svm", "overfit", "svm", setting="strength", sweep=("1e-3", "1e-2", "1e-1", "1")),
)
"""They try four powers of ten, the default of the recipe among them, as theirs do."""


def _rows(*sets: str) -> tuple[TunerRow, ...]:
    """Each tuner with each feature set; the last one, of thousands of features, is not for MERT (nor theirs)."""
    tuners = (("mert", "mert", False), ("mira", "mira", False), ("pro", "pro", False), ("pro-plain", "pro", True),
              ("risk", "risk", False), ("risk-plain", "risk", True), ("svm", "svm", False),
              ("ramp", "ramp", False))  # fmt: skip
    table = tuple(
        TunerRow(tuner, features, recipe, plain)
        for tuner, recipe, plain in tuners
        for features in (sets[:-1] if tuner == "mert" else sets)
    )
    return table + _FIGURE


ROWS: Mapping[str, tuple[TunerRow, ...]] = {
    "hiero": _rows("default", "big"),
    "phrase": _rows("small", "medium", "big"),
}
"""By kind of model."""


@dataclass(frozen=True)
class Published:
    """Tune, test and SD that the paper printed with a feature set."""

    tune: float
    test: float
    deviation: float


def _printed(*numbers: float) -> dict[str, Published]:
    """Small, Medium and Big; MERT has no Big."""
    sets = ("Small", "Medium", "Big")[: len(numbers) // 3]
    return {name: Published(*numbers[3 * at : 3 * at + 3]) for at, name in enumerate(sets)}


PUBLISHED: Mapping[str, Mapping[str, Mapping[str, Published]]] = {
    "fr-en": {  # Table 4
        "kb-mert": _printed(40.50, 39.94, 0.04, 40.75, 40.29, 0.13),
        "kb-mira": _printed(40.46, 39.97, 0.05, 40.92, 40.64, 0.12, 41.46, 40.75, 0.08),
        "pro": _printed(40.11, 40.05, 0.05, 40.16, 40.07, 0.08, 40.55, 40.21, 0.24),
        "mr": _printed(40.24, 39.88, 0.05, 40.70, 40.57, 0.14, 41.18, 40.60, 0.08),
        "svm": _printed(40.05, 40.20, 0.03, 40.60, 40.56, 0.08, 41.32, 40.52, 0.07),
    },
    "en-fr": {  # Table 5
        "kb-mert": _printed(40.47, 39.72, 0.06, 40.70, 40.02, 0.11),
        "kb-mira": _printed(40.44, 39.83, 0.02, 40.94, 40.35, 0.06, 41.48, 40.52, 0.06),
        "pro": _printed(40.17, 39.57, 0.15, 40.30, 40.01, 0.04, 40.75, 40.22, 0.17),
        "mr": _printed(40.31, 39.65, 0.04, 40.94, 40.30, 0.13, 41.45, 40.47, 0.10),
        "svm": _printed(39.99, 39.55, 0.03, 40.40, 39.96, 0.05, 41.00, 40.21, 0.03),
    },
    "zh-en": {  # Table 6
        "kb-mert": _printed(23.97, 29.65, 0.06, 25.74, 31.58, 0.42),
        "kb-mira": _printed(24.10, 29.51, 0.06, 26.28, 32.50, 0.12, 26.18, 32.61, 0.14),
        "pro": _printed(23.25, 28.74, 0.24, 25.80, 32.42, 0.20, 26.49, 32.18, 0.40),
        "mr": _printed(23.87, 29.55, 0.09, 26.26, 32.52, 0.12, 26.42, 32.79, 0.15),
        "svm": _printed(23.59, 28.91, 0.05, 26.26, 32.70, 0.05, 27.23, 33.04, 0.12),
    },
}
"""By language pair and tuner, as far as we have the tuner: those that learn from k-best lists."""


def chosen_rows(names: Iterable[str] = (), kind: str = "hiero") -> list[TunerRow]:
    """The rows with these names, all whose recipe there is without any, in the order of the table."""
    wanted = list(names)
    known = [row.name for row in ROWS[kind]]
    for name in wanted:
        if name not in known:
            raise ConfigError(f"no row is called {name!r}; there are {', '.join(known)}")
    there = recipes.recipes.names()
    return [row for row in ROWS[kind] if (row.name in wanted if wanted else row.recipe in there)]
