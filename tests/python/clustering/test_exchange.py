"""Exchange against its definition: objectives from scratch, brute force, the slow twin."""

import itertools
import random

import numpy as np
import pytest
from reference import clustering as slow
from support.models.class_text import random_text

from tunesmith import _core
from tunesmith.clustering import OBJECTIVES, ClusteringOptions, WordClasses, cluster
from tunesmith.clustering.training import divided


def bigrams_of(text: list[list[str]], min_count: int = 1) -> _core.Bigrams:
    counter = _core.BigramCounter()
    counter.add([" ".join(line) for line in text])
    return counter.choose(min_count, [])


def exchange_of(
    bigrams: _core.Bigrams, kind: str, classes: int, start: list[int], fixed: list[bool] | None = None
) -> _core.Exchange:
    return _core.Exchange(
        bigrams,
        _core.ClassObjective[kind.replace("-", "_")],
        classes,
        np.array(start, dtype=np.int32),
        np.array(fixed or [False] * len(bigrams), dtype=np.bool_),
    )


@pytest.mark.parametrize("kind", OBJECTIVES)
@pytest.mark.parametrize("seed", range(4))
def test_every_pass_is_that_of_the_twin(kind, seed):
    text = random_text(seed, 12, 40)
    bigrams = bigrams_of(text)
    words = bigrams.words()
    assert words == slow.by_count(text)
    rng = random.Random(seed)
    start = [rng.randrange(-1, 4) for _ in words]
    exchange, classes = exchange_of(bigrams, kind, 4, start), dict(zip(words, start, strict=True))
    for _ in range(5):
        moves = exchange.make_pass(1 + seed % 3)
        assert moves == slow.make_pass(text, classes, 4, kind)
        assert exchange.classes().tolist() == [classes[word] for word in words]
        assert exchange.objective == pytest.approx(slow.objective(text, classes, kind), abs=1e-8)


@pytest.mark.parametrize("kind", OBJECTIVES)
@pytest.mark.parametrize("classes", [1, 3, 40, 300])
def test_running_sum_is_the_objective_from_scratch_and_never_falls(kind, classes):
    text = random_text(classes, 400, 900)  # several blocks; rows with few cells and with all
    bigrams = bigrams_of(text)
    exchange = exchange_of(bigrams, kind, classes, [word % classes for word in range(len(bigrams))])
    last = exchange.from_scratch()
    assert exchange.objective == last
    moved = []
    for _ in range(30):
        moved.append(exchange.make_pass(2))
        assert exchange.objective == pytest.approx(exchange.from_scratch(), rel=1e-12)
        assert exchange.objective >= last
        last = exchange.objective
    assert moved[-1] == 0
    assert (moved[0] > 0) == (classes > 1)
    named = dict(zip(bigrams.words(), exchange.classes().tolist(), strict=True))
    assert last == pytest.approx(slow.objective(text, named, kind), rel=1e-12)


@pytest.mark.parametrize("kind", OBJECTIVES)
def test_no_single_move_is_better_at_the_end(kind):
    text = random_text(5, 30, 60)
    bigrams = bigrams_of(text)
    exchange = exchange_of(bigrams, kind, 5, [word % 5 for word in range(len(bigrams))])
    while exchange.make_pass():
        pass
    final = dict(zip(bigrams.words(), exchange.classes().tolist(), strict=True))
    value = slow.objective(text, final, kind)
    for word, name in itertools.product(final, range(5)):
        assert slow.objective(text, {**final, word: name}, kind) <= value + 1e-6


@pytest.mark.parametrize("kind", OBJECTIVES)
def test_brute_force_over_all_classes_of_a_dozen_words(kind):
    text = random_text(8, 11, 25, 6)
    bigrams = bigrams_of(text)
    words = bigrams.words()
    values = {}
    for rest in itertools.product(range(2), repeat=len(words) - 1):
        chosen = (0, *rest)
        values[chosen] = slow.objective(text, dict(zip(words, chosen, strict=True)), kind)
    best = max(values, key=values.__getitem__)
    stays = exchange_of(bigrams, kind, 2, list(best))
    assert stays.make_pass() == 0  # the global optimum is where it stays
    assert stays.objective == pytest.approx(values[best])
    found = set()
    for seed in range(20):
        rng = random.Random(seed)
        exchange = exchange_of(bigrams, kind, 2, [rng.randrange(2) for _ in words])
        while exchange.make_pass():
            pass
        assert exchange.objective <= values[best] + 1e-6
        found.add(round(exchange.objective, 6))
    assert max(found) == pytest.approx(values[best])  # and some start leads to it


