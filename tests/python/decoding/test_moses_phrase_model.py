"""The same phrase-based model in Moses and here: ../shared/reference/moses-phrase (Moses, recorded)."""

import gzip
import math
import re

import pytest
import sacrebleu

from tunesmith.decoding import load_decoder
from tunesmith.io import read_lines
from tunesmith.training.import_moses import import_moses

# Features in the order in which Moses prints their values.
OURS = {
    "LexicalReordering0": [f"reordering:{side}-{name}" for side in ("previous", "next")
                           for name in ("monotone", "swap", "discontinuous")],
    "Distortion0": ["distortion"],
    "LM0": ["lm"],
    "WordPenalty0": ["word_penalty"],
    "PhrasePenalty0": ["rule_penalty"],
    "TranslationModel0": [f"translation:{name}" for name in ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)")],
}  # fmt: skip
# Mean model scores of 1000 sentences that Moses2 reached (README of the recorded runs), by its pop limit.
MOSES2 = {100: -36.2088, 500: -36.2024}


@pytest.fixture(scope="module")
def reference(shared):
    return shared / "reference" / "moses-phrase"


@pytest.fixture(scope="module")
def model(reference, tmp_path_factory):
    folder = tmp_path_factory.mktemp("moses") / "model"
    import_moses(reference / "moses.ini", folder)
    return folder


@pytest.fixture(scope="module")
def source(shared):
    return read_lines(shared / "data" / "multi30k-de-en" / "test_2016_flickr.de")


@pytest.fixture(scope="module")
def best(model, source):
    """Best translations by the pop limit of Moses."""
    return {
        limit: load_decoder(model, pop_limit=limit, stack_limit=limit).translate(source, threads=2)
        for limit in (100, 500)
    }


def recorded(path):
    """Number of the sentence, words, feature values by name, score, segmentation if it is there, as printed."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            number, words, values, score, *rest = line.split(" ||| ")
            named = {}
            for name, numbers in re.findall(r"(\w+)= ((?:[-\d.e]+ ?)+)", values):
                named[name] = [float(value) for value in numbers.split()]
            yield int(number), " ".join(words.split()), named, float(score), rest[0] if rest else ""


def last_digit(value):
    """Moses prints six digits of sums in single precision: one unit of the last digit."""
    return 0.0 if value == 0 else 10.0 ** (math.floor(math.log10(abs(value))) - 5)


def mean(scores):
    scores = list(scores)
    return sum(scores) / len(scores)


@pytest.mark.parametrize("limit", [100, 500])
def test_search_is_no_worse_than_that_of_moses(limit, reference, best):
    theirs = [score for _, _, _, score, _ in recorded(reference / f"cube-{limit}.best1.gz")]
    assert len(theirs) == 1000
    ours = mean(one.score for one in best[limit])
    assert ours >= mean(theirs)
    assert ours >= MOSES2[limit]


def test_bleu_is_that_of_moses(reference, best, shared):
    references = read_lines(shared / "data" / "multi30k-de-en" / "test_2016_flickr.en")
    theirs = [words for _, words, _, _, _ in recorded(reference / "cube-500.best1.gz")]

    def bleu(lines):
        return sacrebleu.corpus_bleu(lines, [references], tokenize="none", force=True).score

    assert bleu([one.text for one in best[500]]) == pytest.approx(bleu(theirs), abs=0.3)


def assert_same_values(one, values, score):
    ours = one.named_features()
    for name, numbers in values.items():
        for feature, value in zip(OURS[name], numbers, strict=True):
            assert ours.get(feature, 0.0) == pytest.approx(value, rel=0, abs=last_digit(value)), feature
    # The sum of parts of up to 20, in single precision.
    assert one.score == pytest.approx(score, rel=0, abs=max(last_digit(score), 1e-5))


def test_features_of_the_same_derivation_are_what_moses_prints(reference, best):
    same = 0
    theirs = recorded(reference / "stack-default.best1.gz")
    for one, (_, words, values, score, _) in zip(best[500], theirs, strict=True):
        if one.text == words and abs(one.score - score) < 1e-3:  # otherwise another derivation
            same += 1
            assert_same_values(one, values, score)
    assert same > 950


def segmentation(one):
    """As Moses writes it, source=target in the order of the translation; the target is left out here."""
    steps = list(one.derivation)[::-1][1:-1]
    return [(step.begin, step.end) for step in steps]


def test_lists_hold_the_derivations_that_moses_found(reference, model, source):
    """Found by their segmentation and words, they have the values that Moses printed."""
    lists = {}
    for number, words, values, score, spans in recorded(reference / "first100.nbest100.gz"):
        if number < 20:
            parts = [part.split("=")[0].split("-") for part in spans.split()]
            place = tuple((int(part[0]), int(part[-1]) + 1) for part in parts)
            lists.setdefault(number, []).append((words, place, values, score))
    decoder = load_decoder(model, pop_limit=500, stack_limit=500)
    found = wanted = jumps = 0
    for number, decoding in enumerate(decoder.k_best(source[:20], 300, threads=2)):
        ours = {}
        for one in decoding:
            ours.setdefault((one.text, tuple(segmentation(one))), []).append(one)
        for words, place, values, score in lists[number][:60]:
            wanted += 1
            for one in ours.get((words, place), ()):
                if abs(one.score - score) < 1e-3:
                    found += 1
                    jumps += values["Distortion0"] != [0.0]
                    assert_same_values(one, values, score)
                    break
    assert found >= 0.95 * wanted  # both searches prune
    assert jumps > 100
