"""The comparison of Watanabe et al. (2007) as data: features, tokens, margins, searches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tunesmith.errors import ConfigError

DENSE = "default,backtrack,insertion_penalty,deletion_penalty"
"""The numeric features of section 3.1; the default set has translation scores, word and rule penalty."""

DOCUMENT = 50
"""Lines of a document: the corpora have none of their own."""

STRUCTURES = ("link_pairs", "link_bigrams", "target_bigrams", "insertion", "parent_child")
"""Sparse templates in the order of Table 2."""

ALL_TOKENS = "surface/class/prefix/suffix/digits"
SEARCHES = ("left-to-right", "hiero")
SHARES = "shares"


@dataclass(frozen=True)
class Row:
    """A tuning.

    tables: in which it stands, as the paper numbers them; 0 is none of its.
    structures, tokens: sparse features and the forms they are made of; none for a dense row.
    oracles, rivals: m and k of online MIRA.   gain: BLEU of the document or of the sentence.
    folds: tuned on one half of all evaluation data and judged on the other, in turn (Table 4).
    rounds: epochs, None for those of the experiment.
    start: the row whose weights it begins with.
    """

    name: str
    label: str
    tables: tuple[int, ...]
    recipe: str = "online-mira"
    structures: tuple[str, ...] = STRUCTURES
    tokens: str = ALL_TOKENS
    oracles: int = 10
    rivals: int = 10
    gain: str = "document"
    search: str = "left-to-right"
    folds: bool = False
    rounds: int | None = None
    start: str = ""
    by_default: bool = True

    @property
    def features(self) -> str:
        return ",".join([DENSE, *(f"{name}:tokens={self.tokens}" for name in self.structures)])

    @property
    def online(self) -> bool:
        return self.recipe == "online-mira"

    @property
    def learns_on_training_data(self) -> bool:
        return self.recipe == SHARES

    @property
    def grouped(self) -> tuple[str, ...]:
        """Features whose shares are learnt on training data."""
        return tuple(f"{name}:*" for name in self.structures) if self.learns_on_training_data else ()

    @property
    def settings(self) -> tuple[str, ...]:
        """Settings of the recipe."""
        if not self.online:
            return ()
        return (f"oracles={self.oracles}", f"rivals={self.rivals}", f"gain={self.gain}", f"document={DOCUMENT}")


def _dense(name: str, label: str, recipe: str, **more: object) -> Row:
    return replace(Row(name, label, (3,), recipe, structures=()), **more)  # type: ignore[arg-type]


ROWS = (
    _dense("mert", "baseline (MERT)", "mert"),
    _dense("mira", "batch MIRA, dense", "mira", tables=(0,)),
    _dense("online-dense", "online MIRA, dense", "online-mira", tables=(0,)),
    Row("surface", "surface form", (1,), tokens="surface"),
    Row("prefix-suffix", "w/ prefix/suffix", (1,), tokens="surface/prefix/suffix"),
    Row("class", "w/ word class", (1,), tokens="surface/class"),
    Row("digits", "w/ digits", (1,), tokens="surface/digits"),
    Row("all", "all token types; 10-oracle 10-best", (1, 2, 3)),
    Row("word-pairs", "word pairs", (2,), structures=STRUCTURES[:2]),
    Row("target-bigram", "+ target bigram", (2,), structures=STRUCTURES[:3]),
    Row("insertion", "+ insertion", (2,), structures=STRUCTURES[:4]),
    Row("1-oracle-1-best", "1-oracle 1-best", (3,), oracles=1, rivals=1),
    Row("1-oracle-10-best", "1-oracle 10-best", (3,), oracles=1),
    Row("10-oracle-1-best", "10-oracle 1-best", (3,), rivals=1),
    Row("sentence-bleu", "sentence-BLEU", (3,), gain="sentence"),
    Row("batch-mira", "batch MIRA, surface form", (0,), "mira", tokens="surface"),
    Row(
        "shares",
        "shares learnt on training data, surface form",
        (0,),
        SHARES,
        tokens="surface",
        rounds=3,
        start="mira",
    ),
    _dense("hiero-mert", "search by spans, MERT", "mert", tables=(0,), search="hiero"),
    _dense("hiero-mira", "search by spans, batch MIRA", "mira", tables=(0,), search="hiero"),
    Row("hiero-all", "search by spans, all features", (0,), search="hiero"),
    Row(
        "hiero-shares",
        "search by spans, shares",
        (0,),
        SHARES,
        tokens="surface",
        search="hiero",
        rounds=3,
        start="hiero-mira",
    ),
    Row("all-50", "all token types, 50 iterations", (0,), rounds=50, by_default=False),
    _dense("folds-mert", "baseline (MERT)", "mert", tables=(4,), folds=True),
    Row("folds-online", "online", (4,), folds=True),
)
"""Rows in the order in which they are run: the one look at test, Table 4, is last."""

BASELINE = {"left-to-right": "mert", "hiero": "hiero-mert"}
"""What rows are compared with, by search."""


def row_of(name: str) -> Row:
    return next(row for row in ROWS if row.name == name)


def chosen_rows(names: Iterable[str] = (), tables: Sequence[int] = ()) -> list[Row]:
    """Return the rows with these names, or of these tables; without any, all but those of many epochs."""
    wanted, known = list(names), [row.name for row in ROWS]
    for name in wanted:
        if name not in known:
            raise ConfigError(f"no row is called {name!r}; there are {', '.join(known)}")
    if wanted:
        return [row for row in ROWS if row.name in wanted]
    return [row for row in ROWS if row.by_default and (not tables or set(tables) & set(row.tables))]
