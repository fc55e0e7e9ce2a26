"""Tuning on search graphs in files: the same from Python, from a description and from the command line."""

import json

import numpy as np
import pytest
from support.lists import two_places
from support.lists.two_places import REFERENCES, START, choices, hypergraph
from typer.testing import CliRunner

from tunesmith import execution
from tunesmith.cli.main import app
from tunesmith.errors import ConfigError
from tunesmith.evaluation.graph_statistics import best_texts
from tunesmith.execution import from_text, to_text
from tunesmith.jobs.graphed import Graphed
from tunesmith.jobs.recipe import RecipeSpec
from tunesmith.jobs.tuning import Tune, TuningJob
from tunesmith.metrics import ChrF
from tunesmith.search.graphs.formats import read_graphs
from tunesmith.search.graphs.formats.writing import write_named_graphs
from tunesmith.tuning import FileSource, GraphFileSource, recipes
from tunesmith.tuning.sources.density import Density
from tunesmith.weights import Weights

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")


@pytest.fixture
def data(tmp_path):
    two_places.write(tmp_path / "graphs", "moses-hypergraph")
    (tmp_path / "refs").write_text("\n".join(REFERENCES) + "\n", encoding="utf-8")
    (tmp_path / "refs2").write_text(REFERENCES[1] + "\n", encoding="utf-8")
    Weights.from_mapping(START).write(tmp_path / "start.tsv")
    return tmp_path


def job(data, name, *settings):
    given = Graphed((str(data / "graphs"),), (str(data / "refs"),))
    return TuningJob(data=given, recipe=RecipeSpec(name=name, settings=settings), start=str(data / "start.tsv"))


@pytest.mark.parametrize("name", ["lattice-mert", "lattice-mira", "forest-risk"])
def test_python_a_description_and_the_command_line_give_the_same_weights(data, name):
    recipe = recipes.recipes.make(name)
    source = GraphFileSource(data / "graphs", data / "refs", recipe.graphs, start=START)
    tuner = recipe.fit(source)
    assert [row.score for row in tuner.history_][-1] == 100.0
    [found] = execution.map(from_text(to_text(Tune(job(data, name).sealed()))), [str(data / "run")])
    assert found == dict(tuner.weights_.items())
    files = [str(data / f"graphs/{number}") for number in (0, 1)]
    command = ["tune", "--graphs", *files, "--refs", str(data / "refs"), "--recipe", name,
               "--start", str(data / "start.tsv"), "-o", str(data / "typed")]  # fmt: skip
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 0, ran.output
    assert "BLEU 100.00 in round 1" in ran.output
    assert dict(Weights.read(data / "typed/weights.tsv").items()) == found


def test_mert_on_graphs_is_mert_on_the_list_of_all_their_derivations(data):
    """Both see the same translations with the same features, so that the same lines lead to the same weights."""
    graphs = read_graphs(data / "graphs")
    lines = []
    for number, graph in enumerate(graphs.graphs):
        found = graph.k_best(np.zeros(graph.edges))
        for each, sums in zip(found, found.dense_sums().tolist(), strict=True):
            lines.append(
                f"{number} ||| {each.text(graphs.words.__getitem__)} ||| lm= {sums[0]} length= {sums[1]} ||| 0\n"
            )
    (data / "list").write_text("".join(lines), encoding="utf-8")
    of_list = recipes.mert().fit(FileSource(data / "list", data / "refs", start=START))
    of_graphs = recipes.lattice_mert().fit(GraphFileSource(graphs, data / "refs", Density(None), start=START))
    assert [row.score for row in of_graphs.history_] == [row.score for row in of_list.history_]


def tuned(data, *words):
    ran = CliRunner().invoke(
        app, ["tune", "--refs", str(data / "refs"), "--start", str(data / "start.tsv"), *map(str, words)]
    )
    assert ran.exit_code == 0, ran.output
    return ran.output


