"""Settings of clustering."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith.checks import one_of, whole_number
from tunesmith.errors import ConfigError

OBJECTIVES = ("one-sided", "two-sided", "bidirectional")
MAX_CLASSES = 65_535
MAX_PASSES = 10_000
_LARGEST = 2**31 - 1


@dataclass(frozen=True)
class ClusteringOptions:
    """Settings of learning word classes.

    classes: their number. objective: "one-sided", the class given the previous word; "bidirectional", one-sided in
        both directions; "two-sided", the class given the previous class. passes: most passes over the words;
        learning stops earlier when no word moves.
    min_count: rarer words become `<unk>`. digits_to_one: read every digit as 0, so that `1984` and `2014` are one
        word. refine_from: learn this number of classes first, and divide them until there are `classes`; None
        learns all at once.
    refine_passes: passes for each intermediate number of classes.
    """

    classes: int = 64
    objective: str = "one-sided"
    passes: int = 20
    min_count: int = 5
    digits_to_one: bool = False
    refine_from: int | None = None
    refine_passes: int = 4

    def __post_init__(self) -> None:
        whole_number(1, MAX_CLASSES, classes=self.classes)
        one_of(OBJECTIVES, objective=self.objective)
        whole_number(1, MAX_PASSES, passes=self.passes, refine_passes=self.refine_passes)
        whole_number(1, _LARGEST, min_count=self.min_count)
        if self.refine_from is not None:
            whole_number(1, MAX_CLASSES, refine_from=self.refine_from)
            if self.refine_from >= self.classes:
                raise ConfigError(
                    f"refine_from must be less than classes, which is {self.classes}, got {self.refine_from}"
                )

    def levels(self) -> list[int]:
        """Return numbers of classes learnt in turn, each four times the previous number; the last is `classes`."""
        levels = []
        level = self.classes if self.refine_from is None else self.refine_from
        while level < self.classes:
            levels.append(level)
            level *= 4
        return [*levels, self.classes]
