"""Orientations of phrase pairs straight from the definitions: every neighbour is searched among all spans."""

from __future__ import annotations

from reference.extraction import Link, Phrase, consistent_phrases

MONOTONE, SWAP, LEFT, RIGHT = range(4)


def linked(s: int, t: int, source_size: int, target_size: int, links: set[Link]) -> bool:
    """A link, or the two begins, or the two ends of the sentences."""
    return (s, t) in links or (s, t) == (-1, -1) or (s, t) == (source_size, target_size)


def neighbours(
    source_size: int, target_size: int, links: set[Link], model: str, limit: int, tight: bool
) -> list[Phrase]:
    """What can stand next to a phrase pair: phrase pairs, for `hier` of any length."""
    longest = max(source_size, target_size) if model == "hier" else limit
    return consistent_phrases([0] * source_size, [0] * target_size, links, longest, tight)


def orientations(
    phrase: Phrase, source_size: int, target_size: int, links: set[Link], model: str, beside: list[Phrase]
) -> tuple[int, int]:
    """Towards the phrase before and the phrase after."""
    (s0, s1), (t0, t1) = phrase
    found = []
    for t, before in ((t0 - 1, True), (t1, False)):
        left = linked(s0 - 1, t, source_size, target_size, links)
        right = linked(s1, t, source_size, target_size, links)
        on_left, on_right = left and not right, right and not left
        far_left = any(link[1] == t and link[0] < s0 for link in links)
        far_right = any(link[1] == t and link[0] >= s1 for link in links)
        if model != "word":
            touching = [f for f, e in beside if (e[1] == t0 if before else e[0] == t1)]
            on_left = on_left or any(f[1] == s0 for f in touching)
            on_right = on_right or any(f[0] == s1 for f in touching)
            far_left = any(f[1] < s0 for f in touching)
            far_right = any(f[0] > s1 for f in touching)
        # The phrase before is monotone where it stands to the left in the source, the phrase after to the right.
        monotone, swap = (on_left, on_right) if before else (on_right, on_left)
        to_left = (far_right and not far_left) if before else (far_left and not far_right)
        found.append(MONOTONE if monotone else SWAP if swap else LEFT if to_left else RIGHT)
    return found[0], found[1]