@pytest.mark.parametrize("recipe", [recipes.lattice_mert(), recipes.lattice_mira(), recipes.forest_risk()])
def test_recipes_fit_graphs_and_their_files(data, recipe):
    """Graphs, a folder and files are the same data; so is the source of them."""
    graphs = read_graphs(data / "graphs")
    expected = recipe.fit(GraphFileSource(graphs, data / "refs", recipe.graphs), start=START).weights_
    for given in (graphs, data / "graphs", str(data / "graphs"), [data / "graphs/0", data / "graphs/1"]):
        found = recipe.fit(given, references=data / "refs", start=START).weights_
        assert dict(found.items()) == dict(expected.items())
    with pytest.raises(ConfigError, match=r"search graphs need references: fit\(graphs, references=…\)"):
        recipe.fit(graphs)


@pytest.mark.parametrize("name", ["moses-hypergraph", "cdec-json", "plf"])
@pytest.mark.parametrize("recipe", ["lattice-mert", "lattice-mira", "forest-risk"])
def test_the_same_graphs_in_other_formats_give_the_same_weights(data, name, recipe):
    write_named_graphs(read_graphs(data / "graphs"), data / "other", name)
    one, other = (
        tuned(data, "--graphs", data / folder, "--recipe", recipe, "-q", "-o", data / f"of-{folder}")
        for folder in ("graphs", "other")
    )
    assert one == other
    if (name, recipe) != ("plf", "lattice-mert"):  # a phrase is several arcs, so that steps along lines differ
        weights = [Weights.read(data / f"of-{folder}/weights.tsv") for folder in ("graphs", "other")]
        assert dict(weights[0].items()) == pytest.approx(dict(weights[1].items()))


@pytest.mark.parametrize("recipe", ["lattice-mert", "lattice-mira", "forest-risk"])
@pytest.mark.parametrize("name", ["slf", "moses-search-graph extended", "moses-search-graph", "openfst"])
def test_lattices_as_text_are_tuned_on_as_hypergraphs_of_moses(data, name, recipe):
    """Formats with one score have the weight that this score has in a hypergraph."""
    single = name in ("moses-search-graph", "openfst")
    given = {
        "same": two_places.write(data / "same-graphs", "one score" if single else "moses-hypergraph"),
        "other": two_places.write(data / "other-graphs", name),
    }
    weights, said = {}, {}
    for each, words in given.items():
        feature = "transition" if (each, name) == ("other", "moses-search-graph") else "score"
        Weights.from_mapping({feature: 1.0} if single else START).write(data / "start.tsv")
        said[each] = tuned(data, *words, "--recipe", recipe, "-q", "-o", data / each)
        found = dict(Weights.read(data / each / "weights.tsv").items())
        weights[each] = {"score": found[feature]} if single else found
    assert said["same"] == said["other"]
    assert single or "BLEU 100.00 in round 1" in said["same"]
    if (name, recipe) != ("slf", "lattice-mert"):  # a phrase is several arcs, so that steps along lines differ
        assert weights["other"] == pytest.approx(weights["same"], rel=1e-5)


def test_weights_are_judged_on_held_out_graphs_and_by_other_metrics(data):
    """The held-out graphs are those of the second sentence; the dev score by chrF is that of the best texts."""
    said = tuned(
        data, "--graphs", data / "graphs", "--recipe", "lattice-mert", "-o", data / "run",
        "--heldout", data / "graphs/1", "--heldout-refs", data / "refs2", "--also", "chrf",
    )  # fmt: skip
    judged = json.loads((data / "run/heldout.json").read_text(encoding="utf-8"))
    assert [(each["data"], each["metric"][:4]) for each in judged] == [
        ("dev", "chrF"), ("held-out", "BLEU"), ("held-out", "chrF"),
    ]  # fmt: skip
    weights = Weights.read(data / "run/weights.tsv")
    for each, files, references in ((judged[0], [0, 1], REFERENCES), (judged[2], [1], REFERENCES[1:])):
        graphs = read_graphs([data / f"graphs/{number}" for number in files])
        vector = graphs.features.vector(weights)[0]
        metric = ChrF()
        rows = metric.prepare([[text] for text in references]).statistics(best_texts(graphs, vector))
        assert each["score"] == pytest.approx(metric.score(rows.sum(axis=0)))
    assert "held-out" in said


