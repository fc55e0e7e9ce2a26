"""The comparison of Green et al. (2014): feature sets, losses, selection of features and references, as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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
BASE, DENSE = "sparse", "dense"
"""Rows that others are compared with: the strongest baseline of the paper, and the weakest."""


@dataclass(frozen=True)
class FeatureRow:
    """One tuning.

    label, table: as in the paper.   features: presets and templates.   filtered: with the templates of FILT.
    settings, regularizer: of the recipe, where they differ.   references: number used in tuning, None for all.
    domains: with copies of features for each domain and in-domain indicators.
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

    def templates(self, more_than: int) -> str:
        """Return presets and templates; rules of lexicalised templates occur more often than this."""
        if not self.filtered:
            return self.features
        if more_than == MORE_THAN:
            return f"{self.features}-filtered"  # the preset
        return ",".join([self.features, *(f"{name}:more_than={more_than}" for name in LEXICAL)])


_EXTENDED = "dense-green,extended"
_CUT_OFFS = (2, 5, 10)
"""The paper does not print its threshold."""

ROWS = (
    FeatureRow("dense", "DENSE (D)", "4", "dense-green"),
    FeatureRow("sparse", "D+SPARSE", "4", "dense-green,sparse"),
    FeatureRow("ext", "D+EXT", "4", _EXTENDED),
    FeatureRow("ext-filt", "D+EXT+FILT", "4", _EXTENDED, filtered=True),
    FeatureRow("ext-filt-dom", "D+EXT+FILT+DOM", "4", _EXTENDED, filtered=True, domains=True),
    FeatureRow("pro", "D+EXT+FILT, PRO", "6a", _EXTENDED, "online-pro", filtered=True),
    *(
        FeatureRow(f"cutoff-{least}", f"D+EXT+FILT, {least} sentences", "6b", _EXTENDED, filtered=True,
                   settings=(f"min_sentences={least}",), regularizer="none")
        for least in _CUT_OFFS
    ),
    FeatureRow("batch", "D+EXT+FILT, batch MIRA", "6b", _EXTENDED, "mira", filtered=True),
    *(
        FeatureRow(f"batch-cutoff-{least}", f"D+EXT+FILT, batch MIRA, {least} sentences", "6b", _EXTENDED, "mira",
                   filtered=True, settings=(f"min_sentences={least}",))
        for least in _CUT_OFFS
    ),
    FeatureRow("dense-1ref", "DENSE, 1 reference", "6c", "dense-green", references=1),
    FeatureRow("ext-filt-1ref", "D+EXT+FILT, 1 reference", "6c", _EXTENDED, filtered=True, references=1),
)  # fmt: skip


def chosen_rows(names: Iterable[str] = ()) -> list[FeatureRow]:
    """Return the rows with these names, in the order of the tables; all without names."""
    wanted = list(names)
    known = [row.name for row in ROWS]
    for name in wanted:
        if name not in known:
            raise ConfigError(f"no row is called {name!r}; there are {', '.join(known)}")
    return [row for row in ROWS if not wanted or row.name in wanted]
