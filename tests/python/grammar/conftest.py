"""A rule table on disk, to be read or damaged."""

import shutil

import pytest
from support.corpora.grammar_corpus import LIMITS, corpus

from tunesmith.grammar import ExtractOptions, HieroOptions, extract_rules


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    bitext, alignments = corpus()
    folder = tmp_path_factory.mktemp("tables") / "rules"
    extract_rules(bitext, alignments, folder, ExtractOptions(HieroOptions(**LIMITS)))
    return folder


@pytest.fixture
def copy(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "rules")
    return tmp_path / "rules"
