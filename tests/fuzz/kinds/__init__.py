"""All kinds of input, one file for each area."""

from __future__ import annotations

from fuzz.kind import Kind
from fuzz.kinds import (
    alignments,
    candidates,
    classes,
    experiments,
    graphs,
    language_models,
    leave_one_out,
    lists,
    models,
    moses,
    phrasebook,
    references,
    runs,
    tables,
    texts,
    typed,
    weights,
)

_AREAS = (
    *(
        texts,
        references,
        phrasebook,
        alignments,
        language_models,
        classes,
        tables,
        leave_one_out,
        moses,
        models,
        weights,
    ),
    *(lists, candidates, graphs, runs, experiments, typed),
)


def all_kinds() -> list[Kind]:
    """Every kind, each name once."""
    found = [kind for area in _AREAS for kind in area.kinds()]
    assert len({kind.name for kind in found}) == len(found)
    return found
