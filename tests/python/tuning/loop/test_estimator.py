"""A tuner has the habits of scikit-learn: parameters, copies, predictions; results are tables of pandas."""

import copy
import csv
import pickle
from collections.abc import Mapping

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted
from support.lists.curves import scalars
from support.models.toy_decoder import ToyDecoder, toy_data

from tunesmith.errors import ConfigError, MissingExtraError, WrongTypeError
from tunesmith.metrics import Bleu, ChrF, Ter
from tunesmith.search import CandidateSet
from tunesmith.tuning import CsvObserver, FileSource, KBestSource, TensorBoardObserver, Tuner, recipes, rerank
from tunesmith.tuning.groups.partitions import Ranks
from tunesmith.tuning.optimizers import PassiveAggressive
from tunesmith.tuning.recipes import recipes as known
from tunesmith.tuning.regularizers import L2
from tunesmith.weights import Weights

LINES, REFERENCES = toy_data()
LISTS = ToyDecoder().k_best(LINES, 6)
FITTED = recipes.mira().fit(LISTS, references=REFERENCES)


def source():
    return KBestSource(ToyDecoder(), LINES, REFERENCES, k=5)


@pytest.mark.parametrize("name", known.names())
def test_every_tuner_is_made_again_from_its_parameters(name):
    tuner = Tuner.from_recipe(recipes.get(name), seed=3)
    for again in (clone(tuner), copy.deepcopy(tuner), pickle.loads(pickle.dumps(tuner)),
                  Tuner(**tuner.get_params(deep=False))):  # fmt: skip
        assert again is not tuner
        assert again.get_params() == tuner.get_params()
        assert repr(again) == repr(tuner)
        assert not hasattr(again, "weights_")
    assert repr(tuner).startswith("Tuner(loss=")
    assert f"name={tuner.name!r}" in repr(tuner)


def test_what_was_learnt_survives_a_copy_but_not_a_clone():
    for again in (copy.deepcopy(FITTED), pickle.loads(pickle.dumps(FITTED))):
        check_is_fitted(again)
        assert list(again.weights_.items()) == list(FITTED.weights_.items())
        assert again.weights_.signature == FITTED.weights_.signature
        assert again.history_ == FITTED.history_
        assert again.signature_ == FITTED.signature_
        assert again.score(LISTS, REFERENCES) == FITTED.score(LISTS, REFERENCES)
    assert not hasattr(clone(FITTED), "weights_")


def test_parameters_are_changed_by_nested_names():
    tuner = Tuner.from_recipe(recipes.pro())
    assert tuner.set_params(loss__keep=7, plan__rounds=2, seed=9, metric=ChrF(), metric__beta=3) is tuner
    changed = tuner.get_params()
    assert (changed["loss__keep"], changed["plan__rounds"], changed["seed"], changed["metric__beta"]) == (
        7,
        2,
        9,
        3,
    )
    grouped = Tuner.from_recipe(recipes.grouped()).set_params(plan__grouping__learner__loss__keep=4)
    assert grouped.plan.grouping.learner.loss.keep == 4
    for wrong, message in (({"los__keep": 1}, "Did you mean 'loss'"), ({"loss__kep": 1}, "Did you mean 'keep'"),
                           ({"regularizer": None, "regularizer__strength": 1}, "None, which has no parameter"),
                           ({"loss__keep": 0}, "keep must be")):  # fmt: skip
        with pytest.raises(ConfigError, match=message):
            tuner.set_params(**wrong)
    assert tuner.get_params() == changed  # what cannot be changed changes nothing


def test_predictions_are_what_reranking_chooses_and_score_is_its_metric():
    chosen = FITTED.predict(LISTS)
    assert (
        [LISTS.text(at) for at in chosen] == FITTED.predict(LISTS, strings=True) == rerank(LISTS, FITTED.weights_)
    )
    scores = LISTS.scores(LISTS.features.vector(FITTED.weights_)[0])
    assert all(scores[at] == scores[list(LISTS.candidates_of(s))].max() for s, at in enumerate(chosen))
    score = FITTED.score(LISTS, REFERENCES)
    assert score == pytest.approx(Bleu().corpus_score(FITTED.predict(LISTS, strings=True), REFERENCES))
    assert score == pytest.approx(FITTED.score(LISTS.with_statistics(Bleu().prepare(REFERENCES))))
    assert score == pytest.approx(FITTED.history_.best.score)
    empty = CandidateSet.from_matrix([[1.0, 2.0, 3.0]], [0, 0, 1], texts=["a"], names=["f0", "f1", "f2"])
    assert FITTED.predict(empty).tolist() == [-1, 0]
    assert FITTED.predict(empty, strings=True) == ["", "a"]
    with pytest.raises(ConfigError, match="call fit first"):
        clone(FITTED).predict(LISTS)
    with pytest.raises(ConfigError, match="no statistics of BLEU; give references"):
        FITTED.score(LISTS)


def test_references_are_the_second_argument_as_labels_are():
    given = FileSource(LISTS, REFERENCES)
    for again in (recipes.mira().fit(LISTS, REFERENCES), Tuner.from_recipe("mira").fit(LISTS, REFERENCES)):
        assert dict(again.weights_) == dict(FITTED.weights_)
    with pytest.raises(ConfigError, match=r"give references, as in fit\(lists, references\)"):
        recipes.mira().fit(LISTS)
    with pytest.raises(ConfigError, match="references are for lists"):
        recipes.mira().fit(given, REFERENCES)


