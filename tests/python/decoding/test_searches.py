"""What all searches promise."""

import dataclasses
import random
import signal
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from support.models import hiero_models, phrase_models
from support.models.small_models import assert_features, sentences

from tunesmith.decoding import DecoderOptions, LeftToRightOptions, SearchOptions, StackOptions


@dataclasses.dataclass(frozen=True)
class Kind:
    """make: a small model.   endless: so much work that a long line takes hours.   features: across rules.

    limited: what limits are put to. Of hierarchical search without pruning: then no limit can make it better.
    """

    make: Callable[..., hiero_models.SmallModel | phrase_models.SmallModel]
    options: SearchOptions
    endless: SearchOptions
    features: tuple[str, ...]
    limited: SearchOptions


KINDS = {
    "hiero": Kind(
        hiero_models.small_model,
        DecoderOptions(max_span=6),
        dataclasses.replace(hiero_models.ALL, max_span=20),
        ("target_bigrams",),
        hiero_models.ALL,
    ),
    "phrase": Kind(
        phrase_models.small_model,
        StackOptions(stack_limit=10),
        dataclasses.replace(phrase_models.ALL, pop_limit=20000, stack_limit=20000),
        ("distortion", "reordering", "target_bigrams"),
        StackOptions(stack_limit=10, pop_limit=200),
    ),
    "left-to-right": Kind(
        hiero_models.left_to_right_model,
        LeftToRightOptions(stack_limit=10, max_span=6),
        dataclasses.replace(hiero_models.ALL_LEFT_TO_RIGHT, max_span=20, pop_limit=20000, stack_limit=20000),
        ("target_bigrams",),
        LeftToRightOptions(stack_limit=10, pop_limit=200),
    ),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def test_distinct_lists_have_the_best_derivation_of_every_string(kind, tmp_path):
    model = kind.make(tmp_path, 3)
    for words in sentences(3, longest=4):
        best = {}
        for score, one in model.ranked(words):
            best.setdefault(" ".join(one.words), score)
        found = model.decoder.k_best([" ".join(words)], len(best) + 1, distinct=True)[0]
        assert {one.text: one.score for one in found} == pytest.approx(best, abs=1e-4)


def test_threads_change_nothing(kind, tmp_path):
    options = dataclasses.replace(kind.options, pop_limit=15)
    lines = [" ".join(words) for words in sentences(7, 200, 12)]

    def everything(threads):
        fresh = kind.make(tmp_path, 7, count=40, options=options, state_features=kind.features).decoder
        found = fresh.k_best(lines, 5, threads=threads)
        return [
            [(one.text, one.score, one.rules, one.alignment, one.feature_values()) for one in decoding]
            for decoding in found
        ], list(fresh.index)

    assert everything(1) == everything(2) == everything(5)


@pytest.mark.parametrize("what", ["pops", "edges", "bytes"])
def test_limits_are_counted_and_told(what, kind, tmp_path):
    lines = ["a b c d " * 6]

    def decoded(**limits):
        model = kind.make(tmp_path, 17, count=40, options=dataclasses.replace(kind.limited, **limits))
        return model, model.decoder.k_best(lines, 1)[0]

    _, free = decoded()
    model, limited = decoded(**{f"max_{what}": getattr(free, what) // 4})
    assert limited.limited
    assert not free.limited
    assert not limited.timed_out
    assert getattr(limited, what) < getattr(free, what)
    assert limited.best.score <= free.best.score + 1e-4
    assert_features(model, limited.best)
    _, timed = decoded(timeout=1e-9)
    assert timed.timed_out
    assert timed.limited
    assert timed.best.text


def test_words_after_the_first_ones_are_translated_one_by_one(kind, tmp_path):
    lines = ["a b c d " * 6, "a b c d " * 3]

    def decoded(**limits):
        model = kind.make(tmp_path, 17, count=40, options=dataclasses.replace(kind.limited, **limits))
        return model, model.decoder.k_best(lines, 1)

    _, free = decoded(max_words=0)
    _, all_searched = decoded(max_words=24)
    model, cut = decoded(max_words=12)
    assert [one.limited for one in all_searched] == [False, False]
    assert [one.best.text for one in all_searched] == [one.best.text for one in free]
    assert [one.limited for one in cut] == [True, False]
    assert cut[1].best.score == free[1].best.score
    assert cut[1].pops < cut[0].pops < free[0].pops  # the first words are searched as ever
    assert cut[0].best.score <= free[0].best.score + 1e-4
    assert_features(model, cut[0].best)
    links = dict.fromkeys(source for source, _ in cut[0].best.alignment)
    assert set(links) <= set(range(24))


def test_a_very_long_line_takes_little_by_default(kind, tmp_path):
    """The default bounds what a line without end can take; ordinary lines are far below it."""
    model = kind.make(tmp_path, 17, count=40, options=dataclasses.replace(kind.limited, pop_limit=5))
    short, long, longer = model.decoder.k_best(["a b c d " * 400, "a b c d " * 500, "a b c d " * 5000], 1)
    assert [short.limited, long.limited, longer.limited] == [False, False, True]
    per_word = (longer.edges - long.edges) / 18_000
    assert per_word < long.edges / 2000 / 4


def test_largest_weights_keep_the_order_of_scores(kind, tmp_path):
    model = kind.make(tmp_path, 33, count=40, options=dataclasses.replace(kind.options, pop_limit=50))
    signs = random.Random(33).choices([-1e20, 1e20], k=len(model.decoder.weights))
    model.decoder.set_weights(np.array(signs))
    for decoding in model.decoder.k_best([" ".join(words) for words in sentences(33, 10, 9)], 30):
        scores = [one.score for one in decoding]
        assert np.isfinite(scores).all()
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_the_search_inside_a_sentence(threads, kind, tmp_path):
    model = kind.make(tmp_path, 35, count=200, options=kind.endless)
    line = " ".join("abcd"[at * at % 4] for at in range(2000))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for work in (model.decoder.translate, partial(model.decoder.k_best, k=3)):
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with pytest.raises(KeyboardInterrupt):
                work([line] * 3, threads=threads)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert model.decoder.translate(["a"])[0].text  # still alive
