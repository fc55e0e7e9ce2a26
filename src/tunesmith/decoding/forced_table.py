"""A phrase table re-estimated from forced derivations of the training data (Wuebker et al. 2010)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tunesmith.checks import one_of
from tunesmith.corpus.bitext import Bitext
from tunesmith.decoding.forced import ForcedDerivations, ForcedOptions, Progress, force
from tunesmith.decoding.model import TranslationModel
from tunesmith.errors import ConfigError
from tunesmith.grammar import LeaveOneOutCounts, RuleTable
from tunesmith.grammar.recount import recount_rules
from tunesmith.grammar.storage import refuse_other_data
from tunesmith.io import StrPath
from tunesmith.io.digest import Digest
from tunesmith.io.paths import as_path
from tunesmith.weights import Weights

Unreached = Literal["extracted", "dropped"]
UNREACHED = ("extracted", "dropped")


@dataclass(frozen=True)
class ForcedTable:
    """The new table, and how many sentence pairs have a derivation."""

    table: RuleTable
    pairs: int
    reached: int

    @property
    def share(self) -> float:
        return self.reached / max(self.pairs, 1)


def force_rules(
    model: TranslationModel,
    bitext: Bitext,
    leave_one_out: LeaveOneOutCounts,
    output: StrPath,
    weights: Weights | None = None,
    *,
    options: ForcedOptions | None = None,
    unreached: Unreached = "extracted",
    threads: int = 1,
    progress: Progress | None = None,
) -> ForcedTable:
    """Decode the training data of a model towards their translations, and write a table of the phrase pairs used.

    Each sentence pair is decoded with leave-one-out. A phrase pair counts as often as it is used in the best
    derivations; p(e|f) and p(f|e) are relative frequencies of these counts.
    bitext: all of the training data, as tokens (`training_text`).
    leave_one_out: what its pairs gave to rules (`leave_one_out_counts_of`).
    unreached: what a sentence pair without a derivation counts. `extracted`: the phrase pairs extracted from it,
    with a common factor, so that they cover each source word once on average. `dropped`: nothing.
    """
    one_of(UNREACHED, unreached=unreached)
    options = options or ForcedOptions()
    refuse_other_data(as_path(output))
    if len(leave_one_out) != len(bitext):
        raise ConfigError(
            f"there are leave-one-out counts of {len(leave_one_out)} sentence pairs and {len(bitext)} are given; "
            "forced decoding needs all of the training data"
        )
    leave_one_out.check_target(bitext.target)
    found = force(
        model, bitext, weights, leave_one_out=leave_one_out, options=options, threads=threads, progress=progress
    )
    counts = derivation_counts(found, leave_one_out, bitext, unreached)
    settings: dict[str, Any] = {**options.settings(), "unreached": unreached, "weights": _digest(model, weights)}
    table = recount_rules(model.table, counts, leave_one_out.arrays["target_numbers"], output, settings)
    return ForcedTable(table, len(bitext), int(found.reached.sum()))


def derivation_counts(
    found: ForcedDerivations, leave_one_out: LeaveOneOutCounts, bitext: Bitext, unreached: Unreached = "extracted"
) -> NDArray[np.float64]:
    """Return how often each rule of the table is used, with what sentence pairs without a derivation count."""
    table = leave_one_out.table
    counts = np.bincount(found.rules, minlength=len(table)).astype(np.float64)
    if unreached == "dropped":
        return counts
    lengths = np.repeat(
        np.diff(table.offsets("source_offsets", 0, table.source_sides)),
        np.diff(table.offsets("source_rules", 0, table.source_sides)),
    )
    for pair in np.flatnonzero(~found.reached).tolist():
        extracted = leave_one_out.of(pair)
        rules = np.fromiter(extracted, np.int64, len(extracted))
        values = np.fromiter(extracted.values(), np.float64, len(extracted))
        covered = float(values @ lengths[rules])
        if covered > 0:
            counts[rules] += values * (len(bitext.source[pair].split()) / covered)
    return counts


def _digest(model: TranslationModel, weights: Weights | None) -> str:
    digest = Digest()
    for name, value in sorted((model.start_weights() if weights is None else weights).items()):
        digest.add(f"{name}\t{value!r}\n")
    return digest.hex(16)
