"""Templates written in Python: their features of a whole table as arrays, and the files they are defined in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.features.base import Batch, RuleFeature, templates
from tunesmith.features.names import full_name
from tunesmith.grammar import RuleTable
from tunesmith.io import StrPath
from tunesmith.user_files import failed, run_file

_RULES = 100_000  # rules handed to a template at once
_MODULE = "tunesmith_features"


def features_from(path: StrPath) -> None:
    """Run a Python file that registers templates. Only ever called with a path that the user typed.

    A model names its templates and never a file, so that nothing in a model can make code run.
    """
    run_file(path, "feature templates", _MODULE)


def refuse_elsewhere(names: Iterable[str]) -> None:
    """Refuse templates that this process alone knows, from a file, for work of other processes."""
    for name in names:
        if str(getattr(templates.get(name), "__module__", "")).startswith(f"{_MODULE}_"):
            raise ConfigError(
                f"the feature template {name!r} is known to this process alone, which has run its file; workers "
                "know templates of installed packages (entry point tunesmith.features)"
            )


@contextmanager
def failures_of(name: str) -> Iterator[None]:
    """Turn what goes wrong in the code of a user's template into a ConfigError with its name."""
    try:
        yield
    except ConfigError:
        raise
    except Exception as error:
        raise failed(f"feature template {name!r}", error) from error


def python_features(name: str, template: RuleFeature, table: RuleTable, rules: range) -> _core.GivenFeatures:
    """Return everything a template fires for consecutive rules of a table.

    ConfigError names a template whose code fails, or that fires what cannot be used.
    """
    names: dict[str, int] = {}
    starts: list[NDArray[np.uint64]] = [np.zeros(1, np.uint64)]
    ids: list[NDArray[np.uint32]] = [np.empty(0, np.uint32)]
    values: list[NDArray[np.float32]] = [np.empty(0, np.float32)]
    total = 0
    for begin in range(rules.start, rules.stop, _RULES):
        end = min(begin + _RULES, rules.stop)
        with failures_of(name):
            batch = template.batch(table, begin, end)
            _check(name, batch, end - begin)
            column = [names.setdefault(full_name(name, detail), len(names)) for detail in batch.details]
            starts.append((batch.starts[1:] + total).astype(np.uint64))
            ids.append(np.array(column, np.uint32)[batch.ids] if len(batch.ids) else np.empty(0, np.uint32))
            values.append(batch.values.astype(np.float32))
        total += len(batch.ids)
    return _core.GivenFeatures(list(names), np.concatenate(starts), np.concatenate(ids), np.concatenate(values))


def is_detail(detail: object) -> bool:
    """Return whether a text can be the detail of a feature's name."""
    return isinstance(detail, str) and not any(character.isspace() for character in detail)


def _check(name: str, batch: Batch, rules: int) -> None:
    def expect(holds: object, what: str) -> None:
        if not holds:
            raise ConfigError(f"feature template {name!r}: {what}")

    starts: NDArray[np.int64] = batch.starts
    expect(starts.shape == (rules + 1,), f"starts must have shape {(rules + 1,)}, got {starts.shape}")
    expect(starts[0] == 0 and np.all(np.diff(starts) >= 0), "starts must rise from 0")
    size = int(starts[-1])
    expect(batch.ids.shape == batch.values.shape == (size,), f"there must be {size} ids and values")
    inside = size == 0 or (batch.ids.min() >= 0 and batch.ids.max() < len(batch.details))
    expect(inside, "an id has no detail")
    with np.errstate(over="ignore"):
        expect(np.all(np.isfinite(batch.values.astype(np.float32))), "a value is not a finite number")
    for detail in batch.details:
        expect(
            is_detail(detail),
            f"the detail {detail!r} is not a text without white space; tunesmith.features.escape makes it one",
        )
