"""Fixtures for all tests."""

from pathlib import Path

import pytest
from hypothesis import settings

# A test says what is true, not how fast: machines are noisy.
settings.register_profile("tunesmith", deadline=None)
settings.load_profile("tunesmith")

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of corpora and recorded results beside the checkout; users do not have it."""
    folder = REPOSITORY.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("needs the corpora in ../shared, which are not here")
    return folder
