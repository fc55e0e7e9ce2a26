"""Classes of the words of a vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class VocabularyClasses:
    """Classes of the words of a vocabulary.

    names: of the classes.   numbers: class of each word, by word id. unknown: class of other words.
    """

    names: tuple[str, ...]
    numbers: NDArray[np.int32]
    unknown: int
