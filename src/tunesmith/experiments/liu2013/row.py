"""The rows of a table as data: method × tuning data × features × settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["tune", "oscar", "groups", "once"]
Part = Literal["paper", "baseline", "ablation"]
LeftOut = Literal["", "pair", "part", "cross"]
BY_PART: tuple[LeftOut, ...] = ("part", "cross")
"""Whole parts of the training data are left out."""


@dataclass(frozen=True)
class Published:
    """Published figures of a row."""

    active: int
    reused: int
    devtest: float
    test: float
    minutes: int


@dataclass(frozen=True)
class Row:
    """One row.

    name: for `--rows` and folders.   method, data, features: as the table prints them.
    kind: `tune` runs a recipe; `oscar` the whole of Algorithm 1, with a decoding of the training data of its own;
        `groups` groups the features once, on the lists of the training data that another run has left, and tunes
        the groups on dev; `once` is the same with lists of its own, of which there are as many as `oscar` decodes
        in all its rounds.
    rounds: of `once`, how often all that is decoded.
    shared: templates of features that rules share; what they learn counts for the groups of rules.
    grouped: templates of features that are grouped in addition to the rules.
    recipe, plain, settings: of the tuner.   sweep: values of a setting, `name=value`, chosen from on devtest.
    grouping: for `groups`, how they are made (see partitions.py), with settings of its own.
    start: the row whose weights grouping starts from; that of the experiment without it.
    chance: the row draws by chance and is repeated with several seeds.
    left_out: training sentences are decoded as if their own `pair`, or all of their `part`, had not been read;
        with `cross`, nor been learnt from.
    """

    name: str
    part: Part
    method: str
    data: str
    features: str
    kind: Kind = "tune"
    recipe: str = ""
    plain: bool = False
    settings: tuple[str, ...] = ()
    sweep: tuple[str, ...] = ()
    grouping: str = ""
    start: str = ""
    chance: bool = False
    left_out: LeftOut = ""
    shared: tuple[str, ...] = ()
    grouped: tuple[str, ...] = ()
    rounds: int = 1
    published: Published | None = None

    @property
    def label(self) -> str:
        return " / ".join(part for part in (self.method, self.data, self.features) if part != "–")

    @property
    def has_ids(self) -> bool:
        """Whether the model has a feature for each rule."""
        return self.features != "default" or self.kind == "groups"

    @property
    def templates(self) -> str:
        """The features of the model that is tuned."""
        return ",".join((self.weighted, *(self.shared if self.has_ids else ())))

    @property
    def weighted(self) -> str:
        """The features that have weights in the end."""
        return ",".join(("default", *(("id", *self.grouped) if self.has_ids else ())))

    def swept(self, count: int) -> tuple[tuple[str, ...], ...]:
        """Return the settings to try, the first of the sweep being the one to take if only one is tried."""
        return tuple((*self.settings, value) for value in self.sweep[:count]) or (self.settings,)
