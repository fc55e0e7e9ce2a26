"""The phrasebook's grammar and its default corpus, which many tests look at."""

from __future__ import annotations

import pytest

from tunesmith.corpus.phrasebook import Phrasebook, PhrasebookCorpus, generate


@pytest.fixture(scope="session")
def grammar() -> Phrasebook:
    return Phrasebook.load()


@pytest.fixture(scope="session")
def corpus(grammar: Phrasebook) -> PhrasebookCorpus:
    """The default corpus: 20000 pairs, seed 1."""
    return generate(grammar=grammar)
