"""Joining the alignments of both directions, by name."""

from __future__ import annotations

from tunesmith import _core
from tunesmith.alignment.pharaoh import WordAlignments
from tunesmith.checks import one_of
from tunesmith.errors import FormatError

SYMMETRIZATIONS = {
    "grow-diag-final-and": _core.Symmetrization.grow_diag_final_and,
    "grow-diag-final": _core.Symmetrization.grow_diag_final,
    "grow-diag": _core.Symmetrization.grow_diag,
    "diag-and": _core.Symmetrization.diag_and,
    "intersection": _core.Symmetrization.intersection,
    "union": _core.Symmetrization.unite,
}


def symmetrize(
    forward: WordAlignments, backward: WordAlignments, how: str = "grow-diag-final-and", *, threads: int = 1
) -> WordAlignments:
    """Join two directions; links of both are (source, target) positions."""
    one_of(SYMMETRIZATIONS, how=how)
    if len(forward) != len(backward):
        raise FormatError(f"{len(forward)} forward alignments but {len(backward)} backward ones")
    return WordAlignments(_core.symmetrize(forward.native, backward.native, SYMMETRIZATIONS[how], threads))
