"""The same phrase-based model in Moses and here: ../shared/reference/moses-phrase (Moses, recorded)."""

import pytest
from support.models.phrase_models import phrases_of
from support.models.recorded_moses import PHRASE_FEATURES, assert_printed, bleu, mean, recorded, same_derivation

from tunesmith.decoding import load_decoder

# Mean model scores of 1000 sentences that Moses2 reached (README of the recorded runs), by its pop limit.
MOSES2 = {100: -36.2088, 500: -36.2024}


@pytest.fixture(scope="module")
def reference(shared):
    return shared / "reference" / "moses-phrase"


@pytest.fixture(scope="module")
def best(imported, flickr):
    """Best translations by the pop limit of Moses."""
    return {
        limit: load_decoder(imported, pop_limit=limit, stack_limit=limit).translate(flickr[0], threads=2)
        for limit in (100, 500)
    }


@pytest.mark.parametrize("limit", [100, 500])
def test_search_is_no_worse_than_that_of_moses(limit, reference, best):
    theirs = [line.score for line in recorded(reference / f"cube-{limit}.best1.gz")]
    assert len(theirs) == 1000
    ours = mean(one.score for one in best[limit])
    assert ours >= mean(theirs)
    assert ours >= MOSES2[limit]


def test_bleu_is_that_of_moses(reference, best, flickr):
    theirs = [line.words for line in recorded(reference / "cube-500.best1.gz")]
    ours = bleu([one.text for one in best[500]], flickr[1])
    assert ours == pytest.approx(bleu(theirs, flickr[1]), abs=0.3)


def test_features_of_the_same_derivation_are_what_moses_prints(reference, best):
    same = 0
    for one, theirs in zip(best[500], recorded(reference / "stack-default.best1.gz"), strict=True):
        if same_derivation(one, theirs):
            same += 1
            assert_printed(one, theirs, PHRASE_FEATURES)
    assert same > 950


def spans_of(segmentation):
    """The spans of Moses' begin-end=begin-end …, in the order of the translation."""
    spans = [part.split("=")[0].split("-") for part in segmentation.split()]
    return tuple((int(span[0]), int(span[-1]) + 1) for span in spans)


def test_lists_hold_the_derivations_that_moses_found(reference, imported, flickr):
    """Found by their segmentation and words, they have the values that Moses printed."""
    lists = {}
    for line in recorded(reference / "first100.nbest100.gz"):
        if line.sentence < 20:
            lists.setdefault(line.sentence, []).append(line)
    decoder = load_decoder(imported, pop_limit=500, stack_limit=500)
    found = wanted = jumps = 0
    for number, decoding in enumerate(decoder.k_best(flickr[0][:20], 300, threads=2)):
        ours = {}
        for one in decoding:
            spans = tuple((begin, end) for _, begin, end in phrases_of(one))
            ours.setdefault((one.text, spans), []).append(one)
        for theirs in lists[number][:60]:
            wanted += 1
            for one in ours.get((theirs.words, spans_of(theirs.rest)), ()):
                if same_derivation(one, theirs):
                    found += 1
                    jumps += theirs.values["Distortion0"] != [0.0]
                    assert_printed(one, theirs, PHRASE_FEATURES)
                    break
    assert found >= 0.95 * wanted  # both searches prune
    assert jumps > 100