@pytest.mark.parametrize("kind", OBJECTIVES)
def test_threads_change_nothing(kind):
    text = random_text(3, 700, 2000)
    bigrams = bigrams_of(text)
    results = []
    for threads in (1, 2, 3, 8):
        exchange = exchange_of(bigrams, kind, 20, [word % 20 for word in range(len(bigrams))])
        moves = [exchange.make_pass(threads) for _ in range(4)]
        results.append((moves, exchange.objective, exchange.classes().tolist()))
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("kind", OBJECTIVES)
def test_fixed_words_keep_their_classes_and_the_others_are_placed(kind):
    text = random_text(9, 12, 40)
    bigrams = bigrams_of(text)
    words = bigrams.words()
    start = [place % 3 if place % 2 else slow.NONE for place in range(len(words))]
    exchange = exchange_of(bigrams, kind, 3, start, [name >= 0 for name in start])
    classes = dict(zip(words, start, strict=True))
    slow.make_pass(text, classes, 3, kind, frozenset(word for word, name in classes.items() if name >= 0))
    exchange.make_pass()
    assert exchange.classes().tolist() == [classes[word] for word in words]
    assert min(exchange.classes()) >= 0


def test_equally_good_classes_give_the_lowest():
    bigrams = bigrams_of([["a"], ["b"], ["c"]])
    exchange = exchange_of(bigrams, "one-sided", 4, [slow.NONE] * 3)
    exchange.make_pass()
    assert exchange.classes().tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("start", "classes", "wrong"),
    [
        ([0, 0], 2, "3 words but 2 classes"),
        ([0, 2, 0], 2, "class 2 of word 1 is not between 0 and 2"),
        ([0, -2, 0], 2, "class -2 of word 1"),
        ([0, 0, 0], 0, "classes must be between 1 and 65535, got 0"),
        ([0, 0, 0], 10**6, "classes must be between 1 and 65535"),
    ],
)
def test_wrong_classes_are_refused(start, classes, wrong):
    bigrams = bigrams_of([["a", "b", "c"]])
    with pytest.raises(ValueError, match=wrong):
        exchange_of(bigrams, "one-sided", classes, start, [False] * 3)


def test_too_many_classes_for_pairs_of_classes_are_refused():
    with pytest.raises(ValueError, match="at most 8192 classes, got 8193; use the bidirectional one"):
        exchange_of(bigrams_of([["a"]]), "two-sided", 8193, [0])


def test_bigrams_of_rare_words_are_those_of_unk():
    counter = _core.BigramCounter(True)
    counter.add(["a b 12 a", "", "b 34 <unk> rare"])
    assert (counter.sentences, counter.tokens, counter.types) == (3, 8, 5)
    chosen = counter.choose(2, ["rare", "absent"])
    assert chosen.words() == ["00", "a", "b", "<unk>", "rare"]
    assert chosen.counts().tolist() == [2, 2, 2, 1, 1]
    assert counter.choose(3, []).words() == ["<unk>"]
    assert len(counter.choose(1, [])) == 5  # <unk> is in the text


def test_refinement_divides_classes_and_ends_with_all():
    text = [" ".join(line) for line in random_text(4, 200, 500)]
    options = ClusteringOptions(classes=30, min_count=1, refine_from=2, passes=5, refine_passes=2)
    assert options.levels() == [2, 8, 30]
    learnt = cluster(text, options)
    assert [each.classes for each in learnt.passes][:4] == [2, 2, 8, 8]
    assert learnt.passes[-1].classes == 30
    assert len(learnt.classes.names) == 30
    numbers = np.array([0, 1, 0, 1, 0, 0, 0], dtype=np.int32)
    assert divided(numbers, 2, 5).tolist() == [0, 1, 2, 3, 4, 0, 2]


def test_start_from_given_classes_keeps_names_and_places_new_words():
    text = [" ".join(line) for line in random_text(6, 40, 200)]
    options = ClusteringOptions(classes=6, min_count=1, passes=40)
    learnt = cluster(text, options)
    assert learnt.converged
    again = cluster(text, options, start=learnt.classes)
    assert again.classes == learnt.classes
    assert len(again.passes) == 1
    fewer = WordClasses(dict.fromkeys(list(learnt.classes)[:5], "noun"))
    grown = cluster(text, options, start=fewer)
    assert set(grown.classes) == set(learnt.classes)
    assert set(grown.classes.names) <= {"noun", "0", "1", "2", "3", "4"}
