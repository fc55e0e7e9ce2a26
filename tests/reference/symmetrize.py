"""Koehn's pseudocode of the grow-diag family, on sets of (source, target)."""

from __future__ import annotations

Links = set[tuple[int, int]]

# (target, source) steps in the order of the pseudocode.
NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def symmetrize(forward: Links, backward: Links, how: str) -> Links:
    """Join two directions; `how` is the name used on the command line."""
    if how == "intersection":
        return forward & backward
    if how == "union":
        return forward | backward
    union = forward | backward
    links = forward & backward
    sources = 1 + max((s for s, _ in union), default=-1)
    targets = 1 + max((t for _, t in union), default=-1)

    def free(source: int, target: int) -> tuple[bool, bool]:
        return all(s != source for s, _ in links), all(t != target for _, t in links)

    added = True
    while added:
        added = False
        for target in range(targets):
            for source in range(sources):
                if (source, target) not in links:
                    continue
                for target_step, source_step in NEIGHBOURS:
                    new = (source + source_step, target + target_step)
                    if new not in union or new in links:
                        continue
                    wanted = all(free(*new)) if how == "diag-and" else any(free(*new))
                    if wanted:
                        links = links | {new}
                        added = True
    if how in ("grow-diag-final", "grow-diag-final-and"):
        for direction in (forward, backward):
            for target in range(targets):
                for source in range(sources):
                    new = (source, target)
                    if new not in direction or new in links:
                        continue
                    if all(free(*new)) if how == "grow-diag-final-and" else any(free(*new)):
                        links = links | {new}
    return links
