"""Lists from dictionaries and tables."""

import numpy as np
import pytest

from tunesmith.errors import ConfigError
from tunesmith.search import CandidateSet


class Table:
    """What pandas' DataFrame offers of what is used."""

    def __init__(self, rows):
        self.rows = rows

    def to_dict(self, orient):
        assert orient == "records"
        return self.rows


def test_dictionaries_and_tables():
    rows = [
        {"id": 1, "hypothesis": "b", "lm": -1, "tm": np.float32(0.5), "score": -2.0},
        {"id": 0, "hypothesis": "a", "lm": -3, "tm": 1.5, "score": -1.0},
        {"id": 1, "hypothesis": "c", "lm": -2, "tm": 0.25, "score": -3.0},
    ]
    c = CandidateSet.from_records(rows)
    assert [c.text(at) for at in range(3)] == ["a", "b", "c"]
    assert c.offsets.tolist() == [0, 1, 3]
    assert c.rows().toarray().tolist() == [[-3, 1.5], [-1, 0.5], [-2, 0.25]]
    assert c.model_scores.tolist() == [-1, -2, -3]
    nested = [{"id": row["id"], "hypothesis": row["hypothesis"], "features": {"lm": row["lm"]}} for row in rows]
    assert list(CandidateSet.from_records(nested).features) == ["lm"]
    table = CandidateSet.from_records(Table([{**row, "system": "x"} for row in rows]))
    assert list(table.features) == ["lm", "tm"]


def test_pandas():
    import pandas

    frame = pandas.DataFrame({"id": [0, 0], "hypothesis": ["a", "b"], "lm": [-1.5, -2.5]})
    assert CandidateSet.from_records(frame).rows().toarray().tolist() == [[-1.5], [-2.5]]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"hypothesis": "a"}, "record 0: has no 'id'"),
        ({"id": 0}, "has no 'hypothesis'"),
        ({"id": "0", "hypothesis": "a"}, "'0' is not a whole number"),
        ({"id": 0, "hypothesis": 5}, "5 is not text"),
        ({"id": 0, "hypothesis": "a", "lm": "x"}, "'x' of 'lm' is not a number"),
        ({"id": 0, "hypothesis": "a", "lm": float("nan")}, "not a finite number"),
        ({"id": 0, "hypothesis": "a", "lm": 10**400}, "of 'lm' is not a finite number"),
        ({"id": -1, "hypothesis": "a"}, "whole number from 0"),
        ({"id": 0, "hypothesis": "a", "l m": 1}, "white space"),
        ({"id": 0, "hypothesis": "a", "features": [1.0]}, "not a dictionary of names and numbers"),
        ("a", "record 0: expected a dictionary with id, hypothesis and features, got 'a'"),
        (7, "record 0: expected a dictionary with id, hypothesis and features, got 7"),
    ],
)
def test_what_is_no_record_is_told(record, message):
    with pytest.raises(ConfigError, match=message):
        CandidateSet.from_records([record])
