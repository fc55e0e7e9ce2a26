"""Table 1 of Liu et al. (2013): its rows, and those that tell what its method really does."""

from __future__ import annotations

from collections.abc import Iterable

from tunesmith.errors import ConfigError
from tunesmith.experiments.liu2013.row import LeftOut, Published, Row

# The strength of the penalty as λ2·d. The published constants, λ2 = 3e-8 and d = 500 K, are 0.015.
_STRENGTHS = ("0.015", "0.0015", "0.15")
_L2D = tuple(f"l2d={value}" for value in _STRENGTHS)

_STRENGTH = tuple(f"strength={value}" for value in ("0.001", "0.0001", "0.01"))
_STEP_CAPS = ("step_cap=0.01", "step_cap=0.001", "step_cap=0.1")

_MIRA = "mira-dev-default"  # groups that MIRA tunes start from what it gave to the default features

_SHARED = ("lexical_alignment", "target_unaligned:top=0")  # words that rules translate, and those that they add
_LEARNT = (*_SHARED, "source_triggers")  # and words that others in the sentence bring along
_PARTS = ("support=3", "grouping.loss.keep=20", "grouping.optimizer.iterations=60")  # there are many sentences

ROWS = (
    Row("mert-dev-default", "paper", "MERT", "dev", "default", recipe="mert",
        published=Published(8, 8, 45.7, 40.6, 15)),
    Row("pro-dev-default", "paper", "PRO", "dev", "default", recipe="pro", plain=True,
        published=Published(8, 8, 46.3, 41.1, 34)),
    Row("pro-train-default", "paper", "PRO", "train", "default", recipe="pro", plain=True,
        published=Published(8, 8, 42.8, 36.8, 834)),
    Row("pro-dev-id", "paper", "PRO", "dev", "+id", recipe="pro", plain=True,
        published=Published(11081, 4534, 45.5, 40.2, 47)),
    Row("l1-train-id", "paper", "L1", "train", "+id", recipe="l1", sweep=_STRENGTH,
        published=Published(584, 71, 42.7, 36.9, 975)),
    Row("l1-dev-id", "paper", "L1", "dev", "+id", recipe="l1", sweep=_STRENGTH,
        published=Published(443, 248, 46.2, 41.0, 39)),
    Row("oscar", "paper", "OSCAR", "–", "+group", "oscar", "oscar", sweep=_L2D,
        published=Published(503, 425, 46.9, 41.8, 1256)),
    Row("pro-safe-dev-default", "baseline", "PRO, guarded", "dev", "default", recipe="pro",
        sweep=("strength=1e-4", "strength=1e-3", "strength=1e-5")),
    Row("mira-dev-default", "baseline", "MIRA", "dev", "default", recipe="mira",
        sweep=_STEP_CAPS),
    Row("mira-dev-id", "baseline", "MIRA", "dev", "+id", recipe="mira", sweep=_STEP_CAPS),
    Row("mira-dev-all", "baseline", "MIRA", "dev", "+all", recipe="mira", sweep=_STEP_CAPS, grouped=_LEARNT),
    Row("oscar-seeds", "ablation", "OSCAR, other seeds", "–", "+group", "groups", "oscar", chance=True),
    Row("tie-groups", "ablation", "λ2 = 0: L1 and its ties", "–", "+group", "groups", "oscar",
        settings=("l2d=0",), sweep=tuple(f"l1={value}" for value in _STRENGTHS)),
    Row("average", "ablation", "averaged iterate", "–", "+group", "groups", "oscar",
        settings=("iterate=average",), sweep=_L2D),
    Row("batch", "ablation", "batch minimiser", "–", "+group", "groups", "oscar",
        grouping="batch", sweep=_L2D),
    Row("no-groups", "ablation", "no groups, tuned as long", "–", "default", "groups", "oscar",
        grouping="none"),
    Row("clusters", "ablation", "k-means, as many", "–", "+group", "groups", "oscar",
        grouping="clusters"),
    Row("random", "ablation", "random groups of these sizes", "–", "+group", "groups", "oscar",
        settings=("partition=random",), chance=True),
    Row("oscar-leave-one-out", "ablation", "OSCAR, leave-one-out", "–", "+group", "oscar", "oscar",
        sweep=_L2D, left_out="pair"),
    Row("grouped", "ablation", "corrected: ranks of a batch fit", "–", "+group", "oscar", "grouped",
        sweep=("bins=5", "bins=20", "bins=100"), left_out="pair"),
    Row("grouped-random", "ablation", "corrected, random groups", "–", "+group", "groups", "grouped",
        settings=("partition=random",), chance=True, left_out="pair"),
    Row("grouped-mira", "ablation", "corrected, MIRA on dev", "–", "+group", "groups", "grouped-mira",
        sweep=("bins=5", "bins=20", "bins=100"), start=_MIRA, left_out="pair"),
    Row("grouped-mira-random", "ablation", "MIRA, random groups", "–", "+group", "groups", "grouped-mira",
        settings=("partition=random",), start=_MIRA, chance=True, left_out="pair"),
    Row("parts-mira", "ablation", "corrected, parts left out", "–", "+group", "once", "grouped-mira",
        settings=_PARTS, sweep=("bins=5", "bins=20", "bins=100"), start=_MIRA, left_out="part",
        shared=_SHARED),
    Row("parts-mira-random", "ablation", "parts, random groups", "–", "+group", "groups", "grouped-mira",
        settings=(*_PARTS, "partition=random"), start=_MIRA, chance=True, left_out="part",
        shared=_SHARED),
    Row("shares-mira", "ablation", "learnt shares (ours)", "–", "+group", "once", "shares",
        sweep=_STEP_CAPS, start=_MIRA, left_out="cross", grouped=_LEARNT, rounds=3),
    Row("shares-mira-random", "ablation", "learnt shares, shuffled", "–", "+group", "groups", "shares",
        settings=("partition=random",), start=_MIRA, chance=True, left_out="cross", grouped=_LEARNT),
    Row("counts-mira", "ablation", "MIRA, groups by count", "–", "+group", "groups", "grouped-mira",
        grouping="counts", start=_MIRA),
    Row("no-groups-mira", "ablation", "MIRA, no groups, as long", "–", "default", "groups", "grouped-mira",
        grouping="none", start=_MIRA),
)  # fmt: skip
START = "pro-dev-default"
"""Row whose weights are the start of grouping."""
SEEDS = "oscar-seeds"
"""The same groups learnt with several seeds."""
LISTS: dict[LeftOut, str] = {
    "": "oscar",
    "pair": "oscar-leave-one-out",
    "part": "parts-mira",
    "cross": "shares-mira",
}
"""Whose decodings of the training data are shared, by what is left out in them."""


def chosen_rows(names: Iterable[str] = ()) -> list[Row]:
    wanted = list(names)
    known = [row.name for row in ROWS]
    for name in wanted:
        if name not in known:
            raise ConfigError(f"no row is called {name!r}; there are {', '.join(known)}")
    return [row for row in ROWS if not wanted or row.name in wanted]
