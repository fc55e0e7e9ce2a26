"""No run ends well with dead weights, and every reason is reported."""

import numpy as np
import pytest
from support.lists.toy_parts import Always, MeanDifference, SeededStep
from support.models.toy_decoder import ToyDecoder, toy_data

from tunesmith.errors import ConfigError, FormatError, TunesmithError
from tunesmith.metrics import Bleu
from tunesmith.search import CandidateSet
from tunesmith.tuning import BatchRounds, FileSource, History, KBestSource, ListSource, Round, Tuner
from tunesmith.tuning.loop.observer import Observer
from tunesmith.tuning.loop.safeguards import hopeless, length_warning
from tunesmith.tuning.objectives import Objective
from tunesmith.tuning.optimizers.base import BatchOptimizer
from tunesmith.tuning.pools.list_checks import check_choice, check_values
from tunesmith.weights import Weights

TEXTS = ["a b c d e", "a b c d x", "a b x y z", "f g h i j", "f g h i x"]
REFERENCES = [["a b c d e"], ["f g h i j"]]
FEATURES = np.array([[1.0, 0.0, 2.0], [2.0, 0.0, 1.0], [3.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 2.0]])


class Notes(Observer):
    def __init__(self):
        self.texts = []

    def note(self, text):
        self.texts.append(text)


def lists(features=FEATURES, texts=TEXTS, offsets=(0, 3, 5)):
    return CandidateSet.from_matrix(features, list(offsets), texts=texts, names=["f", "g", "h"])


def fit(candidates, references=REFERENCES, optimizer=None, **settings):
    notes = Notes()
    tuner = Tuner(MeanDifference(), optimizer or SeededStep(), **settings)
    tuner.fit(FileSource(candidates, references), observer=notes)
    return tuner, notes.texts


def test_healthy_lists_are_tuned_and_a_feature_that_is_zero_everywhere_is_listed():
    tuner, notes = fit(lists())
    assert tuner.history_.best.score == pytest.approx(100.0)
    assert notes == ["1 of 3 features are zero in all lists: g"]


def test_zero_features_are_those_whose_column_is_zero():
    matrix = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.5, 0.0, 1e-30]])
    candidates = CandidateSet.from_matrix(matrix, [0, 3])
    assert candidates.zero_columns().tolist() == [1]


@pytest.mark.parametrize(
    ("candidates", "references", "message"),
    [
        (lambda: lists(np.zeros((0, 3)), [], (0, 0, 0)), REFERENCES, "every list is empty"),
        (lambda: lists(FEATURES[[0, 3]], ["a b c d e", "f g h i j"], (0, 1, 2)), REFERENCES, "one candidate"),
        (lambda: lists(), [[""], ["   "]], "every reference of the development data is empty"),
        (lambda: lists(), [[], []], "every reference of the development data is empty"),
        (lambda: lists(np.ones((5, 3))), REFERENCES, "identical features"),
        (lambda: lists(np.zeros((5, 3))), REFERENCES, "all features"),
        (lambda: lists(texts=["a b c d e"] * 3 + ["f g h i j"] * 2), REFERENCES, "same BLEU"),
        (lambda: lists(texts=["p q r s t", "u v w x y", "p p p p", "q q q q q", "r"]), REFERENCES, "BLEU is 0"),
    ],
    ids=["empty lists", "one candidate", "blank references", "no references", "identical candidates",
         "all features zero", "one text", "metric zero"],
)  # fmt: skip
def test_lists_without_a_choice_are_refused(candidates, references, message):
    with pytest.raises(TunesmithError, match=message):
        fit(candidates(), references)


def test_numbers_that_are_none_are_named():
    for value in (np.nan, np.inf, -np.inf):
        features = FEATURES.copy()
        features[4, 2] = value
        with pytest.raises((ConfigError, FormatError), match=r"finite|not numbers"):
            fit(lists(features))


def test_dev_lines_without_candidates_are_named_and_left_out():
    candidates = lists(offsets=(0, 3, 3, 5))
    tuner, notes = fit(candidates, [["a b c d e"], ["never translated"], ["f g h i j"]])
    assert any("sentence 2 without candidates" in text for text in notes)
    assert tuner.history_.best.score == pytest.approx(100.0)


def test_a_sentence_with_one_of_each_is_named():
    features = FEATURES.copy()
    features[4] = features[3]
    _, notes = fit(lists(features))
    assert "sentence 2 whose candidates have identical features" in notes


def test_a_sentence_without_words_in_its_references_is_named():
    _, notes = fit(lists(), [["a b c d e"], [""]])
    assert any(text.startswith("sentence 2 without a word in any reference") for text in notes)


def test_statistics_of_another_metric_are_refused():
    candidates = lists().with_statistics(np.ones((5, 2)))
    with pytest.raises(FormatError, match="statistics of 2 numbers, BLEU has 10"):
        fit(candidates, None)


@pytest.mark.parametrize("weights", [(np.nan, 1.0, 1.0), (np.inf, 0.0, 0.0), (0.0, 0.0, 0.0)])
def test_dead_weights_end_the_run_and_the_best_stay_on_disk(tmp_path, weights):
    start = np.array([-1.0, 0.0, 0.5])
    tuner = Tuner(MeanDifference(), Always(weights))
    with pytest.raises(FormatError, match=r"not numbers: f|all weights are zero"):
        tuner.fit(FileSource(lists(), REFERENCES), start=start, output=tmp_path / "run")
    assert tuner.weights_.array.tolist() == start.tolist()
    assert Weights.read(tmp_path / "run" / "weights.tsv").array.tolist() == start.tolist()