def test_pieces_of_words_are_joined_for_the_metric(data):
    """Graphs in pieces give the weights of graphs in words; hope and fear by n-grams of pieces are refused."""
    (data / "pieces").mkdir()
    for number in (0, 1):
        text = (data / f"graphs/{number}").read_text(encoding="utf-8")
        (data / f"pieces/{number}").write_text(text.replace(" cat", " c@@ at"), encoding="utf-8")
    tuned(data, "--graphs", data / "graphs", "--recipe", "lattice-mert", "-q", "-o", data / "words")
    said = tuned(data, "--graphs", data / "pieces", "--recipe", "lattice-mert", "-o", data / "joined")
    assert "pieces of BPE (@@), joined to words" in said
    one, other = (dict(Weights.read(data / name / "weights.tsv").items()) for name in ("words", "joined"))
    assert one == other
    source = GraphFileSource(data / "pieces", data / "refs", start=START)
    with pytest.raises(ConfigError, match="pieces here: take lattice-mert"):
        recipes.lattice_mira().fit(source)
    as_they_are = GraphFileSource(data / "pieces", data / "refs", start=START, subwords="none")
    assert recipes.lattice_mira().fit(as_they_are).history_[-1].score < 100


def test_settings_of_formats_travel_with_absolute_names(data, monkeypatch):
    monkeypatch.chdir(data)
    given = Graphed(("graphs",), ("refs",), "openfst:symbols=words.syms").sealed()
    assert given.format == f"openfst:symbols={data / 'words.syms'}"
    assert Graphed(("graphs",), ("refs",), "plf:probabilities=yes").sealed().format == "plf:probabilities=yes"
    assert Graphed(("graphs",), ("refs",), "tunesmith").sealed().format == "tunesmith"


def test_what_cannot_be_meant_is_refused(data):
    source = GraphFileSource(data / "graphs", data / "refs")
    with pytest.raises(ConfigError, match="pruned by the start weights, which are all 0"):
        recipes.lattice_mira().fit(source)
    with pytest.raises(ConfigError, match="graphs of 2 sentences and references for 3"):
        GraphFileSource(data / "graphs", ["a b", "b c", "c d"])
    with pytest.raises(ConfigError, match="unknown format of search graphs 'dot'"):
        GraphFileSource(data / "graphs", data / "refs", format="dot")
    with pytest.raises(ConfigError, match="mira tunes on n-best lists; for search graphs"):
        job(data, "mira").open()
    for words, message in {
        ("--candidates", "x"): "leave out --candidates",
        ("--k", "10", "--train", "x"): "leave out --train, --k",
        ("--seeds", "2"): "not a command or --graphs",
    }.items():
        ran = CliRunner().invoke(app, ["tune", "--graphs", "g", "--refs", "r", "-o", "o", *words])
        assert (ran.exit_code, message in " ".join(ran.output.split())) == (2, True), ran.output


def test_a_run_of_other_graphs_is_not_resumed(data):
    job(data, "lattice-mert").open().fit(output=data / "run", report=False)
    (data / "graphs/1").write_text(hypergraph(*choices(0)), encoding="utf-8")
    with pytest.raises(ConfigError, match="digest"):
        job(data, "lattice-mert").open().fit(output=data / "run", report=False)


def test_graphs_of_moses_start_with_the_score_of_their_best_derivations(shared):
    """Pruning keeps the best derivations, so that the score of the start is theirs."""
    folder = shared / "reference" / "moses-hypergraphs"
    given = (line.split("= ") for line in (folder / "phrase.weights").read_text(encoding="utf-8").splitlines())
    lines = (shared / "data/multi30k-de-en/test_2016_flickr.en").read_text(encoding="utf-8").splitlines()
    graphs = read_graphs([folder / "phrase" / f"{number}.gz" for number in range(20)])
    source = GraphFileSource(
        graphs, [[line] for line in lines[:20]], Density(), start={name: float(value) for name, value in given}
    )
    recipe = recipes.lattice_mira(passes=5)
    history = recipe.fit(source).history_
    best = [
        graph.best(graphs.scores(graph, source.start())).text(graphs.words.__getitem__) for graph in graphs.graphs
    ]
    rows = recipe.metric.prepare(source.references).statistics(best)
    assert history[0].score == pytest.approx(float(recipe.metric.score(rows.sum(axis=0))), abs=1e-9)
    assert history[1].candidates == sum(pool.edges for pool in source.parts(source.start()))
