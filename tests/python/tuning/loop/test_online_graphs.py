"""Hope and fear of search graphs, online: as on lists, saved anywhere, only some sentences decoded."""

import numpy as np
import pytest
from support.corpora.tea_corpus import PAIRS, write_pairs
from support.lists.graph_pools import pools

from tunesmith.decoding import TranslationModel
from tunesmith.decoding.graph_decoder import GraphDecoder
from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.train import train_model
from tunesmith.tuning import OnlineRounds, Tuner, recipes
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.loop import context
from tunesmith.tuning.losses import ExpectedGain, HopeFear
from tunesmith.tuning.optimizers import AdaGrad, OnlinePassiveAggressive
from tunesmith.tuning.optimizers.online import Batch
from tunesmith.tuning.optimizers.online_passive_aggressive import OnlinePassiveAggressiveLearner
from tunesmith.tuning.regularizers import L1
from tunesmith.tuning.sources.graphs import GraphSource

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")
LINES = [*(source for source, _, _ in PAIRS), "ich trinke wasser", "xyz"]
REFERENCES = [*([target] for _, target, _ in PAIRS), ["i drink wasser"], ["nothing like it"]]


@pytest.mark.parametrize("fear", ["model-gain", "model"])
@pytest.mark.parametrize("size", [1, 3])
def test_batches_of_graphs_made_of_lists_are_batches_of_lists_byte_for_byte(fear, size):
    for seed in (1, 2):
        found = []
        for pool in pools(seed):
            optimizer = OnlinePassiveAggressive()
            learner = optimizer.open(None, Limits.none(3), optimizer.first(np.full(3, 0.3)))
            for begin in range(0, pool.sentences, size):
                there = range(begin, min(begin + size, pool.sentences))
                objective = HopeFear(hope="exact", fear=fear).prepare(pool.only(there), Bleu(), seed=1)
                learner.learn(Batch(objective, np.array(there, np.uint32), pool.columns))
            found.append(
                (learner.weights().tobytes(), learner.average()[0].tobytes(), learner.changed()[0].tolist())
            )
        assert found[0] == found[1]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tea")
    write_pairs(folder)
    train_model(TrainingData(folder / "f", folder / "e", folder / "a"), folder / "model", TrainOptions())
    return folder / "model"


def recipe_of(**settings):
    return recipes.get("lattice-mixed-mira", **{"rounds": 2, "shards": 2, "batch": 2, **settings})


def source_of(model):
    decoder = GraphDecoder(TranslationModel.open(model).decoder(), "toy")
    return GraphSource(decoder, LINES, REFERENCES, recipe_of().graphs)


def test_it_learns_and_says_length(model):
    source = source_of(model)
    tuner = recipe_of(step_cap=1.0, keep="last").fit(source, start=-source.start())
    assert tuner.history_.best.score > tuner.history_[0].score
    assert 0.5 < tuner.history_[1].details["length while learning"] < 2
    assert "shards=2" in str(tuner.signature_)


@pytest.mark.parametrize("delay", [0, 1])
def test_a_decoder_that_takes_changes_gives_the_same_bytes(model, monkeypatch, delay):
    changing = recipe_of(delay=delay).fit(source_of(model))
    monkeypatch.setattr(GraphSource, "takes_changes", False)
    whole = recipe_of(delay=delay).fit(source_of(model))
    assert changing.weights_.array.tobytes() == whole.weights_.array.tobytes()


def test_a_run_that_ends_inside_an_epoch_resumes_to_the_same_bytes(model, tmp_path, monkeypatch):
    """Words that were met before it ended have other numbers after it."""
    monkeypatch.setattr(context, "SAVE_SECONDS", float("inf"))
    whole = recipe_of().fit(source_of(model))
    learn, done = OnlinePassiveAggressiveLearner.learn, []

    def ending(self, batch):
        done.append(batch)
        if len(done) in (3, 8):
            raise RuntimeError("ended")
        return learn(self, batch)

    monkeypatch.setattr(OnlinePassiveAggressiveLearner, "learn", ending)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="ended"):
            recipe_of().fit(source_of(model), output=tmp_path / "run", report=False, save_every=1)
    again = recipe_of().fit(source_of(model), output=tmp_path / "run", report=False, save_every=1)
    assert again.weights_.array.tobytes() == whole.weights_.array.tobytes()


def test_a_step_of_expected_bleu_depends_on_the_graphs_of_its_batch_alone(model):
    """Not on how many sentences there are in all."""
    optimizer, found = AdaGrad(), []
    for count in (2, len(LINES)):
        decoder = GraphDecoder(TranslationModel.open(model).decoder(), "toy")
        source = GraphSource(decoder, LINES[:count], REFERENCES[:count], recipe_of().graphs)
        pool = source.pool.joined(source.parts(source.start(), [0, 1])).spread([0, 1], count)
        objective = ExpectedGain().prepare(pool, Bleu(), seed=1)
        learner = optimizer.open(L1(0.1), Limits.none(pool.columns), optimizer.first(source.start()))
        learnt = learner.learn(Batch(objective, np.array([0, 1], np.uint32), pool.columns))
        found.append((learner.weights().tolist(), learnt.loss))
    assert found[0] == found[1]
    assert not np.array_equal(found[0][0], source.start())


def test_expected_bleu_of_graphs_is_learnt_online(model):
    source, plan = source_of(model), OnlineRounds(rounds=3, batch=2)
    tuner = Tuner(ExpectedGain(), AdaGrad(rate=0.1), L1(1e-3), plan=plan).fit(source, start=-source.start())
    assert tuner.history_.best.score > tuner.history_[0].score
    with pytest.raises(ConfigError, match="min_sentences counts sentences whose n-best lists"):
        Tuner(ExpectedGain(), AdaGrad(min_sentences=2), plan=plan).fit(source)


def test_losses_that_need_lists_are_refused(model):
    with pytest.raises(ConfigError, match="GraphPool has none"):
        recipes.online_mira().fit(source_of(model))
