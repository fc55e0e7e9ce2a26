"""Pools of graphs in runs: MIRA as on lists, other ways to count, what is kept, graphs that stay on disk."""

import itertools
import signal

import numpy as np
import pytest
from reference.graph_envelope import all_derivations
from support.corpora.tea_corpus import PAIRS, write_pairs
from support.lists.graph_pools import VOCABULARY, forest_pool, pools
from support.processes.killing import die, in_child

from tunesmith.decoding import TranslationModel
from tunesmith.decoding.graph_decoder import GraphDecoder
from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.train import train_model
from tunesmith.tuning import recipes
from tunesmith.tuning.losses import HopeFear
from tunesmith.tuning.pools import graphs as graph_pools
from tunesmith.tuning.pools.graph_expectation import ExpectedGainOfGraphs
from tunesmith.tuning.pools.graph_model import GraphModel
from tunesmith.tuning.pools.graphs import GraphPool
from tunesmith.tuning.pools.growing_words import GrowingWords
from tunesmith.tuning.pools.visited import Visited
from tunesmith.tuning.sources.graphs import GraphSource

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")


def tuned(recipe, pool, metric=None, columns=3, threads=1):
    objective = recipe.loss.prepare(pool, metric or Bleu(), seed=1)
    return recipe.optimizer.minimize(objective, None, np.full(columns, 0.3), seed=1, threads=threads)


@pytest.mark.parametrize("fear", ["model-gain", "model"])
@pytest.mark.parametrize("threads", [1, 3])
def test_mira_on_graphs_made_of_lists_is_mira_byte_for_byte(fear, threads):
    for seed in (1, 2):
        recipe = recipes.mira(passes=8).with_settings(f"hope=exact,fear={fear}")
        of_lists, of_graphs = (tuned(recipe, pool, threads=threads) for pool in pools(seed))
        assert of_lists.weights.tobytes() == of_graphs.weights.tobytes()
        assert of_lists.value == of_graphs.value
        assert of_lists.details == of_graphs.details
        usual = tuned(recipes.mira(passes=8).with_settings(f"fear={fear}"), pools(seed)[0])
        assert usual.weights.tobytes() == of_lists.weights.tobytes()


@pytest.mark.parametrize("name", ["lattice-mert", "lattice-mira"])
def test_the_length_of_start_weights_changes_nothing_for_mert_nor_the_threads_for_both(name):
    _, pool = pools()
    recipe = recipes.get(name).with_settings("restarts=3" if name == "lattice-mert" else "passes=4")
    found = tuned(recipe, pool)
    assert tuned(recipe, pool, threads=3).weights.tobytes() == found.weights.tobytes()
    if name == "lattice-mert":
        objective = recipe.loss.prepare(pool, Bleu(), seed=1)
        longer = recipe.optimizer.minimize(objective, None, np.full(3, 64 * 0.3), seed=1)
        assert longer.weights.tobytes() == found.weights.tobytes()


@pytest.mark.parametrize("name", ["lattice-mert", "lattice-mira"])
@pytest.mark.parametrize("kind", ["lattice", "forest"])
def test_graphs_that_stay_on_disk_give_the_same_bytes(name, kind, tmp_path, monkeypatch):
    pool = forest_pool(kind=kind)
    pool.save(tmp_path / "pool")
    recipe = recipes.get(name).with_settings("restarts=2" if name == "lattice-mert" else "passes=4")
    found = tuned(recipe, pool, columns=2)
    monkeypatch.setattr(graph_pools, "IN_MEMORY", 0)
    monkeypatch.setattr(graph_pools, "BLOCK", 3)
    stored = GraphPool.load(tmp_path / "pool", pool.model)._with(measuring=pool._measuring)
    assert stored.block == 3
    again = tuned(recipe, stored, columns=2)
    assert again.weights.tobytes() == found.weights.tobytes()
    assert (again.value, again.details) == (found.value, found.details)
    for key, array in found.arrays.items():
        assert again.arrays[key].tobytes() == array.tobytes()
    merged = [
        each.keeping(found.arrays["visited"]).merged(each, folder)
        for each, folder in ((pool, None), (stored, tmp_path / "merged"))
    ]
    np.testing.assert_array_equal(merged[0].kept, merged[1].kept)
    assert merged[1].new_since(merged[0]) == 0
    assert all(a.core.pack() == b.core.pack() for a, b in zip(merged[0].graphs, merged[1].graphs, strict=True))


def contents(graph, edges, words):
    """Words and features of a derivation."""
    arrays = graph.arrays
    values = np.zeros(2)
    for edge in edges:
        values[arrays["dense_ids"]] += arrays["dense"].reshape(graph.edges, -1)[edge]
        if len(arrays["sparse_offsets"]) > 1:
            inside = slice(arrays["sparse_offsets"][edge], arrays["sparse_offsets"][edge + 1])
            np.add.at(values, arrays["sparse_ids"][inside], arrays["sparse_values"][inside])
    return tuple(int(word) for word in words), tuple(np.round(values, 4))


