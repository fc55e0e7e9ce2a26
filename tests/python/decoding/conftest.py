"""A model of Moses and the text it is compared on."""

import pytest

from tunesmith.io import read_lines
from tunesmith.training.import_moses import import_moses


@pytest.fixture(scope="module")
def imported(reference, tmp_path_factory):
    """The model of Moses in the folder `reference` of the test, as a model directory of tunesmith."""
    folder = tmp_path_factory.mktemp("moses") / "model"
    import_moses(reference / "moses.ini", folder)
    return folder


@pytest.fixture(scope="session")
def flickr(shared):
    """German and English lines of a test set."""
    name = shared / "data" / "multi30k-de-en" / "test_2016_flickr"
    return tuple(read_lines(name.with_suffix(f".{language}")) for language in ("de", "en"))
