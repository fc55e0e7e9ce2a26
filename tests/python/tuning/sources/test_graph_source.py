"""Tuning on search graphs of a decoder, of every kind: any threads, any interruption, the same bytes."""

import pytest
from support.corpora.tea_corpus import PAIRS, write_pairs

from tunesmith.decoding import TranslationModel
from tunesmith.decoding.graph_decoder import GraphDecoder
from tunesmith.errors import ConfigError
from tunesmith.grammar import ExtractOptions, HieroOptions, PhraseOptions, ReorderingOptions
from tunesmith.jobs.listed import Listed
from tunesmith.jobs.recipe import RecipeSpec
from tunesmith.jobs.tuning import TuningJob
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.train import train_model
from tunesmith.tuning import recipes
from tunesmith.tuning.loop.observer import Observer
from tunesmith.tuning.sources.density import Density
from tunesmith.tuning.sources.graphs import GraphSource

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")
LINES = [*(source for source, _, _ in PAIRS), "ich trinke wasser", "xyz"]
REFERENCES = [*([target] for _, target, _ in PAIRS), ["i drink wasser"], ["nothing like it"]]


@pytest.fixture(scope="module", params=["hierarchical", "phrase", "left-to-right"])
def folder(request, tmp_path_factory):
    data = tmp_path_factory.mktemp(request.param)
    write_pairs(data)
    options = TrainOptions()
    if request.param == "phrase":
        options = TrainOptions(extract=ExtractOptions(PhraseOptions(), reordering=ReorderingOptions()))
    if request.param == "left-to-right":
        rules = ExtractOptions(HieroOptions.left_to_right())
        options = TrainOptions(extract=rules, search="left-to-right")
    train_model(TrainingData(data / "f", data / "e", data / "a"), data / "model", options)
    return data / "model"


def source(folder, density=None):
    decoder = TranslationModel.open(folder).decoder()
    return GraphSource(GraphDecoder(decoder, "toy"), LINES, REFERENCES, density or Density(None))


def small(name):
    """A recipe that is quick."""
    recipe = recipes.recipes.make(name)
    quick = {
        "lattice-mert": "restarts=1,rounds=2",
        "lattice-mira": "passes=4,rounds=3",
        "lattice-mixed-mira": "shards=2,rounds=2",
    }
    return recipe.with_settings(quick.get(name, "iterations=5,rounds=3"))


class Ending(Observer):
    """Remembers steps, and ends a run where a step begins."""

    def __init__(self, at=None):
        self.at, self.steps = at, []

    def step(self, number, name):
        self.steps.append((number, name))
        if (number, name) == self.at:
            raise RuntimeError("ended")


@pytest.mark.parametrize("name", ["lattice-mert", "lattice-mira", "forest-risk", "lattice-mixed-mira"])
def test_threads_and_interruptions_change_nothing(folder, tmp_path, name):
    recipe = small(name)
    watcher = Ending()
    whole = recipe.fit(source(folder, recipe.graphs), observer=watcher)
    again = recipe.fit(source(folder, recipe.graphs), threads=3)
    assert whole.weights_.array.tobytes() == again.weights_.array.tobytes()
    assert len(watcher.steps) > 4
    for at in watcher.steps[2::2]:
        with pytest.raises(RuntimeError, match="ended"):
            recipe.fit(source(folder, recipe.graphs), output=tmp_path / "run", report=False, observer=Ending(at))
    resumed = recipe.fit(source(folder, recipe.graphs), output=tmp_path / "run", report=False)
    assert resumed.weights_.array.tobytes() == whole.weights_.array.tobytes()
    assert [row.score for row in resumed.history_] == [row.score for row in whole.history_]


def test_words_that_pass_through_are_words_of_the_translation(folder):
    graphs = source(folder)
    [pool] = graphs.parts(graphs.start())
    prepared = recipes.mira().metric.prepare(REFERENCES)
    texts = pool.measured(prepared, source="dev", first=0).best(graphs.start()).texts()
    assert "xyz" in texts[-1].split()
    assert "wasser" in texts[-2].split()


def test_density_is_edges_per_word_of_the_shortest_reference(folder):
    [full] = source(folder).parts(source(folder).start())
    [some] = source(folder, Density(2)).parts(source(folder).start())
    assert some.edges < full.edges
    for graph, texts in zip(some.graphs, REFERENCES, strict=True):
        best = graph.counts()[-1]
        assert best >= 1
        assert graph.edges <= max(2 * min(len(text.split()) for text in texts), graph.nodes)
    with pytest.raises(ConfigError, match="density must be greater than 0, got 0"):
        Density(0)


@pytest.mark.parametrize("by", ["max_marginal", "posterior"])
def test_signatures_say_how_graphs_were_pruned(folder, by):
    recipe = small("lattice-mira").with_settings(f"rounds=1,density=20,prune_by={by}")
    said = str(recipe.fit(source(folder, recipe.graphs)).signature_)
    assert "density=20" in said
    assert f"prune_by={by}" in said


def test_lists_are_for_other_recipes():
    job = TuningJob(data=Listed(("x",)), recipe=RecipeSpec(name="lattice-mert"))
    with pytest.raises(ConfigError, match="search graphs of a model"):
        job.open()


def test_recipes_on_graphs_have_the_settings_of_the_paper_and_search_as_on_lists():
    mert, mira = recipes.lattice_mert(), recipes.lattice_mira()
    assert (mert.loss, mert.optimizer) == (recipes.mert().loss, recipes.mert().optimizer)
    assert (mert.optimizer.restarts, mert.graphs.density) == (20, None)
    assert mira.loss == recipes.mira().loss
    assert (mira.optimizer.passes, mira.optimizer.step_cap, mira.loss.decay) == (30, 0.01, 0.999)
    assert mira.graphs == recipes.forest_risk().graphs == Density(50.0, "max_marginal")
