"""Fixtures for all tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.browser import Browser, missing_programs

from tunesmith import build

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of corpora and recorded results next to the checkout; users do not have it."""
    folder = REPOSITORY.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("needs the corpora in ../shared, which are not here")
    return folder


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A real browser, for all tests that look at pages."""
    if why_not := missing_programs():
        pytest.skip(f"no browser to look at pages with: {why_not}")
    opened = Browser(tmp_path_factory.mktemp("browser"))
    yield opened
    opened.close()


@pytest.fixture
def another_build(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Called, it changes the program: what is on disk was made by another build."""

    def change() -> None:
        monkeypatch.setattr(build, "digest_of", lambda package, native: "0123456789abcdef")
        build.build_digest.cache_clear()

    yield change
    build.build_digest.cache_clear()
