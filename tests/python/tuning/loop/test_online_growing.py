"""Features of the search get their numbers while a model is tuned online: a run that ends anywhere keeps them."""

import pytest
from support.corpora.tea_corpus import PAIRS, write_pairs

from tunesmith.decoding import TranslationModel
from tunesmith.decoding.candidates import ListDecoder
from tunesmith.errors import FormatError
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.start import feature_parts
from tunesmith.training.train import train_model
from tunesmith.tuning import KBestSource, Tuner, recipes
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.loop import context
from tunesmith.tuning.loop.ahead import Ahead
from tunesmith.tuning.loop.online import Compare, MeasureKept
from tunesmith.tuning.optimizers.adagrad import AdaGradLearner
from tunesmith.tuning.runs.checkpoint import Checkpoints

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")
LINES = [*(source for source, _, _ in PAIRS), "ich trinke wasser", "xyz"]
REFERENCES = [*([target] for _, target, _ in PAIRS), ["i drink wasser"], ["nothing like it"]]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tea")
    write_pairs(folder)
    options = TrainOptions(features=feature_parts("default,target_bigrams", "hiero"))
    train_model(TrainingData(folder / "f", folder / "e", folder / "a"), folder / "model", options)
    return folder / "model"


def fit(model, output=None, delay=0, threads=1, constraints=None):
    decoder = TranslationModel.open(model).with_own_names().decoder()
    source = KBestSource(decoder, LINES, REFERENCES, k=10)
    chosen_on = KBestSource(decoder, LINES[:1], REFERENCES[:1], k=2)  # its saved lists have few of the names
    recipe = recipes.get("expected-bleu", rounds=3, batch=2, delay=delay)
    tuner = Tuner.from_recipe(recipe, constraints=constraints)
    tuner.fit(source, select=chosen_on, output=output, report=False, save_every=1, threads=threads)
    return tuner, source


@pytest.mark.parametrize("where", [(AdaGradLearner, "learn"), (Compare, "run"), (MeasureKept, "run")])
@pytest.mark.parametrize("last", [1, 2])
@pytest.mark.parametrize("delay", [0, 2])
def test_a_run_that_ends_anywhere_resumes_to_the_same_bytes(model, tmp_path, monkeypatch, where, last, delay):
    """With a delay another thread gives numbers to features of the next batch before this one is saved."""
    monkeypatch.setattr(context, "SAVE_SECONDS", float("inf"))
    whole, source = fit(model, tmp_path / "whole", delay)
    kind, name = where
    method, done = getattr(kind, name), []

    def ending(*arguments):
        done.append(arguments)
        if len(done) == last:
            raise RuntimeError("ended")
        return method(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(kind, name, ending)
        with pytest.raises(RuntimeError, match="ended"):
            fit(model, tmp_path / "run", delay)
    again, resumed = fit(model, tmp_path / "run", delay)
    assert list(resumed.features) == list(source.features)
    assert again.weights_.array.tobytes() == whole.weights_.array.tobytes()


@pytest.mark.parametrize("delay", [1, 2, 3])
def test_a_batch_decoded_in_another_thread_gives_features_the_same_numbers(model, monkeypatch, delay):
    with monkeypatch.context() as patch:
        patch.setattr(ListDecoder, "overlaps", False)
        whole, source = fit(model, delay=delay)
    begun, begin = [], Ahead.begin
    monkeypatch.setattr(Ahead, "begin", lambda self, work: begun.append(work) or begin(self, work))
    for threads in (1, 2):
        again, other = fit(model, delay=delay, threads=threads)
        assert list(other.features) == list(source.features)
        assert again.weights_.array.tobytes() == whole.weights_.array.tobytes()
    assert begun


def test_features_in_another_order_are_refused(model, tmp_path, monkeypatch):
    _, source = fit(model, tmp_path / "run")
    features = TranslationModel.open(model).with_own_names().decoder().index
    features.add(source.features.name(len(source.features) - 1))
    store = Checkpoints(
        tmp_path / "run", higher_is_better=True, write_weights=lambda *_: None, load_pool=lambda *_: None,
        features=features,
    )  # fmt: skip
    store._first -= 1
    with pytest.raises(FormatError, match="another one in the model"):
        store.load()


@pytest.mark.parametrize("delay", [0, 2])
def test_bounds_and_penalties_hold_for_features_that_get_their_numbers_ahead(model, tmp_path, monkeypatch, delay):
    constraints = Constraints(bounds=("*>=-0.01",), penalties=("*=2",))
    whole, source = fit(model, tmp_path / "whole", delay, constraints=constraints)
    done, learn = [], AdaGradLearner.learn

    def ending(*arguments):
        done.append(arguments)
        if len(done) == 2:
            raise RuntimeError("ended")
        return learn(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(AdaGradLearner, "learn", ending)
        with pytest.raises(RuntimeError, match="ended"):
            fit(model, tmp_path / "run", delay, constraints=constraints)
    again, resumed = fit(model, tmp_path / "run", delay, constraints=constraints)
    assert list(resumed.features) == list(source.features)
    assert again.weights_.array.tobytes() == whole.weights_.array.tobytes()
    assert any(name.startswith("target_bigrams:") for name in source.features)
