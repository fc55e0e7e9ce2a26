"""The same model in Moses and here: ../shared/reference/moses-hiero (Moses and Moses2, recorded)."""

import gzip
import math
import re

import pytest
import sacrebleu

from tunesmith.decoding import load_decoder
from tunesmith.io import read_lines
from tunesmith.training.import_moses import import_moses

SENTENCES = 300


@pytest.fixture(scope="module")
def reference(shared):
    return shared / "reference" / "moses-hiero"


@pytest.fixture(scope="module")
def model(reference, tmp_path_factory):
    folder = tmp_path_factory.mktemp("moses") / "model"
    import_moses(reference / "moses.ini", folder)
    return folder


@pytest.fixture(scope="module")
def source(shared):
    return read_lines(shared / "data" / "multi30k-de-en" / "test_2016_flickr.de")[:SENTENCES]


def recorded(path):
    """Words, printed feature values by name, printed score of each line."""
    found = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            number, words, values, score = line.split(" ||| ")[:4]
            named = {}
            for name, numbers in re.findall(r"(\w+)= ((?:[-\d.e]+ ?)+)", values):
                named[name] = [float(value) for value in numbers.split()]
            found.append((int(number), " ".join(words.split()), named, float(score)))
    return found


OURS = {"LM0": ["lm"], "WordPenalty0": ["word_penalty"], "PhrasePenalty0": ["rule_penalty"],
        "TranslationModel0": ["translation:p(f|e)", "translation:lex(f|e)", "translation:p(e|f)",
                              "translation:lex(e|f)"],
        "TranslationModel1": ["glue_penalty"]}  # fmt: skip


def last_digit(value):
    """Moses prints six digits of sums in single precision: one unit of the last digit."""
    return 0.0 if value == 0 else 10.0 ** (math.floor(math.log10(abs(value))) - 5)


@pytest.fixture(scope="module")
def best(model, source):
    """Best translations at pop limit 100."""
    return load_decoder(model, pop_limit=100).translate(source, threads=2)


def mean(scores):
    scores = list(scores)
    return sum(scores) / len(scores)


@pytest.mark.parametrize("name", ["pop-30", "pop-100", "moses2-pop-30", "moses2-pop-100"])
def test_search_is_no_worse_than_that_of_moses(name, reference, best):
    theirs = recorded(reference / f"{name}.best1.gz")
    assert len(theirs) == SENTENCES
    assert mean(one.score for one in best) >= mean(score for _, _, _, score in theirs)


def test_a_wider_search_is_no_worse_than_the_widest_ones_of_moses(reference, model, source):
    ours = mean(one.score for one in load_decoder(model, pop_limit=300).translate(source, threads=2))
    for name in ("pop-300", "pop-1000", "moses2-pop-300"):
        assert ours >= mean(score for _, _, _, score in recorded(reference / f"{name}.best1.gz")), name


def test_bleu_is_that_of_moses(reference, best, shared):
    references = read_lines(shared / "data" / "multi30k-de-en" / "test_2016_flickr.en")[:SENTENCES]
    theirs = [words for _, words, _, _ in recorded(reference / "moses2-pop-100.best1.gz")]

    def bleu(lines):
        return sacrebleu.corpus_bleu(lines, [references], tokenize="none", force=True).score

    assert bleu([one.text for one in best]) == pytest.approx(bleu(theirs), abs=0.3)


def test_features_of_the_same_derivation_are_what_moses_prints(reference, best):
    same = 0
    for one, (_, words, values, score) in zip(best, recorded(reference / "pop-1000.best1.gz"), strict=True):
        if one.text != words or abs(one.score - score) > 1e-3:
            continue  # another derivation
        same += 1
        ours = one.named_features()
        for name, numbers in values.items():
            for feature, value in zip(OURS[name], numbers, strict=True):
                assert ours.get(feature, 0.0) == pytest.approx(value, rel=0, abs=last_digit(value)), feature
        assert one.score == pytest.approx(score, rel=0, abs=last_digit(score))
    assert same > 0.8 * SENTENCES


def test_lists_hold_what_moses_found(reference, model, source):
    """The best strings of Moses' 100-best lists are in ours, with a derivation that is no worse."""
    theirs = {}
    for number, words, _, score in recorded(reference / "first100.nbest100.gz"):
        theirs.setdefault(number, {}).setdefault(words, score)
    found = wanted = 0
    decoder = load_decoder(model, pop_limit=100)
    for number, decoding in enumerate(decoder.k_best(source[:20], 200, distinct=True, threads=2)):
        ours = {one.text: one.score for one in decoding}
        for words, score in list(theirs[number].items())[:5]:
            wanted += 1
            found += ours.get(words, -math.inf) >= score - 2e-3
    assert found >= 0.85 * wanted  # both searches prune
