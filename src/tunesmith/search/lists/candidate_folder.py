"""Candidate sets on disk: a folder of memory-mapped arrays, the names of features and words, a manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.features.index import FeatureIndex
from tunesmith.features.matrix import FeatureMatrix
from tunesmith.io import StrPath, read_lines, write_lines
from tunesmith.io.arrays import MANIFEST, FolderFormat, Stored, new_arrays, read_arrays, seal_arrays, write_array
from tunesmith.io.inside import inside
from tunesmith.io.mapped import watch
from tunesmith.io.verify import FileChecks
from tunesmith.search.lists.arrays import TYPES, arrays_of
from tunesmith.search.lists.factored import FactoredMatrix
from tunesmith.search.lists.matrix import Matrix
from tunesmith.search.lists.plain import PlainMatrix
from tunesmith.search.lists.words import WordLists

if TYPE_CHECKING:
    from tunesmith.search.lists.candidates import CandidateSet

FORMAT = FolderFormat("tunesmith candidates", 2, "a candidate set", "make one with: CandidateSet.save")
FEATURES, WORDS, REST = "features.txt", "words.txt", "rest.txt"


def save(candidates: CandidateSet, path: StrPath) -> None:
    with new_arrays(path, FORMAT) as folder:
        arrays = arrays_of(candidates)
        for name, array in arrays.items():
            write_array(folder, name, array)
        seal(folder, candidates, {name: (array.dtype.str, array.shape) for name, array in arrays.items()})


def seal(folder: Path, like: CandidateSet, arrays: Mapping[str, Stored]) -> None:
    """Write the names of a set and the manifest to a folder that has the arrays already.

    Columns of rules have no names here: F, which is not part of the set, has them.
    """
    matrix = like.matrix
    fields: dict[str, Any] = {"columns": like.columns}
    first = 0
    if isinstance(matrix, FactoredMatrix):
        first = matrix.rule_features.columns
        fields |= {"rules": matrix.rule_features.rows, "rule_columns": first}
    write_lines(folder / FEATURES, like.features.names(first, like.columns))
    for name, lists in ((WORDS, like.words), (REST, like.rest)):
        if lists is not None:
            write_lines(folder / name, lists.vocabulary)
    # Version 2 has features that are stated in every line; earlier programs read sets without them.
    form = FORMAT if "stated_ids" in arrays else replace(FORMAT, version=1)
    seal_arrays(folder, form, fields, arrays)


def load(path: StrPath, rule_features: FeatureMatrix | None = None) -> CandidateSet:
    """Open a set; FormatError if it is damaged, unfinished, of another model or from a later version.

    Every byte is compared with the checksums of the manifest: all of it is read here in any case.
    """
    from tunesmith.search.lists.candidates import CandidateSet

    folder = inside(path)
    manifest, arrays = read_arrays(folder, FORMAT, TYPES)
    for array in arrays.values():
        watch(array)
    factored = "rule_list" in arrays
    required = ["offsets", *(_FACTORED if factored else _PLAIN)]
    texts = [FEATURES, *(name for kind, name in (("word", WORDS), ("rest", REST)) if f"{kind}_ids" in arrays)]
    missing = [name for name in required if name not in arrays]
    missing += [name for name in texts if name not in manifest["files"]]
    if missing:
        raise FormatError(f"expected the files {', '.join(missing)}; it is damaged", path=str(folder / MANIFEST))
    sizes = [manifest.get(name, 0) for name in ("columns", "rules", "rule_columns")]
    if not all(type(size) is int and 0 <= size < 2**32 for size in sizes):
        raise FormatError("the numbers of columns and rules are damaged", path=str(folder / MANIFEST))
    checks = FileChecks(folder, manifest["files"])
    checks.now(*texts)  # before their words are used: an index may be shared
    checks.begin(*manifest["files"])  # the arrays, while they are checked against each other
    names = read_lines(folder / FEATURES)
    try:
        matrix: Matrix
        features: FeatureIndex | list[str] = names
        if factored:
            rule_features = _fitting(rule_features, sizes, names, folder)
            features = rule_features.index
            parts = [arrays[name] for name in required]
            matrix = FactoredMatrix(rule_features, sizes[0], *parts)
        else:
            matrix = PlainMatrix(
                sizes[0], *(arrays[name] for name in required[1:]), stated=arrays.get("stated_ids")
            )
        found = CandidateSet(
            matrix,
            arrays["offsets"],
            features=features,
            statistics=arrays.get("statistics"),
            words=_words(folder / WORDS, arrays, "word"),
            model_scores=arrays.get("model_scores"),
            rest=_words(folder / REST, arrays, "rest"),
        )
        checks.finish()
        found.release()  # checking has read all of it
        return found
    except (ConfigError, ValueError, TypeError) as error:
        checks.finish()  # a wrong checksum is the better reason
        if isinstance(error, MissingFileError) or (isinstance(error, FormatError) and error.path is not None):
            raise
        raise FormatError(
            f"the arrays do not fit together ({error}); the set is damaged", path=str(folder)
        ) from None


_PLAIN = ("dense_ids", "dense", "sparse_offsets", "sparse_ids", "sparse_values")
_FACTORED = (
    *("rule_list_offsets", "rule_list", "rule_offsets", "rule_places"),
    *("state_ids", "states", "state_offsets", "state_pair_ids", "state_pair_values"),
)


def _fitting(given: FeatureMatrix | None, sizes: list[int], names: list[str], folder: Path) -> FeatureMatrix:
    """Return the feature matrix the set was made with, its index grown by the names of the set."""
    if given is None:
        raise FormatError(
            "these are candidates of a decoder; give the feature matrix of its model", path=str(folder)
        )
    columns, rules, rule_columns = sizes
    if (given.rows, given.columns) != (rules, rule_columns) or len(names) != columns - rule_columns:
        raise FormatError(
            f"was made with {rules} rules and {rule_columns} features of rules, the model has {given.rows} and "
            f"{given.columns}; it belongs to another model",
            path=str(folder),
        )
    index = given.index
    known = list(index.names(rule_columns, min(len(index), columns)))
    same = known == names[: len(known)]
    for at in range(len(known) if same else 0, len(names)):
        number, name = rule_columns + at, names[at]
        if (known[at] if at < len(known) else name) != name or index.add(name) != number:
            raise FormatError(f"feature {number} is {name!r} here and another one in the model", path=str(folder))
    return given


def _words(path: Path, arrays: dict[str, Any], kind: str) -> WordLists | None:
    if f"{kind}_ids" not in arrays or f"{kind}_offsets" not in arrays:
        return None
    return WordLists(read_lines(path), arrays[f"{kind}_ids"], arrays[f"{kind}_offsets"])
