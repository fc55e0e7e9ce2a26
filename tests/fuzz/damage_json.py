"""Damage of JSON as a tree: wrong types, numbers out of range, keys missing or added."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

_HUGE = 10**400
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 2**31, 2**32, 2**53, 2**63, 2**64, _HUGE, -_HUGE, 0.5, -0.0, 1e308, 1e-320),
    *(
        float("inf"),
        float("-inf"),
        float("nan"),
        "",
        "x",
        "0",
        "1",
        "../..",
        "/etc/passwd",
        "a/b",
        "\0",
        "\n",
        "\x1b[2J",
    ),
    *("\ud800", "é", "\u202e", "x" * 5000, [], {}, [[]], [None], [0], {"": 0}, {"a": {"a": 1}}, [1, 2], ["x"]),
)


def damage_tree(tree: Any, random: Random) -> Any:
    """The tree with one or a few damages."""
    tree = copy.deepcopy(tree)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        tree = _once(tree, random)
    return tree


def _once(tree: Any, random: Random) -> Any:
    places: list[tuple[Any, Any]] = []

    def visit(value: Any) -> None:
        if isinstance(value, dict | list):
            for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
                places.append((value, key))
                visit(inner)

    visit(tree)
    if not places or random.random() < 0.02:
        return random.choice(_VALUES)
    holder, key = random.choice(places)
    how = random.random()
    if how < 0.15:
        del holder[key]
    elif how < 0.25 and isinstance(holder, dict):
        holder[random.choice(("", "x", "\ud800", "..", f"{key}\n", "format", "files"))] = holder.pop(key)
    elif how < 0.3 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(random.choice(holder)))
    elif how < 0.4:  # a value from elsewhere in the tree
        other, place = random.choice(places)
        try:
            holder[key] = copy.deepcopy(other[place])
        except (KeyError, IndexError):
            holder[key] = None
    elif how < 0.55 and type(holder[key]) in (int, float):
        holder[key] = random.choice(
            (holder[key] + 1, holder[key] - 1, -holder[key], holder[key] * 2**20, str(holder[key]))
        )
    elif how < 0.6:
        holder[key] = [holder[key]]
    else:
        holder[key] = random.choice(_VALUES)
    return tree


def dump(tree: Any) -> bytes:
    """As JSON; a lone surrogate stays an escape."""
    return json.dumps(tree).encode()


def parse(data: bytes) -> Any:
    """The tree; ValueError where there is none."""
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None
