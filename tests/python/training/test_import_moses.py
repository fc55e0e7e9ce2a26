"""An imported Moses model gives derivations the values that Moses printed."""

import math
from pathlib import Path

import pytest

from tests.reference.moses_trace import ORDER, Recomputed, parse_trace
from tunesmith.config import read_system
from tunesmith.grammar import RuleTable
from tunesmith.io import read_lines
from tunesmith.lm import NgramModel
from tunesmith.training.import_moses import import_moses


@pytest.fixture(scope="module")
def imported(shared, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("moses") / "model"
    import_moses(shared / "reference/moses-hiero/moses.ini", folder)
    return folder
