"""The outer loop: which steps run when, what it returns, when it stops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.lists.toy_parts import Always, MeanDifference, SeededStep
from support.models.toy_decoder import ToyDecoder, toy_data

from tunesmith.errors import ConfigError, FormatError
from tunesmith.metrics import Bleu, ChrF, Ter
from tunesmith.search import CandidateSet
from tunesmith.tuning import BatchRounds, FileSource, History, KBestSource, Projection, Round, Tuner
from tunesmith.tuning.groups.steps import OptimiseGroups
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.history import read_history, write_history
from tunesmith.tuning.loop.observer import Observer
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.loop.steps import Optimise
from tunesmith.tuning.pools.gains import best_of_each

LINES, REFERENCES = toy_data()


class Steps(Observer):
    def __init__(self):
        self.seen = []

    def step(self, number, name):
        self.seen.append((number, name))


def k_best(k=5, **settings):
    return KBestSource(ToyDecoder(**settings), LINES, REFERENCES, k=k)


def test_a_round_is_merge_optimise_decode_measure():
    steps = Steps()
    Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(2)).fit(k_best(), observer=steps)
    later = ["merge", "optimise", "decode", "measure"]
    assert steps.seen == [(0, "decode"), (0, "measure"), *((number, name) for number in (1, 2) for name in later)]


def test_every_row_tells_of_its_own_weights():
    """The score of a round is that of a fresh decoding with the weights it ended with."""
    decoder = ToyDecoder()
    tuner = Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(3)).fit(
        KBestSource(decoder, LINES, REFERENCES, k=5)
    )
    decoder.set_weights(tuner.weights_.array)
    first = [decoder.k_best([line], 5).text(0) for line in LINES]
    assert Bleu().corpus_score(first, REFERENCES) == pytest.approx(tuner.history_.best.score)


def test_tuning_beats_the_start():
    tuner = Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(3)).fit(k_best())
    assert tuner.history_.best.score > tuner.history_[0].score + 10


def test_lists_grow_until_nothing_new_comes():
    tuner = Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(15)).fit(k_best(pool=12, k=6))
    assert tuner.reason_ == "no new candidates"
    sizes = [row.candidates for row in tuner.history_[1:]]
    assert sizes == [sum(row.new for row in tuner.history_[1 : at + 2]) for at in range(len(sizes))]
    assert all(row.new for row in tuner.history_[1:])


class Renamed(ToyDecoder):
    """Every decoding gives other texts, so that candidates are always new."""

    def translations(self, line):
        texts, rows = super().translations(line)
        return [f"{text} {self.calls}" for text in texts], rows


def test_weights_that_do_not_change_end_the_run():
    source = KBestSource(Renamed(), LINES, REFERENCES, k=5)
    tuner = Tuner(MeanDifference(), Always((1.0, 0.0, 0.5)), plan=BatchRounds(15)).fit(source)
    assert tuner.reason_ == "the weights do not change any more"
    assert len(tuner.history_) == 2


def test_rounds_are_counted():
    source = KBestSource(Renamed(), LINES, REFERENCES, k=5)
    tuner = Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(4)).fit(source)
    assert tuner.reason_ == "all 4 rounds"
    assert [row.round for row in tuner.history_] == [0, 1, 2, 3, 4]


def test_fixed_lists_take_one_round():
    decoder = ToyDecoder()
    tuner = Tuner(MeanDifference(), SeededStep()).fit(FileSource(decoder.k_best(LINES, 10), REFERENCES))
    assert tuner.reason_ == "one round"
    assert [row.round for row in tuner.history_] == [0, 1]
    assert tuner.history_[1].score == tuner.history_[1].list_score  # nothing but the lists is there


def test_lists_with_statistics_need_no_references():
    candidates = ToyDecoder().k_best(LINES, 10)
    with_references = Tuner(MeanDifference(), SeededStep()).fit(FileSource(candidates, REFERENCES))
    measured = candidates.with_statistics(Bleu().prepare(REFERENCES))
    without = Tuner(MeanDifference(), SeededStep()).fit(FileSource(measured))
    assert with_references.weights_.array.tolist() == without.weights_.array.tolist()


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_seed_gives_the_same_weights_whatever_the_threads(seed):
    one, two = (
        Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(3), seed=seed).fit(k_best(), threads=threads)
        for threads in (1, 2)
    )
    assert one.weights_.array.tobytes() == two.weights_.array.tobytes()
    assert str(one.signature_) == str(two.signature_)


def test_another_seed_gives_other_weights_and_another_signature():
    one, two = (
        Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(1), seed=seed).fit(k_best()) for seed in (1, 2)
    )
    assert one.weights_.array.tolist() != two.weights_.array.tolist()
    assert str(one.signature_) != str(two.signature_)


def test_lengths_are_watched_whatever_the_metric():
    """BLEU tells the ratio itself; with one reference that is the ratio of words."""
    bleu, chrf = (
        Tuner(MeanDifference(), Always((1.0, 0.0, 0.5)), metric=metric, plan=BatchRounds(1))
        for metric in (None, ChrF())
    )
    assert bleu.fit(k_best()).history_[1].length_ratio == chrf.fit(k_best()).history_[1].length_ratio


def test_an_error_rate_is_made_smaller():
    tuner = Tuner(MeanDifference(), SeededStep(-1.0), metric=Ter(), plan=BatchRounds(3)).fit(k_best())
    assert tuner.history_.best.score == min(row.score for row in tuner.history_)


def test_interpolation_mixes_with_the_weights_before():
    start = np.array([1.0, 2.0, 4.0])
    mixed = Tuner(MeanDifference(), Always((2.0, 0.0, 0.0)), plan=BatchRounds(1, 0.25))
    state = optimised(mixed, State(start, round=1))
    assert state.weights.tolist() == [1.25, 1.5, 3.0]


def test_the_one_round_of_fixed_lists_goes_the_whole_way():
    source = FileSource(ToyDecoder().k_best(LINES, 10), REFERENCES)
    whole, half = (
        Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(interpolation=share)).fit(source)
        for share in (1.0, 0.5)
    )
    assert whole.history_.best.round == 1
    assert half.weights_.array.tolist() == whole.weights_.array.tolist()
    assert str(half.signature_) == str(whole.signature_)


def optimised(tuner, state, step=Optimise):
    source = FileSource(ToyDecoder().k_best(LINES, 10), REFERENCES)
    context = Context({"dev": source}, tuner.metric, seed=1)
    context.prepare()
    return step(parts=tuner.parts, interpolation=tuner.plan.interpolation).run(state, context)


def test_the_weights_of_groups_are_tuned():
    """Tuning with f0 and f2 as one group is tuning on lists that hold their sum."""
    projection = Projection(np.array([0, -1, 0]), 1)
    tuner = Tuner(MeanDifference(), SeededStep())
    state = State(np.array([1.0, 5.0, 3.0]), round=1, projection=projection)
    grouped = optimised(tuner, state, OptimiseGroups).weights
    assert grouped[0] == grouped[2]
    assert grouped[1] == 0.0
    lists = ToyDecoder().k_best(LINES, 10)
    rows = lists.rows().toarray()
    summed = CandidateSet.from_matrix(
        (rows[:, 0] + rows[:, 2])[:, None], lists.offsets, texts=[lists.text(at) for at in range(len(lists))]
    )
    context = Context({"dev": FileSource(summed, REFERENCES)}, Bleu(), seed=1)
    context.prepare()
    alone = Optimise(parts=tuner.parts).run(State(np.array([2.0]), round=1), context).weights
    assert alone[0] == pytest.approx(grouped[0])


@given(st.lists(st.integers(-1, 4), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_a_projected_score_is_the_score_of_the_unpacked_weights(groups, random):
    projection = Projection(np.array(groups), 5)
    weights = np.array([random.uniform(-1, 1) for _ in range(5)])
    row = np.array([random.randint(-3, 3) for _ in groups], dtype=float)
    assert (row @ projection.matrix) @ weights == pytest.approx(row @ projection.unpack(weights))
    used = sorted({group for group in groups if group >= 0})
    assert projection.weights(projection.unpack(weights))[used] == pytest.approx(weights[used])


def test_groups_that_cannot_be_are_refused():
    for groups in ([0, 3], [-2], [[0]]):
        with pytest.raises(ConfigError, match="groups"):
            Projection(np.array(groups), 3)


@given(st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=1, max_size=6))
def test_the_best_of_each_sentence_is_found(lists):
    values = np.array([value for each in lists for value in each], dtype=float)
    offsets = np.cumsum([0, *map(len, lists)])
    expected = [begin + each.index(max(each)) for begin, each in zip(offsets, lists, strict=False) if each]
    assert best_of_each(values, offsets).tolist() == expected


scores = st.floats(-100, 100)


@given(st.lists(scores, min_size=1, max_size=8), st.booleans())
def test_the_best_round_is_the_first_of_the_best(values, higher):
    history = History([Round(at, value) for at, value in enumerate(values)], higher_is_better=higher)
    assert history.best.round == values.index(max(values) if higher else min(values))


@given(st.lists(st.tuples(scores, st.one_of(st.none(), scores)), max_size=4))
def test_a_history_is_read_as_it_was_written(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("history") / "history.jsonl"
    rows = [Round(at, score, length_ratio=ratio, details={"x": score}) for at, (score, ratio) in enumerate(values)]
    write_history(path, rows)
    assert read_history(path) == rows


@pytest.mark.parametrize("text", ["{", "[]", '"x"', '{"score": 1}', '{"round": 1}', "null"])
def test_a_damaged_history_is_told(tmp_path, text):
    path = tmp_path / "history.jsonl"
    path.write_text(f'{{"round": 0, "score": 1.0}}\n{text}\n')
    with pytest.raises(FormatError, match=r"history\.jsonl:2"):
        read_history(path)
