"""Small tables of both kinds, made once."""

import pytest
from support.corpora.grammar_corpus import corpus

from tunesmith.grammar import ExtractOptions, HieroOptions, PhraseOptions, extract_rules


@pytest.fixture(scope="session", params=["hiero", "phrase"])
def table(request, tmp_path_factory):
    limits = HieroOptions(min_gap=1, tight=False) if request.param == "hiero" else PhraseOptions(max_length=4)
    bitext, alignments = corpus(pairs=80)
    return extract_rules(bitext, alignments, tmp_path_factory.mktemp("table") / "rules", ExtractOptions(limits))