def test_the_best_round_is_returned_and_not_the_last():
    lines, references = toy_data()
    tuner = Tuner(MeanDifference(), Always((-1.0, 0.0, 0.0)), plan=BatchRounds(2))
    tuner.fit(KBestSource(ToyDecoder(), lines, references, k=5), start={"f0": 1.0})
    assert tuner.history_.best.round == 0
    assert tuner.weights_.array.tolist() == [1.0, 0.0, 0.0]


def test_start_weights_of_unknown_features_are_told():
    lines, references = toy_data()
    notes = Notes()
    tuner = Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(1))
    tuner.fit(KBestSource(ToyDecoder(), lines, references, k=5), start={"f0": 1.0, "lm": 2.0}, observer=notes)
    assert any("lm" in text and "left out" in text for text in notes.texts)


def row(number, score, ratio):
    return Round(number, score, length_ratio=ratio)


@pytest.mark.parametrize(
    ("ratio", "named"), [(0.79, True), (0.8, False), (1.25, False), (1.26, True), (None, False)]
)
def test_a_length_ratio_outside_is_named(ratio, named):
    assert bool(length_warning(ratio)) == named


def test_length_alone_or_falling_alone_does_not_stop_a_run():
    off = History([row(0, 30.0, 0.5), row(1, 29.0, 0.5), row(2, 28.0, 0.5)])
    assert hopeless(off) is None  # two rounds of falling
    off.append(row(3, 27.0, 1.0))
    assert hopeless(off) is None  # lengths are well again
    off.append(row(4, 26.0, 0.5))
    assert "fallen" in hopeless(off)
    off.append(row(5, 26.5, 0.5))
    assert hopeless(off) is None


def test_falling_means_rising_for_an_error_rate():
    rising = History([row(at, 50.0 + at, 2.0) for at in range(4)], higher_is_better=False)
    assert "fallen" in hopeless(rising)
    assert rising.best.round == 0


class Shortening(BatchOptimizer):
    """Gives worse and worse weights: each round likes short output more."""

    objective = Objective

    def solve(self, problem, start):
        return Always((0.0, 1.0, float(start[2]) + 1.0)).solve(problem, start)


class Vanishing(ToyDecoder):
    """The output gets shorter in every round."""

    def translations(self, line):
        texts, rows = super().translations(line)
        keep = 14 - 2 * self.calls
        return [" ".join(text.split()[:keep]) for text in texts], rows


def test_a_collapsing_run_stops_with_its_best_weights():
    lines, references = toy_data(words=(12, 13))
    tuner = Tuner(MeanDifference(), Shortening(), plan=BatchRounds(15))
    tuner.fit(KBestSource(Vanishing(pool=60), lines, references, k=10), start=[1.0, 0.0, 0.0])
    assert "too short" in tuner.reason_
    assert len(tuner.history_) < 15
    assert tuner.history_.best.round == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"rounds": 0}, "rounds"), ({"interpolation": 0.0}, "interpolation"), ({"seed": -1}, "seed")],
)
def test_settings_are_validated_before_any_work(settings, message):
    seed = settings.pop("seed", 1)
    with pytest.raises(ConfigError, match=message):
        Tuner(MeanDifference(), SeededStep(), seed=seed, plan=BatchRounds(**settings))


def test_sources_are_validated_before_any_work():
    lines, references = toy_data()
    with pytest.raises(ConfigError, match="at least 2"):
        KBestSource(ToyDecoder(), lines, references, k=1)
    with pytest.raises(ConfigError, match="same sentences"):
        KBestSource(ToyDecoder(), lines, references[1:])
    with pytest.raises(ConfigError, match="no sentence"):
        KBestSource(ToyDecoder(), [], [])
    with pytest.raises(ConfigError, match="no statistics"):
        FileSource(lists())
    with pytest.raises(ConfigError, match="2 sentences and there are references for 3"):
        FileSource(lists(), [["a"]] * 3)


class Unmeasured(ListSource):
    """Lists without statistics, and no references to compute them from."""

    fixed, references, sentences = True, None, 2
    features = lists().features

    def start(self):
        return np.zeros(len(self.features))

    def candidates(self, weights, sentences=None, *, threads=1):
        return lists()

    def settings(self):
        return {"kind": "unmeasured"}


def test_the_source_without_statistics_is_named():
    with pytest.raises(ConfigError, match="the candidates of dev have no statistics and there are no references"):
        Tuner(MeanDifference(), SeededStep()).fit(Unmeasured())


def test_references_are_looked_at_before_decoding():
    decoder = ToyDecoder(on_decode=lambda: pytest.fail("decoded"))
    with pytest.raises(FormatError, match="reference"):
        Tuner(MeanDifference(), SeededStep()).fit(KBestSource(decoder, ["a b"], [[""]], k=5))


def test_a_healthy_set_gives_no_notes():
    candidates = lists(FEATURES[:, [0, 2, 2]]).with_statistics(Bleu().prepare(REFERENCES))
    assert check_values(candidates, Bleu()) == check_choice(candidates, Bleu()) == {}
