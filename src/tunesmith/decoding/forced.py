"""Forced decoding: the best phrase-based derivation of a given translation (Wuebker et al. 2010)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import finite, given, within
from tunesmith.corpus.bitext import Bitext
from tunesmith.decoding.model import TranslationModel
from tunesmith.decoding.options import StackOptions
from tunesmith.errors import ConfigError
from tunesmith.grammar import LeaveOneOutCounts
from tunesmith.grammar.storage import CORE_ARRAYS
from tunesmith.weights import Weights

RELATIVE = ("p(e|f)", "p(f|e)")
"""Scores of a phrase table that leave-one-out changes."""
OWN = -5.0
"""Wuebker et al. (2010, section 4.2): the logarithm of their β."""
_PAIRS = 2000  # decoded together; in between we can be interrupted
_FAR = 255  # what phrase-based search takes for no limit

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ForcedOptions:
    """Settings of forced decoding.

    beam: hypotheses kept of those that have produced the same number of target words.
    own: with leave-one-out, the logarithm of p(e|f) and p(f|e) of a phrase pair that only its own sentence pair
    has, per word of both sides (length-based leave-one-out); None does not use such phrase pairs.
    """

    beam: int = 1000
    own: float | None = OWN

    def __post_init__(self) -> None:
        within(1, 2**31 - 1, beam=self.beam)
        finite(**given(own=self.own))
        within(-1000, 0, **given(own=self.own))

    def settings(self) -> dict[str, Any]:
        return {"beam": self.beam, "own": self.own}


class ForcedDerivations(NamedTuple):
    """The best derivation of each sentence pair.

    Pair i has the phrase pairs from `offsets[i]` to `offsets[i + 1]`, in the order of the translation: numbers of
    rules, and the source words [begin, end) that each covers. It has none where the model cannot produce the
    target sentence, and its score is 0 then.
    """

    offsets: NDArray[np.int64]
    rules: NDArray[np.uint32]
    begins: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    scores: NDArray[np.float64]

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Which sentence pairs have a derivation."""
        return np.diff(self.offsets) > 0


def force(
    model: TranslationModel,
    bitext: Bitext,
    weights: Weights | None = None,
    *,
    leave_one_out: LeaveOneOutCounts | None = None,
    options: ForcedOptions | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> ForcedDerivations:
    """Find the best derivation of each target sentence from its source sentence.

    Phrase pairs have the scores of the model and `distortion` is counted. Lexicalised reordering and other
    features of the search are not; language models would give all derivations of a sentence the same score.
    weights: without any, those of the model.   leave_one_out: decode each pair with leave-one-out.
    """
    options = options or ForcedOptions()
    table = model.table
    limits = model.options()
    if table.kind != "phrase" or not isinstance(limits, StackOptions):
        raise ConfigError(
            f"{model.folder}: forced decoding needs a phrase-based model; train one with --kind phrase"
        )
    if missing := [name for name in RELATIVE if name not in table.score_names]:
        raise ConfigError(f"{table.folder}: forced decoding needs the score {missing[0]}, which the table lacks")
    if leave_one_out is not None:
        leave_one_out.check_table(table)
    decoder = model.decoder(weights)
    vector = decoder.weights
    local = model.features.scores(vector, threads=threads)[: len(table)]

    def weight(name: str) -> float:
        at = decoder.index.find(name)
        return 0.0 if at is None else float(vector[at])

    native = _core.ForcedOptions()
    native.max_length, native.beam, native.own = limits.max_length, options.beam, options.own
    native.distortion_limit = limits.distortion_limit if limits.distortion_limit >= 0 else _FAR
    native.distortion_weight = weight("distortion")
    native.weights = (weight(f"translation:{RELATIVE[0]}"), weight(f"translation:{RELATIVE[1]}"))
    columns = (table.score_names.index(RELATIVE[0]), table.score_names.index(RELATIVE[1]))
    with table.core_errors():
        arrays = {name: table.array(name).reshape(-1) for name in CORE_ARRAYS}
        forced = _core.ForcedTable(arrays, local, len(table.score_names), columns)
        return _in_batches(
            forced, bitext, model, leave_one_out, native, threads, progress or (lambda done, total: None)
        )


def _in_batches(
    forced: _core.ForcedTable,
    bitext: Bitext,
    model: TranslationModel,
    leave_one_out: LeaveOneOutCounts | None,
    options: _core.ForcedOptions,
    threads: int,
    progress: Progress,
) -> ForcedDerivations:
    left_out = None if leave_one_out is None else leave_one_out.native((None, None))
    found: list[tuple[NDArray[Any], ...]] = []
    for begin in range(0, len(bitext), _PAIRS):
        progress(begin, len(bitext))
        part = slice(begin, begin + _PAIRS)
        source, target = bitext.source[part], bitext.target[part]
        pairs = (
            np.zeros(len(source), np.int64) if leave_one_out is None else leave_one_out.check_lines(source, begin)
        )
        sides = (
            *model.table.source_vocabulary.encode(source, threads=threads),
            *model.table.target_vocabulary.encode(target, threads=threads),
        )
        found.append(_core.force(forced, left_out, *sides, np.ascontiguousarray(pairs), options, threads))
    progress(len(bitext), len(bitext))
    sizes = np.concatenate([np.zeros(1, np.int64), *(np.diff(each[0]) for each in found)])
    columns = [np.concatenate([np.empty(0, kind), *(each[at] for each in found)])
               for at, kind in enumerate((np.uint32, np.uint32, np.uint32, np.float64), 1)]  # fmt: skip
    return ForcedDerivations(np.cumsum(sizes), *columns)
