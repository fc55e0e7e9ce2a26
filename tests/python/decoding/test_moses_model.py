"""The same model in Moses and here: ../shared/reference/moses-hiero (Moses and Moses2, recorded)."""

import math

import pytest
from support.models.recorded_moses import assert_printed, bleu, mean, recorded, same_derivation

from tunesmith.decoding import (
    DecoderOptions,
    HieroDecoder,
    LeftToRightDecoder,
    LeftToRightOptions,
    TranslationModel,
    load_decoder,
)
from tunesmith.features import split_features
from tunesmith.grammar.select import select_rules

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


def test_without_pruning_left_to_right_search_is_search_by_spans_on_real_sentences(imported, source, tmp_path):
    """The rules in target normalised form, pieces of real lines: the same best derivations, score by score."""
    opened = TranslationModel.open(imported)
    table = select_rules(opened.table, tmp_path / "normal", normal_form=True)
    parts = (table, split_features(opened.system.features)[0].compile(table), opened.language_models,
             opened.start_weights())  # fmt: skip
    unlimited = {"pop_limit": 65535, "max_span": 5, "table_limit": 5}
    lines = [" ".join(line.split()[at : at + 5]) for line in source[:12] for at in (0, 4)]
    ours = LeftToRightDecoder(*parts, LeftToRightOptions(stack_limit=65535, **unlimited)).k_best(lines, 30)
    theirs = HieroDecoder(*parts, DecoderOptions(**unlimited)).k_best(lines, 30)
    for one, other in zip(ours, theirs, strict=True):
        assert [each.score for each in one] == pytest.approx([each.score for each in other], abs=1e-3)
        assert not one.limited
