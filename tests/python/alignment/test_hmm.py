"""Our IBM model 1 and HMM against sums over all alignments, and for every number of threads."""

import random

import pytest
from reference.hmm import SlowAligner

from tunesmith import _core
from tunesmith.alignment.pharaoh import WordAlignments
from tunesmith.corpus.vocab import Vocabulary

OPTIONS = [(0.2, 0.2, 0.01), (0.1, 0.0, 0.0), (0.3, 1.0, 0.5)]


def some_pairs(seed, size=25):
    rng = random.Random(seed)
    return [[rng.choices(words, k=rng.randint(1, 4)) for words in ("abcde", "vwxyz")] for _ in range(size)]


def ours(pairs, chain, options, threads=1, flipped=False):
    sides = [[" ".join(pair[at]) for pair in pairs] for at in (0, 1)]
    words = [Vocabulary.build(side) for side in sides]
    encoded = [each.encode(side) for each, side in zip(words, sides, strict=True)]
    aligner = _core.HmmAligner(*encoded[0], *encoded[1], len(words[0]), *options)
    for model in chain:
        (aligner.train_hmm if model == "hmm" else aligner.train_model1)(threads)
    return WordAlignments(aligner.align(flipped, threads))


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("chain", [["model1"], ["model1"] * 3, ["model1", "hmm"], ["model1", "hmm", "hmm", "hmm"]])
def test_alignments_are_those_of_the_definition(chain, options):
    pairs = some_pairs(len(chain))
    slow = SlowAligner(pairs, *options)
    for model in chain:
        slow.train(model == "hmm")
    compared = 0
    for pair, found in zip(pairs, ours(pairs, chain, options), strict=True):
        margin, wanted = slow.best(pair, chain[-1] == "hmm")
        if margin > 1 + 1e-4:  # otherwise two are equally good
            compared += 1
            assert set(found) == wanted
    assert compared > len(pairs) // 3


def test_threads_change_nothing_and_flipped_links_are_the_other_way_round():
    pairs = some_pairs(7, 300)
    chain = ["model1"] * 3 + ["hmm"] * 3
    one = ours(pairs, chain, OPTIONS[0])
    assert one == ours(pairs, chain, OPTIONS[0], threads=3)
    flipped = ours(pairs, chain, OPTIONS[0], flipped=True)
    assert [{(j, i) for i, j in pair} for pair in one] == [set(pair) for pair in flipped]


def test_empty_sides_get_no_links_and_bad_arrays_are_refused():
    pairs = [*some_pairs(1), ([], ["v"]), (["a"], []), ([], [])]
    assert [list(pair) for pair in ours(pairs, ["model1", "hmm"], OPTIONS[0])][-3:] == [[], [], []]
    ids, offsets = Vocabulary.build(["a b"]).encode(["a b"])
    for wrong in [
        (ids, offsets[:1], ids, offsets, 9),
        (ids, offsets, ids, offsets, 2),
        (ids, offsets + 1, ids, offsets, 9),
    ]:
        with pytest.raises(ValueError):
            _core.HmmAligner(*wrong)
    with pytest.raises(ValueError, match="not probabilities"):
        _core.HmmAligner(ids, offsets, ids, offsets, 9, to_null=1.0)
