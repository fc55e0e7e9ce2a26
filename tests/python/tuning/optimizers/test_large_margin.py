"""MIRA with kept oracles: the quadratic program against a generic solver, the memory of oracles, closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from reference import online as slow
from scipy import sparse
from support.lists.tuning_lists import random_lists

from tunesmith import _core
from tunesmith.errors import ConfigError, FormatError
from tunesmith.metrics import Bleu, DocumentBleu, Ter
from tunesmith.search import CandidateSet
from tunesmith.tuning import recipes
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses import OracleMargins
from tunesmith.tuning.losses.documents import Documents
from tunesmith.tuning.optimizers import LargeMargin
from tunesmith.tuning.optimizers.online import Batch, Touched
from tunesmith.tuning.optimizers.oracle_memory import Oracle, OracleMemory
from tunesmith.tuning.pools.lists import ListPool


def solved(vectors, scores, better, worse, losses, cap, bound, tol=1e-10):
    rows = sparse.csr_matrix(vectors)
    return _core.solve_margins(
        rows.indptr.astype(np.int64), rows.indices.astype(np.uint32), rows.data, scores,
        np.array(better, np.uint32), np.array(worse, np.uint32), losses, cap, _core.MarginBound[bound], tol, 10**6,
    )  # fmt: skip


def random_program(seed, oracles=3, rivals=4, columns=5):
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(oracles + rivals, columns)) * (random.random((oracles + rivals, columns)) < 0.6)
    better, worse = np.divmod(np.arange(oracles * rivals), rivals)
    worse += oracles
    losses = random.random(len(better)) * 2
    return vectors, random.normal(size=len(vectors)), better, worse, losses


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("cap", [0.01, 0.3, 5.0])
@pytest.mark.parametrize("bound", ["sum", "box"])
def test_the_program_is_solved_to_its_gap(seed, cap, bound):
    """The value of SLSQP; the conditions of Karush, Kuhn and Tucker; the change of the weights is Eq. 5."""
    vectors, scores, better, worse, losses = random_program(seed)
    alpha, coefficients, gap, _ = solved(vectors, scores, better, worse, losses, cap, bound)
    differences = vectors[better] - vectors[worse]
    linear = losses - (scores[better] - scores[worse])
    value = linear @ alpha - 0.5 * np.sum((alpha @ differences) ** 2)
    _, best = slow.margin_program(differences, losses, scores[better] - scores[worse], cap, bound)
    assert value == pytest.approx(best, abs=1e-6 * max(1.0, abs(best)))
    assert gap <= 1e-9 * cap * max(1.0, losses.max() + np.abs(linear).max())
    change = coefficients @ vectors
    assert np.allclose(change, alpha @ differences)
    assert (alpha >= 0).all()
    lacking = linear - differences @ change
    if bound == "sum":
        assert alpha.sum() <= cap * (1 + 1e-12)
        price = max(0.0, float(lacking.max()))  # of one more unit of C
        assert np.all((alpha < 1e-9) | (np.abs(lacking - price) < 1e-5))
        assert price < 1e-5 or alpha.sum() == pytest.approx(cap)
    else:
        assert (alpha <= cap).all()
        assert np.all((alpha > 1e-9) | (lacking < 1e-5))
        assert np.all((alpha < cap * (1 - 1e-9)) | (lacking > -1e-5))
        inside = (alpha > 1e-9) & (alpha < cap * (1 - 1e-9))
        assert np.all(np.abs(lacking[inside]) < 1e-4)


@pytest.mark.parametrize("bound", ["sum", "box"])
@pytest.mark.parametrize("cap", [1e-3, 0.2, 100.0])
def test_one_margin_is_the_closed_form(bound, cap):
    vectors = np.array([[1.0, 0, 2.0], [0, 1.0, 0.5]])
    scores, loss = np.array([0.3, 0.8]), np.array([1.5])
    alpha, *_ = solved(vectors, scores, [0], [1], loss, cap, bound)
    difference = vectors[0] - vectors[1]
    expected = max(0.0, min(cap, (1.5 - (0.3 - 0.8)) / float(difference @ difference)))
    assert alpha[0] == pytest.approx(expected, rel=1e-12)


def test_margins_that_are_kept_already_change_nothing():
    vectors = np.eye(2)
    alpha, coefficients, gap, steps = solved(vectors, np.array([5.0, 0.0]), [0], [1], np.array([1.0]), 1.0, "sum")
    assert alpha.tolist() == [0.0]
    assert not coefficients.any()
    assert gap == steps == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"scores": np.array([0.0])},
        {"better": [2]},
        {"losses": np.array([np.nan])},
        {"cap": 0.0},
        {"scores": np.array([0.0, np.inf])},
    ],
)
def test_what_is_no_program_is_refused(wrong):
    given = {"scores": np.zeros(2), "better": [0], "worse": [1], "losses": np.ones(1), "cap": 1.0, "bound": "sum"}
    with pytest.raises(ValueError, match=r"must|names"):
        solved(np.eye(2), **{**given, **wrong})


def pool_of(seed, **shape):
    matrix, offsets, statistics = random_lists(seed, sparse=4, **shape)
    return ListPool(CandidateSet.from_matrix(matrix, offsets, statistics=statistics))


def learner_of(pool, settings=None, start=None):
    optimizer = settings or LargeMargin()
    weights = np.zeros(pool.columns) if start is None else start
    best = pool.best(weights)
    rows = np.zeros((pool.sentences, 10))
    rows[best.sentences] = best.statistics
    return optimizer.open(None, Limits.none(pool.columns), optimizer.first(weights, rows))


def batch_of(pool, loss, sentences):
    objective = loss.prepare(pool, Bleu(), 1)
    return Batch(objective, np.array(sentences, np.uint32), pool.columns)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("loss", [OracleMargins.plain(), OracleMargins()])
def test_one_oracle_and_one_rival_is_the_closed_form(seed, loss):
    """m = k = 1: the best by document BLEU against the highest score, or hope and fear, by hand."""
    by_score, by_gain = float(loss.oracle == "model+gain"), float(loss.rival == "model-gain")
    pool = pool_of(seed)
    start = np.random.default_rng(seed).normal(size=pool.columns)
    learner = learner_of(pool, LargeMargin(step_cap=0.05), start)
    lists, matrix = pool.candidates, pool.candidates.rows().toarray()
    best = pool.best(start)
    chosen = np.zeros((pool.sentences, 10))
    chosen[best.sentences] = best.statistics
    document, w, trail = DocumentBleu(chosen), start.copy(), []
    for sentence in range(pool.sentences):
        rows = list(lists.candidates_of(sentence))
        if rows:
            gains = document.scores(sentence, lists.statistics[rows].astype(float))
            words = (document.total - document.oracles[sentence])[1] + lists.statistics[rows][:, 1]
            gains = gains * words
            scores = matrix[rows] @ w
            oracle = rows[int(np.argmax(gains + by_score * scores))]
            rival = rows[int(np.argmax(scores - by_gain * gains))]
            lost = gains[rows.index(oracle)] - gains[rows.index(rival)]
            document.replace(sentence, lists.statistics[oracle].astype(float))
            difference = matrix[oracle] - matrix[rival]
            if lost > 0 and difference.any():
                step = min(0.05, (lost - difference @ w) / (difference @ difference))
                w = w + max(0.0, step) * difference
        trail.append(w)
    learner.learn(batch_of(pool, replace(loss, oracles=1, rivals=1), range(pool.sentences)))
    assert np.allclose(learner.weights(), w, atol=1e-12)
    average, steps = learner.average()
    assert steps == pool.sentences
    assert np.allclose(average, np.mean(trail, axis=0), atol=1e-12)


@pytest.mark.parametrize("update", ["perceptron", "convex"])
def test_the_two_rivals_of_mira_are_as_printed(update):
    pool = pool_of(3, sentences=3)
    start = np.random.default_rng(1).normal(size=pool.columns)
    loss = replace(OracleMargins.plain(), oracles=3, rivals=2, gain="sentence", scale="none")
    learner = learner_of(pool, LargeMargin(update=update, rate=0.3), start)
    lists, matrix = pool.candidates, pool.candidates.rows().toarray()
    gains = _core.bleu_plus_one(lists.statistics.astype(float), False, False, False)
    w = start.copy()
    for sentence in range(pool.sentences):
        rows = np.array(lists.candidates_of(sentence))
        if len(rows):
            oracle, rival = rows[np.argmax(gains[rows])], rows[np.argmax(matrix[rows] @ w)]
            difference, lost = matrix[oracle] - matrix[rival], gains[oracle] - gains[rival]
            if lost > 0 and difference.any():
                by = 1.0 if update == "perceptron" else 0.3 * lost * max(0.0, 1.0 - difference @ w)
                w = w + by * difference
    learner.learn(batch_of(pool, loss, range(pool.sentences)))
    assert np.allclose(learner.weights(), w)


def test_oracles_never_get_worse_in_a_fixed_document():
    """Whatever lists come, the i-th best oracle of a sentence is as good as before, and each is there once."""
    loss = replace(OracleMargins.plain(), oracles=3, rivals=2)
    pool = pool_of(1, sentences=2, longest=9)
    learner = learner_of(pool)
    memory, worst = None, [-np.inf] * 3
    for seed in range(20):
        objective = loss.prepare(pool_of(seed, sentences=2, longest=9), Bleu(), 1)
        learner.learn(Batch(objective, np.array([0], np.uint32), pool.columns))
        memory = learner._memory
        found = memory.of(0)
        rest = memory.rest(0)
        gains = objective.gains(np.array([each.statistics for each in found]), rest)
        assert np.all(np.diff(gains) <= 0)
        assert len({each.key for each in found}) == len(found)
        padded = [*gains.tolist(), *[-np.inf] * (3 - len(gains))]
        assert all(new >= old for new, old in zip(padded, worst, strict=True))
        worst = padded


def test_the_best_oracles_are_those_of_all_translations_so_far():
    loss, pool = replace(OracleMargins.plain(), oracles=4), pool_of(1, sentences=2)
    learner, seen = learner_of(pool), {}
    for seed in range(6):
        objective = loss.prepare(pool_of(seed, sentences=2), Bleu(), 1)
        learner.learn(Batch(objective, np.array([0], np.uint32), pool.columns))
        features = objective.candidates.rows().toarray()
        for row in objective.candidates.candidates_of(0):
            seen[features[row].tobytes() + objective.statistics[row].tobytes()] = objective.statistics[row]
    rest = learner._memory.rest(0)
    gains = objective.gains(np.array(list(seen.values())), rest)
    found = objective.gains(np.array([each.statistics for each in learner._memory.of(0)]), rest)
    assert found.tolist() == [gains[at] for at in slow.best_oracles(gains.tolist(), 4)]


def test_hopes_are_the_best_of_old_and_new_by_score_and_gain():
    """With the weights of the moment, in the document without the sentence."""
    loss, pool = OracleMargins(oracles=3, rivals=2), pool_of(1, sentences=2, longest=9)
    learner, kept = learner_of(pool, start=np.random.default_rng(3).normal(size=pool.columns)), []
    for seed in range(12):
        objective = loss.prepare(pool_of(seed, sentences=2, longest=9), Bleu(), 1)
        features, w = objective.candidates.rows().toarray(), learner.weights()
        rest = learner._known(objective).rest(0)
        known = {row.tobytes() + each.tobytes(): (row, each) for row, each in kept}
        for row in objective.candidates.candidates_of(0):
            known.setdefault(features[row].tobytes() + objective.statistics[row].tobytes(),
                             (features[row], objective.statistics[row]))  # fmt: skip
        learner.learn(Batch(objective, np.array([0], np.uint32), pool.columns))
        every = list(known.values())
        worth = objective.gains(np.array([each for _, each in every]), rest) + [row @ w for row, _ in every]
        kept = [every[at] for at in slow.best_oracles(worth.tolist(), 3)]
        assert [each.statistics.tolist() for each in learner._memory.of(0)] == [each.tolist() for _, each in kept]


@pytest.mark.parametrize("document", [None, 4, Documents(np.array([0] * 3 + [1] * 9))])
def test_a_state_resumes_to_the_same_bytes(document):
    pool, loss, optimizer = pool_of(5), OracleMargins(oracles=3, rivals=3, document=document), LargeMargin()
    whole, cut = learner_of(pool), learner_of(pool)
    for _ in range(2):
        for sentence in range(pool.sentences):
            batch = batch_of(pool, loss, [sentence])
            whole.learn(batch)
            cut.learn(batch)
            cut = optimizer.open(None, Limits.none(pool.columns), cut.state())
    assert cut.weights().tobytes() == whole.weights().tobytes()
    assert cut.average()[0].tobytes() == whole.average()[0].tobytes()
    one, other = cut.state().arrays, whole.state().arrays
    assert one.keys() == other.keys()
    assert all(one[name].tobytes() == other[name].tobytes() for name in one)


def test_documents_are_blocks_of_lines():
    rows = np.arange(50.0).reshape(5, 10)
    memory = OracleMemory(rows, 2)
    assert memory.rest(0).tolist() == rows[1].tolist()
    assert not memory.rest(4).any()  # a document of one line
    assert OracleMemory(rows, None).rest(0).tolist() == rows[1:].sum(axis=0).tolist()
    memory.keep(1, [Oracle(np.array([3], np.uint32), np.array([1.0]), np.ones(10))])
    assert memory.rest(0).tolist() == [1.0] * 10
    again = OracleMemory.from_arrays(memory.arrays(), 10, 2)
    assert again.rest(0).tolist() == [1.0] * 10
    assert again.of(1)[0].key == memory.of(1)[0].key


def test_documents_are_named_in_a_file(tmp_path):
    path = tmp_path / "documents"
    path.write_text("a\na\nb\na\na\n")
    documents = Documents.read(path)
    assert documents.numbers.tolist() == [0, 0, 1, 2, 2]
    rows = np.arange(50.0).reshape(5, 10)
    memory = OracleMemory(rows, documents)
    assert memory.rest(0).tolist() == rows[1].tolist()
    assert not memory.rest(2).any()
    path.write_text("a\na\nb\nb\nc\n")
    assert OracleMemory(rows, Documents.read(path)).arrays().keys() == memory.arrays().keys()
    blocks, named = OracleMemory(rows, 2).arrays(), OracleMemory(rows, Documents.read(path)).arrays()
    assert all(blocks[key].tobytes() == named[key].tobytes() for key in blocks)
    given = recipes.online_mira().with_settings(f"document={path}")
    assert given.loss.document.numbers.tolist() == [0, 0, 1, 1, 2]
    assert recipes.online_mira().with_settings("document=50").loss.document == 50
    with pytest.raises(ConfigError, match=r"documents of 5 sentences, and 8 to learn on.*a line for each"):
        given.loss.prepare(pool_of(1, sentences=8), Bleu(), 1)
    path.write_text("a\n\nb\n")
    with pytest.raises(ConfigError, match=r"documents:2: is empty"):
        Documents.read(path)


def test_a_document_of_one_line_is_bleu_of_the_sentence_itself():
    """Table 3 of Watanabe et al. compares gains of documents and of sentences."""
    pool = pool_of(2)
    objective = OracleMargins(document=1, scale="none").prepare(pool, Bleu(), 1)
    alone = OracleMemory(np.ones((pool.sentences, 10)), 1)
    rows = objective.statistics
    assert (
        objective.gains(rows, alone.rest(0)).tolist()
        == _core.bleu(rows, _core.Smoothing.none, 0.0, False).tolist()
    )
    smoothed = OracleMargins(gain="sentence", scale="none").prepare(pool, Bleu(), 1).gains(rows, alone.rest(0))
    assert smoothed.tolist() == _core.bleu_plus_one(rows, False, False, False).tolist()


@pytest.mark.parametrize(("oracles", "rivals"), [(1, 1), (1, 10), (10, 1), (10, 10), (50, 50)])
def test_any_number_of_oracles_and_rivals(oracles, rivals):
    pool = pool_of(4, longest=60)
    learner = learner_of(pool, start=np.random.default_rng(1).normal(size=pool.columns))
    learnt = learner.learn(batch_of(pool, OracleMargins(oracles=oracles, rivals=rivals), range(pool.sentences)))
    assert learnt.updates
    assert max(len(learner._memory.of(at)) for at in range(pool.sentences)) <= oracles


@pytest.mark.parametrize("name", ["oracle sizes", "oracle values", "oracle chosen", "oracle totals"])
def test_damaged_oracles_are_refused(name):
    memory = OracleMemory(np.ones((3, 10)), None)
    memory.keep(1, [Oracle(np.array([3], np.uint32), np.array([1.0]), np.ones(10))])
    arrays = memory.arrays()
    for wrong in ({**arrays, name: arrays[name][:-1]}, {key: each for key, each in arrays.items() if key != name}):
        with pytest.raises(FormatError, match="oracles of the run"):
            OracleMemory.from_arrays(wrong, 10, None)


def test_what_it_cannot_do_is_refused():
    pool = pool_of(1)
    lists = pool.candidates.with_statistics(np.ones((len(pool), Ter().width)))
    with pytest.raises(ConfigError, match="OracleMargins is for metrics that are like BLEU"):
        OracleMargins().prepare(ListPool(lists), Ter(), 1)
    bounded = Limits(np.zeros(pool.columns), np.ones(pool.columns), np.ones(pool.columns))
    with pytest.raises(ConfigError, match="LargeMargin keeps no bounds"):
        LargeMargin().open(None, bounded, LargeMargin().first(np.zeros(pool.columns)))
    for settings in ({"oracles": 0}, {"rivals": 0}, {"gain": "word"}, {"document": 0}):
        with pytest.raises(ConfigError):
            OracleMargins(**settings)
    for settings in ({"step_cap": 0.0}, {"bound": "none"}, {"update": "best"}, {"rate": 0.0}):
        with pytest.raises(ConfigError):
            LargeMargin(**settings)


def test_numbers_of_changed_weights_do_not_pile_up_where_nobody_asks():
    touched = Touched(most=10)
    for at in range(100):
        touched.add(np.array([at % 7, 3, 3], np.uint32))
        assert sum(map(len, touched._some)) <= 10 + 7
    assert touched.take().tolist() == list(range(7))
    assert not len(touched.take())
