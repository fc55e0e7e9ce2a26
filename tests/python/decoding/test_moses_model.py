"""The same model in Moses and here: ../shared/reference/moses-hiero (Moses and Moses2, recorded)."""

import math

import pytest
from support.models.recorded_moses import assert_printed, bleu, mean, recorded, same_derivation

from tunesmith.decoding import load_decoder

SENTENCES = 300
# Features in the order in which Moses prints their values.
OURS = {
    "LM0": ["lm"],
    "WordPenalty0": ["word_penalty"],
    "PhrasePenalty0": ["rule_penalty"],
    "TranslationModel0": [f"translation:{name}" for name in ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)")],
    "TranslationModel1": ["glue_penalty"],
}


@pytest.fixture(scope="module")
def reference(shared):
    return shared / "reference" / "moses-hiero"


@pytest.fixture(scope="module")
def source(flickr):
    return flickr[0][:SENTENCES]


@pytest.fixture(scope="module")
def best(imported, source):
    """Best translations at pop limit 100."""
    return load_decoder(imported, pop_limit=100).translate(source, threads=2)


@pytest.mark.parametrize("name", ["pop-30", "pop-100", "moses2-pop-30", "moses2-pop-100"])
def test_search_is_no_worse_than_that_of_moses(name, reference, best):
    theirs = [line.score for line in recorded(reference / f"{name}.best1.gz")]
    assert len(theirs) == SENTENCES
    assert mean(one.score for one in best) >= mean(theirs)


def test_a_wider_search_is_no_worse_than_the_widest_ones_of_moses(reference, imported, source):
    ours = mean(one.score for one in load_decoder(imported, pop_limit=300).translate(source, threads=2))
    for name in ("pop-300", "pop-1000", "moses2-pop-300"):
        assert ours >= mean(line.score for line in recorded(reference / f"{name}.best1.gz")), name


def test_bleu_is_that_of_moses(reference, best, flickr):
    references = flickr[1][:SENTENCES]
    theirs = [line.words for line in recorded(reference / "moses2-pop-100.best1.gz")]
    assert bleu([one.text for one in best], references) == pytest.approx(bleu(theirs, references), abs=0.3)


def test_features_of_the_same_derivation_are_what_moses_prints(reference, best):
    same = 0
    for one, theirs in zip(best, recorded(reference / "pop-1000.best1.gz"), strict=True):
        if same_derivation(one, theirs):
            same += 1
            assert_printed(one, theirs, OURS)
    assert same > 0.8 * SENTENCES


def test_lists_hold_what_moses_found(reference, imported, source):
    """The best strings of Moses' 100-best lists are in ours, with a derivation that is no worse."""
    theirs = {}
    for line in recorded(reference / "first100.nbest100.gz"):
        theirs.setdefault(line.sentence, {}).setdefault(line.words, line.score)
    found = wanted = 0
    decoder = load_decoder(imported, pop_limit=100)
    for number, decoding in enumerate(decoder.k_best(source[:20], 200, distinct=True, threads=2)):
        ours = {one.text: one.score for one in decoding}
        for words, score in list(theirs[number].items())[:5]:
            wanted += 1
            found += ours.get(words, -math.inf) >= score - 2e-3
    assert found >= 0.85 * wanted  # both searches prune