def test_what_is_kept_is_never_lost():
    """Five rounds: whatever was visited in a round is a derivation of the pools of all later rounds."""
    random, sentences = np.random.default_rng(1), 4
    pool, expected = forest_pool(sentences), [set() for _ in range(sentences)]
    for number in range(1, 6):
        visits = Visited()
        for at, graph in enumerate(pool.graphs):
            every = all_derivations(graph.arrays)
            for choice in random.choice(len(every), size=min(5, len(every)), replace=False).tolist():
                edges, words = every[choice]
                visits.add([(at, np.array(edges, np.uint32))])
                expected[at].add(contents(graph, edges, words))
        newer = pool._with(graphs=forest_pool(sentences, 10 * number).graphs, kept=np.zeros(sentences, np.int64))
        pool = pool.keeping(visits.to_array()).merged(newer)
        for at, graph in enumerate(pool.graphs):
            there = {contents(graph, *each) for each in all_derivations(graph.arrays)}
            assert expected[at] <= there
            assert len(expected[at]) == pool.kept[at]


@pytest.mark.parametrize("metric", [Bleu(lowercase=True), Bleu(tokenize="char"), Bleu(order=2)], ids=str)
def test_metrics_that_prepare_words_one_by_one(metric):
    """Statistics of hopes are those of the metric."""
    _, pool = pools()
    mixed = [word.upper() if at % 2 else word for at, word in enumerate(VOCABULARY)]
    texts = [[text.title() for text in each] for each in pool.model.references]
    model = GraphModel(pool.model.features, None, GrowingWords(mixed), texts)
    prepared = metric.prepare(texts)
    other = GraphPool(pool.graphs, model).measured(prepared, source="dev", first=0)
    updates = HopeFear().prepare(other, metric, seed=1).updates
    background = updates.background()
    assert len(background) == metric.width
    for at in range(3):
        _, _, edges, row = updates._native.find(at, np.ones(3), 1.0, 1.0, 10 * background)
        [edge] = edges.tolist()
        arrays = other.graphs[at].arrays
        words = arrays["symbols"][arrays["symbol_offsets"][edge] : arrays["symbol_offsets"][edge + 1]]
        [statistics] = prepared.statistics([" ".join(mixed[word] for word in words)], [at])
        np.testing.assert_array_equal(row, statistics)


def test_tokenisers_that_look_past_blanks_are_refused():
    _, pool = pools()
    with pytest.raises(
        ConfigError, match=r"does not look past blanks, not BLEU with these settings.*--recipe mira"
    ):
        HopeFear().prepare(pool, Bleu(tokenize="13a"), seed=1)


@pytest.fixture
def decoded(tmp_path):
    """Makes a source that decodes."""
    write_pairs(tmp_path)
    data = TrainingData(tmp_path / "f", tmp_path / "e", tmp_path / "a")
    train_model(data, tmp_path / "model", TrainOptions())
    lines, references = [source for source, _, _ in PAIRS], [[target] for _, target, _ in PAIRS]
    return lambda density: GraphSource(
        GraphDecoder(TranslationModel.open(tmp_path / "model").decoder(), "toy"), lines, references, density
    )


def counting(monkeypatch):
    """Count the calls inside of steps; the process dies at the one with the number in the list that is given."""
    calls, end_at = itertools.count(), []

    def counted(original):
        def call(*given, **named):
            if next(calls) in end_at:
                die()
            return original(*given, **named)

        return call

    for target, method in (
        (GraphPool, "best"),
        (GraphPool, "follow"),
        (GraphPool, "some"),
        (graph_pools, "with_kept"),
        (graph_pools.GraphUpdates, "run_pass"),
        (graph_pools.GraphUpdates, "visited_since"),
        (ExpectedGainOfGraphs, "value_and_grad"),
    ):
        monkeypatch.setattr(target, method, counted(getattr(target, method)))
    return calls, end_at


@pytest.mark.parametrize("name", ["lattice-mert", "lattice-mira", "forest-risk"])
def test_a_run_killed_inside_a_step_resumes_to_the_same_bytes(name, tmp_path, monkeypatch, decoded):
    """Processes get SIGKILL at ever later calls: of searches, of merging, of passes."""
    settings = {"lattice-mert": "restarts=1,rounds=2", "lattice-mira": "passes=3,rounds=2"}
    recipe = recipes.get(name).with_settings(settings.get(name, "iterations=4,rounds=2"))

    def run(folder):
        recipe.fit(decoded(recipe.graphs), output=tmp_path / folder, report=False)

    calls, end_at = counting(monkeypatch)
    run("whole")
    total, killed = next(calls), 0
    for number in range(6):
        end_at[:] = [next(calls) + 1 + total * number // 12]
        killed += in_child(lambda: run("killed")) == signal.SIGKILL  # one that was nearly done comes to its end
    assert killed >= 3
    end_at.clear()
    run("killed")
    tables = [
        {str(path.relative_to(tmp_path / each)): path.read_bytes() for path in (tmp_path / each).rglob("*.tsv")}
        for each in ("whole", "killed")
    ]
    assert tables[0] == tables[1]
