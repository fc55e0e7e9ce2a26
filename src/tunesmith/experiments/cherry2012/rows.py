"""The comparison of Cherry and Foster (2012): tuners × feature sets, and their Figure 1, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tunesmith.errors import ConfigError

START = "cherry2012"
"""Start weights: 1 for translation scores and language model, 0 for the rest (section 4.2)."""

FEATURES: Mapping[str, Mapping[str, str]] = {
    "hiero": {"default": "default", "big": "default,big", "overfit": "default,overfit"},
    "phrase": {"small": "small", "medium": "medium", "big": "medium,big", "overfit": "medium,overfit"},
}
"""Templates by kind of model and feature set. Theirs are Small, Medium and Big of a phrase-based system. Our
default for hierarchical models has what Small has, with penalties of rules instead of distortion; big adds their
sparse features; overfit is that of Figure 1."""

ONE_TABLE = ("small",)
"""Feature sets of phrase-based models with one translation table and one language model; others have two."""

BASELINE: Mapping[str, Mapping[str, str]] = {
    "hiero": {"default": "kb-mert-default", "big": "kb-mert-default"},
    "phrase": {"small": "kb-mert-small", "medium": "kb-mert-medium", "big": "kb-mert-medium"},
}
"""What rows with a feature set are compared with: k-best MERT, that of Medium for Big (section 5)."""


@dataclass(frozen=True)
class TunerKind:
    """A tuner of the comparison.

    label: as in the paper.   repeated: tuned on sub-samples of dev too, unless users say otherwise.
    dense_only: not for thousands of features (n/a in the paper).   ours: a tuner that the paper does not have.
    """

    label: str
    recipe: str
    plain: bool = False
    repeated: bool = False
    dense_only: bool = False
    ours: bool = False


TUNERS = (
    TunerKind("kb-mert", "mert", repeated=True, dense_only=True),
    TunerKind("lb-mert", "lattice-mert", repeated=True, dense_only=True),
    TunerKind("mira", "mixed-mira", repeated=True),
    TunerKind("kb-mira", "mira", repeated=True),
    TunerKind("lb-mira", "lattice-mira", repeated=True),
    TunerKind("pro", "pro"),
    TunerKind("mr", "risk"),
    TunerKind("svm", "svm"),
    TunerKind("pro-plain", "pro", plain=True, ours=True),
    TunerKind("mr-plain", "risk", plain=True, ours=True),
    TunerKind("ramp", "ramp", ours=True),
)
PAIRS = (("lb-mert", "kb-mert"), ("lb-mira", "kb-mira"))
"""A tuner on lattices, and the same on lists."""


@dataclass(frozen=True)
class TunerRow:
    """A tuner with a feature set.

    sweep: values of a setting that are all tried, for the figure; without any the row is one of the table, tuned
    with the recipe as it is.   repeated, ours: see `TunerKind`.
    """

    tuner: str
    features: str
    recipe: str
    plain: bool = False
    setting: str = ""
    sweep: tuple[str, ...] = ()
    repeated: bool = False
    ours: bool = False

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


_CAPS = ("1", "0.3", "0.1", "0.03", "0.01", "0.003", "0.001")
_STRENGTHS = ("1e-4", "3e-4", "1e-3", "3e-3", "1e-2", "3e-2", "1e-1")
_SVM_STRENGTHS = ("1e-3", "3e-3", "1e-2", "3e-2", "1e-1", "3e-1", "1")
_FIGURE = (
    TunerRow("lb-mira", "overfit", "lattice-mira", setting="step_cap", sweep=_CAPS),
    TunerRow("mr", "overfit", "risk", setting="strength", sweep=_STRENGTHS),
    TunerRow("svm", "overfit", "svm", setting="strength", sweep=_SVM_STRENGTHS),
    TunerRow("kb-mira", "overfit", "mira", setting="step_cap", sweep=_CAPS, ours=True),
    TunerRow("pro", "overfit", "pro", setting="strength", sweep=_STRENGTHS, ours=True),
)
"""Four powers of ten each, as in the paper, and values between them; the default of the recipe is among them. The
paper has three of the rows."""


def _rows(*sets: str) -> tuple[TunerRow, ...]:
    """Return each tuner with each feature set; the last set, of thousands of features, is not for MERT."""
    table = tuple(
        TunerRow(tuner.label, features, tuner.recipe, tuner.plain, repeated=tuner.repeated, ours=tuner.ours)
        for tuner in TUNERS
        for features in (sets[:-1] if tuner.dense_only else sets)
    )
    return table + _FIGURE


ROWS: Mapping[str, tuple[TunerRow, ...]] = {
    "hiero": _rows("default", "big"),
    "phrase": _rows("small", "medium", "big"),
}
"""Rows by kind of model."""


def chosen_rows(
    names: Iterable[str] = (), kind: str = "hiero", *, tuners: Sequence[str] = (), sizes: Sequence[str] = ()
) -> list[TunerRow]:
    """Return rows with these names, tuners and feature sets, in the order of the table; by default the paper's.

    Rows that the paper does not have are chosen by their name or tuner.
    """
    wanted, rows = list(names), ROWS[kind]
    _check(wanted, [row.name for row in rows], "row")
    _check(tuners, list(dict.fromkeys(row.tuner for row in rows)), "tuner")
    _check(sizes, list(FEATURES[kind]), "feature set")
    chosen = [
        row
        for row in rows
        if (row.name in wanted if wanted else tuners or not row.ours)
        and (not tuners or row.tuner in tuners)
        and (not sizes or row.features in sizes)
    ]
    if not chosen:
        raise ConfigError("no row has this tuner and this feature set; see --list")
    return chosen


def _check(wanted: Iterable[str], known: Sequence[str], what: str) -> None:
    for name in wanted:
        if name not in known:
            raise ConfigError(f"no {what} is called {name!r}; there are {', '.join(known)}")
