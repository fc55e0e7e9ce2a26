"""Fixtures for all tests."""

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of corpora and recorded results beside the checkout; users do not have it."""
    folder = REPOSITORY.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("needs the corpora in ../shared, which are not here")
    return folder
