"""Lists from plain dictionaries or a table of pandas, for notebooks and scripts."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.rows import BadRowError, RowBuilder
from tunesmith.tables import pandas

_DENSE_COLUMNS = 1000
_OWN = ("id", "hypothesis", "features", "score")


def from_records(records: Any) -> CandidateSet:
    """Return one candidate for each dictionary: `id` (of the sentence, from 0), `hypothesis`, and features.

    Features are the dictionary `features`, or all other keys with numbers; `score` is the score of the list. A
    table (anything with `to_dict("records")`, such as a DataFrame of pandas) is read row by row; other columns of
    it that are not numbers are passed over. Sentences come in any order; candidates of one keep theirs.
    """
    table = hasattr(records, "to_dict")
    rows: Iterable[Any] = records.to_dict("records") if table else records
    builder = RowBuilder()
    for at, record in enumerate(rows):
        try:
            _add(builder, record, table=table)
        except BadRowError as error:
            raise ConfigError(f"record {at}: {error}") from None
    return builder.finish()


def to_pandas(candidates: CandidateSet) -> Any:
    """Return a DataFrame that `from_records` reads: `id`, features, and `hypothesis` and `score` if known.

    Columns of features are sparse where there are many, and only those that some candidate has are there then.
    """
    table = pandas()
    found: dict[str, Any] = {"id": candidates.sentence_of}
    if candidates.words is not None:
        found["hypothesis"] = [candidates.text(at) for at in range(len(candidates))]
    if candidates.model_scores is not None:
        found["score"] = candidates.model_scores
    rows = candidates.rows()
    columns = np.arange(candidates.columns)
    if candidates.columns > _DENSE_COLUMNS:
        columns = np.unique(rows.indices)
        features = table.DataFrame.sparse.from_spmatrix(rows[:, columns])
    else:
        features = table.DataFrame(rows.toarray())
    features.columns = [candidates.features.name(int(column)) for column in columns]
    return table.concat([table.DataFrame(found), features], axis=1)


def _add(builder: RowBuilder, record: Any, *, table: bool) -> None:
    if not isinstance(record, Mapping):
        raise BadRowError(f"expected a dictionary with id, hypothesis and features, got {record!r}")
    missing = [key for key in ("id", "hypothesis") if key not in record]
    if missing:
        raise BadRowError(f"has no {missing[0]!r}; it must have id, hypothesis and features")
    sentence, text = record["id"], record["hypothesis"]
    if not isinstance(sentence, numbers.Integral) or isinstance(sentence, bool):
        raise BadRowError(f"the id {sentence!r} is not a whole number from 0")
    if not isinstance(text, str):
        raise BadRowError(f"the hypothesis {text!r} is not text")
    given = record.get("features")
    if given is None:
        given = {key: value for key, value in record.items() if key not in _OWN}
        if table:
            given = {key: value for key, value in given.items() if isinstance(value, numbers.Real)}
    if not isinstance(given, Mapping):
        raise BadRowError(f"the features {given!r} are not a dictionary of names and numbers")
    features = [(str(name), _number(value, f"of {name!r}")) for name, value in given.items()]
    score = record.get("score")
    builder.add(int(sentence), text, features, None if score is None else _number(score, "of score"))


def _number(value: Any, what: str) -> float:
    if not isinstance(value, numbers.Real):
        raise BadRowError(f"the value {value!r} {what} is not a number")
    try:
        return float(value)
    except OverflowError:
        raise BadRowError(f"the value {what} is not a finite number") from None