def test_what_was_fitted_to_can_be_judged_and_chosen_from():
    given = FileSource(LISTS, REFERENCES)
    assert FITTED.score(given) == FITTED.score(LISTS, REFERENCES) == FITTED.history_.best.score
    assert FITTED.predict(given).tolist() == FITTED.predict(LISTS).tolist()
    marked = [{"id": 0, "hypothesis": "fa@@ st", "x": 1.0}, {"id": 0, "hypothesis": "slow", "x": 0.0}]
    for subwords, chosen in ((None, "fast"), ("bpe", "fast"), ("none", "fa@@ st")):
        source = FileSource(marked, [["fast"]], subwords=subwords, start={"x": 1.0})
        tuner = recipes.mira(metric="chrf").fit(source)
        assert tuner.predict(source, strings=True) == [chosen]
        assert tuner.score(source) == pytest.approx(tuner.history_.best.score)


def test_recipes_take_settings_and_parts_by_name():
    recipe = recipes.mira(step_cap=0.1, metric=ChrF(), rounds=3)
    assert recipe == recipes.mira().with_settings("step_cap=0.1,rounds=3").changed(metric="chrf")
    assert recipes.pro(plain=True, optimizer__iterations=np.int64(5)).optimizer.iterations == 5
    assert recipes.pro(l2=0.5).regularizer == L2(0.5)
    assert recipes.pro(regularizer="none").regularizer is recipes.pro(regularizer=None).regularizer is None
    assert recipes.grouped(partition=Ranks(bins=3)) == recipes.grouped(bins=3)
    assert recipes.shares(features=("w:*",), support=2).plan.grouping.features == ("w:*",)
    assert recipes.mira(optimizer=PassiveAggressive(passes=2)).optimizer.passes == 2
    for make, message in (
        (lambda: recipes.mira(step_gap=0.1), "mira has no setting 'step_gap'. Did you mean 'step_cap'"),
        (lambda: recipes.mira(step_cap="much"), "step_cap must be a number, got 'much'"),
        (lambda: recipes.mira(rounds=1.5), "rounds must be a whole number"),
        (lambda: recipes.mira(metric=7), "metric must be a name or a metric"),
        (lambda: recipes.mert(plain=True), "mert has no setting 'plain'"),
        (lambda: recipes.get("mira", loss="hope"), "str is not a loss"),
    ):
        with pytest.raises(ConfigError, match=message):
            make()


@pytest.mark.parametrize("name", known.names())
def test_every_recipe_takes_settings(name):
    metric = Bleu(order=3) if name == "forest-risk" else Ter()  # it needs a metric that counts n-grams of words
    recipe = recipes.get(name, k=17, metric=metric)
    assert (recipe.k, recipe.metric) == (17, metric)


def test_weights_are_a_mapping():
    weights = Weights.from_mapping({"b": 2.0, "a": -1.0})
    assert isinstance(weights, Mapping)
    assert dict(weights) == {"b": 2.0, "a": -1.0} == weights
    assert {**weights} == dict(weights.items())
    assert list(weights) == list(weights.keys()) == ["b", "a"]
    assert list(weights.values()) == weights.array.tolist() == [2.0, -1.0]
    assert ("a", -1.0) in weights.items()
    assert 2.0 in weights.values()
    assert len(weights.items()) == 2
    assert weights.get("c") == 0.0  # a feature without a weight


def test_results_are_tables_of_pandas(monkeypatch):
    table = FITTED.history_.to_pandas()
    assert table["score"].tolist() == [row.score for row in FITTED.history_]
    assert table.index.tolist() == [row.round for row in FITTED.history_]
    assert FITTED.weights_.to_pandas().to_dict() == dict(FITTED.weights_)
    frame = LISTS.to_pandas()
    assert list(frame.columns) == ["id", "hypothesis", *LISTS.features]
    again = CandidateSet.from_records(frame)
    assert (again.rows() != LISTS.rows()).nnz == 0
    assert [again.text(at) for at in range(len(again))] == [LISTS.text(at) for at in range(len(LISTS))]
    many = CandidateSet.from_matrix(np.eye(3, 2000), [0, 3], texts=list("abc"))
    assert many.to_pandas().columns.tolist() == ["id", "hypothesis", "feature0", "feature1", "feature2"]
    assert (CandidateSet.from_records(many.to_pandas()).rows().toarray() == np.eye(3)).all()
    assert isinstance(frame, pandas.DataFrame)
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tunesmith\[pandas\]'"):
        FITTED.history_.to_pandas()


def test_a_run_directory_has_its_report_and_observers_see_the_history(tmp_path):
    recipes.mira(rounds=2).fit(source(), output=tmp_path / "run", observer=CsvObserver(tmp_path / "a.csv"))
    assert "<html" in (tmp_path / "run/report.html").read_text()
    tuner = recipes.mira(rounds=3).fit(
        source(), output=tmp_path / "bare", report=False, observer=[CsvObserver(tmp_path / "b.csv")]
    )
    assert not (tmp_path / "bare/report.html").exists()
    with (tmp_path / "b.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["score"]) for row in rows] == [row.score for row in tuner.history_]
    assert rows[0]["list_score"] == ""
    with pytest.raises(WrongTypeError, match="observer must be an Observer or a list of them, got str"):
        recipes.mira().fit(source(), observer="tensorboard")


def test_curves_for_tensorboard_hold_the_history(tmp_path, monkeypatch):
    pytest.importorskip("tensorboardX", reason="tensorboardX, an extra, is not installed")
    tuner = recipes.mira(rounds=3).fit(source(), observer=TensorBoardObserver(tmp_path))
    assert scalars(tmp_path)["score"] == pytest.approx({row.round: row.score for row in tuner.history_}, rel=1e-6)
    monkeypatch.setitem(__import__("sys").modules, "tensorboardX", None)
    monkeypatch.setitem(__import__("sys").modules, "torch.utils.tensorboard", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tunesmith\[tensorboard\]'"):
        TensorBoardObserver(tmp_path)
