"""What a search may spend."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tunesmith import _core
from tunesmith.errors import ConfigError

LARGEST_POP_LIMIT = 65535
LONGEST_SENTENCE = 65533
_MOST = 2**31


@dataclass(frozen=True)
class DecoderOptions:
    """Limits of hierarchical search. All but `timeout` are counted work: results are the same on every machine.

    pop_limit: a span is left when this many hypotheses score at least as well as any other is expected to.
    max_span: source words that a rule of the table may cover; glue puts such parts behind one another.
    table_limit: target sides of a source side that are tried, best first; 0 tries all.
    max_pops, max_edges, max_bytes: hypotheses scored, edges kept and memory for one sentence; beyond any of them,
        further words are translated one by one. 0 is no limit.
    timeout: seconds for one sentence, then likewise. Results then depend on the machine; tuning refuses it.
    """

    pop_limit: int = 200
    max_span: int = 20
    table_limit: int = 20
    max_pops: int = 0
    max_edges: int = 0
    max_bytes: int = 0
    timeout: float | None = None

    def __post_init__(self) -> None:
        least = {"pop_limit": 1, "max_span": 1, "table_limit": 0, "max_pops": 0, "max_edges": 0, "max_bytes": 0}
        most = {"pop_limit": LARGEST_POP_LIMIT, "max_span": _MOST, "table_limit": _MOST}
        for name, low in least.items():
            value = getattr(self, name)
            high = most.get(name, 2**62)
            if type(value) is not int or not low <= value <= high:
                raise ConfigError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
        if self.timeout is not None and not (self.timeout > 0 and math.isfinite(self.timeout)):
            raise ConfigError(f"timeout must be more than 0 seconds, not {self.timeout!r}")

    def settings(self) -> dict[str, int | float]:
        """What translations depend on, for a signature; limits that are off are left out."""
        values = {name: getattr(self, name) for name in ("pop_limit", "max_span", "table_limit")}
        others = {name: getattr(self, name) for name in ("max_pops", "max_edges", "max_bytes", "timeout")}
        return values | {name: value for name, value in others.items() if value}

    @property
    def native(self) -> _core.DecoderOptions:
        """The same for the core."""
        native = _core.DecoderOptions()
        for name in ("pop_limit", "max_span", "table_limit", "max_pops", "max_edges", "max_bytes", "timeout"):
            setattr(native, name, getattr(self, name))
        return native
