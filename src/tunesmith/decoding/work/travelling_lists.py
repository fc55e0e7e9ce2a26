"""n-best lists of a decoder as packets: what one process decodes, another numbers as if it had decoded it.

Features of rules have the same numbers in every opening of a model. Sparse features across rules get theirs in the
order they are met, which depends on what a process decoded before; so they travel by name, in the order in which a
decoder that starts here would meet them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.corpus.vocab import Vocabulary
from tunesmith.errors import ConfigError, FormatError
from tunesmith.execution import Packet
from tunesmith.features import FeatureMatrix
from tunesmith.search import CandidateSet, FactoredMatrix, WordLists
from tunesmith.search.lists.arrays import TYPES, arrays_of

_FACTORED = (
    *("offsets", "rule_list_offsets", "rule_list", "rule_offsets", "rule_places"),
    *("state_ids", "states", "state_offsets", "state_pair_ids", "state_pair_values"),
)
_NUMBERED = ("state_ids", "state_pair_ids")
_OF_LINES = "line_"


def packed_lists(
    candidates: CandidateSet,
    met: NDArray[np.uint32],
    target: Vocabulary,
    of_lines: Mapping[str, NDArray[Any]] = {},
) -> Packet:
    """Pack lists of a decoder.   met: sparse features across rules, in the order of the lines.

    target: its words.   of_lines: more arrays, with an entry for each line or none at all.
    """
    matrix, words = candidates.matrix, candidates.words
    assert isinstance(matrix, FactoredMatrix)
    assert words is not None
    first = matrix.rule_features.columns
    order = list(dict.fromkeys([*matrix.state_ids.tolist(), *met.tolist()]))
    numbers = np.arange(len(candidates.features), dtype=np.uint32)
    numbers[order] = np.arange(first, first + len(order))
    arrays = arrays_of(candidates)
    arrays.update((name, numbers[arrays[name]]) for name in _NUMBERED)
    arrays.update((_OF_LINES + name, array) for name, array in of_lines.items())
    values = {
        "rules": matrix.rule_features.rows,
        "rule_columns": first,
        "features": [candidates.features.name(number) for number in order],
        "words": len(target.words),
        "new_words": list(words.vocabulary[len(target.words) :]),
    }
    return Packet(values, arrays)


def unpacked_lists(
    packet: Packet, features: FeatureMatrix, target: Vocabulary
) -> tuple[CandidateSet, dict[str, NDArray[Any]]]:
    """Return the lists with the features of this process, whose index gets the names that it does not have.

    Also the arrays with an entry for each line. FormatError where the packet is damaged, or of another model.
    """
    try:
        arrays = {name: each for name, each in packet.arrays.items() if not name.startswith(_OF_LINES)}
        found = _unpacked(Packet(packet.values, arrays), features, target)
        of_lines = {name: packet.arrays[_OF_LINES + name] for name in ("limited", "domains")}
        for name, array in of_lines.items():
            if array.ndim != 1 or array.dtype.kind not in "bi" or len(array) not in (0, found.sentences):
                raise FormatError(f"{name} of {len(array)} lines for {found.sentences}")
        return found, of_lines
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ConfigError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"lists of a worker cannot be used: {error}") from None


def _unpacked(packet: Packet, features: FeatureMatrix, target: Vocabulary) -> CandidateSet:
    values, arrays = packet
    names, new_words = _texts(values["features"]), _texts(values["new_words"])
    theirs = (values["rules"], values["rule_columns"], values["words"])
    ours = (features.rows, features.columns, len(target.words))
    if theirs != ours:
        raise FormatError(
            f"a worker sent lists of a model with {theirs[0]} rules, {theirs[1]} features of rules and "
            f"{theirs[2]} target words; the model here has {ours[0]}, {ours[1]} and {ours[2]}"
        )
    for name, array in arrays.items():
        allowed, _, dimensions = TYPES[name].partition(":")
        if array.dtype.str not in allowed.split("/") or array.ndim != int(dimensions):
            raise FormatError(f"the array {name!r} of a worker has a type or shape that is not expected")
    most = features.columns + len(names)
    if any(arrays[name].size and int(arrays[name].max()) >= most for name in _NUMBERED):
        raise FormatError("lists of a worker have features without names")
    matrix = FactoredMatrix(features, most, *(arrays[name] for name in _FACTORED))
    words = WordLists([*target.words, *new_words], arrays["word_ids"], arrays["word_offsets"])
    added = [features.index.add(name) for name in names]
    numbers = np.concatenate([np.arange(features.columns), added]).astype(np.uint32)
    found = CandidateSet(
        matrix.renumbered(features, len(features.index), numbers),
        arrays["offsets"],
        features=features.index,
        words=words,
        model_scores=arrays["model_scores"],
    )
    _ = found.native  # the core checks every index
    return found


def _texts(values: object) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise FormatError("lists of a worker have names that are not text")
    return values
