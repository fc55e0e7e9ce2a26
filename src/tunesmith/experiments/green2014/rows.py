"""The comparison of Green et al. (2014): feature sets, losses, selection of features and references, as data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tunesmith.errors import ConfigError

START = "green2014"
"""Start weights: language model 0.5, word penalty -1, other dense features 0.2 (footnote 8)."""
KIND = "phrase"
REORDERING = "hier-msdn-bidirectional-fe"
"""Model of eight orientations (section 3.5)."""
MORE_THAN = 50
"""Rules of lexicalised templates occur more often than this (sections 3.1 and 3.5)."""
LEXICAL = ("lexical_rule", "lexical_alignment", "lexical_orientation")
"""Templates of FILT, and those that have copies for domains (section 4.1)."""
IN_DOMAIN = ("in_domain", "adjacent_in_domain")
"""Templates of section 4.2."""
SELECTED = 20
"""Sentence pairs of a domain for each in-domain sentence (section 5.1)."""
BASE, DENSE, RICH = "sparse", "dense", "ext-filt"
"""Rows that others are compared with: the strongest baseline of the paper, the weakest, and what it proposes."""
OTHER = "+"
"""Separates a row from another recipe for it, and that from its settings: `ext-filt+mira+c=0.1`."""
SHARES = "shares"
SHARES_ROUNDS = 3
"""Rounds in which shares are learnt. They begin with the weights of DENSE by batch MIRA."""


@dataclass(frozen=True)
class FeatureRow:
    """One tuning.

    label, table: as in the paper.   features: presets and templates.   filtered: with the templates of FILT.
    settings, regularizer: of the recipe, where they differ.   references: number used in tuning, None for all.
    domains: with copies of features for each domain and in-domain indicators.
    dense: the DENSE row that this one is compared with.   start: the row whose weights it begins with.
    """

    name: str
    label: str
    table: str
    features: str
    recipe: str = "expected-bleu"
    filtered: bool = False
    settings: tuple[str, ...] = ()
    regularizer: str | None = None
    references: int | None = None
    domains: bool = False
    dense: str = DENSE
    start: str = ""

    @property
    def has_sparse_features(self) -> bool:
        return self.features != _DENSE

    @property
    def is_dense(self) -> bool:
        """Whether it is DENSE with all references."""
        return not self.has_sparse_features and self.references is None

    @property
    def is_rich(self) -> bool:
        """Whether it is EXT+FILT for all domains, with all references."""
        return self.features == _EXTENDED and self.filtered and not self.domains and self.references is None

    @property
    def with_all_references(self) -> str:
        """Name of the same row with all references; its own where it has them."""
        return self.name if self.references is None else self.name.replace(_ONE_REFERENCE, "", 1)

    @property
    def learns_on_training_data(self) -> bool:
        return self.recipe == SHARES

    def tuned_by(self, recipe: str, settings: Sequence[str] = ()) -> FeatureRow:
        """Return the row with another recipe, to be compared with DENSE by the same one."""
        changed = OTHER.join(("", recipe, *settings))
        by_mira = recipe == SHARES or (recipe, *settings) == ("mira",)
        return replace(
            self,
            name=self.name + changed,
            label=f"{self.label}, {' '.join((recipe, *settings))}",
            table="",
            recipe=recipe,
            settings=tuple(settings),
            regularizer=None,
            dense=_DENSE_BY_MIRA if by_mira else DENSE + changed,
            start=_DENSE_BY_MIRA if recipe == SHARES else "",
        )

    def templates(self, more_than: int) -> str:
        """Return presets and templates; rules of lexicalised templates occur more often than this."""
        if not self.filtered:
            return self.features
        if more_than == MORE_THAN:
            return f"{self.features}-filtered"  # the preset
        return ",".join([self.features, *(f"{name}:more_than={more_than}" for name in LEXICAL)])


_DENSE, _DENSE_BY_MIRA = "dense-green", "dense-batch"
_EXTENDED = f"{_DENSE},extended"
_ONE_REFERENCE = "-1ref"
_CUT_OFFS = (2, 5, 10)
"""The paper does not print its threshold."""

ROWS = (
    FeatureRow("dense", "DENSE (D)", "4", _DENSE),
    FeatureRow("sparse", "D+SPARSE", "4", f"{_DENSE},sparse"),
    FeatureRow("ext", "D+EXT", "4", _EXTENDED),
    FeatureRow("ext-filt", "D+EXT+FILT", "4", _EXTENDED, filtered=True),
    FeatureRow("ext-filt-dom", "D+EXT+FILT+DOM", "4", _EXTENDED, filtered=True, domains=True),
    FeatureRow("pro", "D+EXT+FILT, PRO", "6a", _EXTENDED, "online-pro", filtered=True),
    *(
        FeatureRow(f"cutoff-{least}", f"D+EXT+FILT, {least} sentences", "6b", _EXTENDED, filtered=True,
                   settings=(f"min_sentences={least}",), regularizer="none")
        for least in _CUT_OFFS
    ),
    FeatureRow(_DENSE_BY_MIRA, "DENSE, batch MIRA", "6b", _DENSE, "mira"),
    FeatureRow("batch", "D+EXT+FILT, batch MIRA", "6b", _EXTENDED, "mira", filtered=True, dense=_DENSE_BY_MIRA),
    *(
        FeatureRow(f"batch-cutoff-{least}", f"D+EXT+FILT, batch MIRA, {least} sentences", "6b", _EXTENDED, "mira",
                   filtered=True, settings=(f"min_sentences={least}",), dense=_DENSE_BY_MIRA)
        for least in _CUT_OFFS
    ),
    FeatureRow("dense-1ref", "DENSE, 1 reference", "6c", _DENSE, references=1),
    FeatureRow("ext-filt-1ref", "D+EXT+FILT, 1 reference", "6c", _EXTENDED, filtered=True, references=1),
)  # fmt: skip


def chosen_rows(names: Iterable[str] = ()) -> list[FeatureRow]:
    """Return the rows with these names, in the order of the tables, then those with other recipes.

    Without names: all of the tables.
    `ext-filt+mira` is the row `ext-filt` tuned by `mira`, `ext-filt+expected-bleu+l1=0.01` one with a setting.
    """
    wanted = list(dict.fromkeys(names))
    known = [row.name for row in ROWS]
    others = []
    for name in wanted:
        row, *changed = name.split(OTHER)
        if row not in known:
            raise ConfigError(
                f"no row is called {row!r}; there are {', '.join(known)}, "
                f"and each of them with another recipe, such as {RICH}{OTHER}mira"
            )
        if changed:
            others.append(_of(row).tuned_by(changed[0], changed[1:]))
        if others and others[-1].domains and others[-1].learns_on_training_data:
            raise ConfigError(
                f"{name}: {SHARES} decodes training pairs, which may be of several domains, so none is "
                f"known to translate them with; take {RICH}{OTHER}{SHARES}"
            )
    return [row for row in ROWS if not wanted or row.name in wanted] + others


def _of(name: str) -> FeatureRow:
    return next(row for row in ROWS if row.name == name)
