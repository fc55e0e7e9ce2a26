import json

import numpy as np
import pytest
from reference.made_up import damaged, references

import tunesmith
from tunesmith import ConfigError
from tunesmith.evaluation.compare import compare
from tunesmith.evaluation.correction import corrected
from tunesmith.evaluation.evaluate import evaluate
from tunesmith.evaluation.settings import Resampling
from tunesmith.evaluation.significance import approximate_randomization, confidence_interval, paired_bootstrap
from tunesmith.metrics import Bleu, Ter

REFERENCES = references(50)
FIRST = [sentence[0] for sentence in REFERENCES]
FAST = Resampling(samples=200, trials=300, seed=4)


def rows_of(metric):
    prepared = metric.prepare(REFERENCES)
    systems = {f"s{at}": prepared.statistics(damaged(FIRST, rate, at)) for at, rate in enumerate((0.3, 0.2, 0.25))}
    return systems, metric.signature(prepared)


@pytest.mark.parametrize("metric", [Bleu(), Ter()])
def test_a_table_holds_what_the_single_functions_give(metric):
    systems, signature = rows_of(metric)
    table = compare(metric, systems, signature, FAST)
    base = systems["s0"]
    assert table.systems[0].tests is None
    for row in table.systems:
        rows = systems[row.name]
        assert row.score == float(metric.score(rows.sum(axis=0)))
        assert row.interval == confidence_interval(metric, rows, 200, 4)
        if row.tests is not None:
            assert row.tests.bootstrap == paired_bootstrap(metric, base, rows, 200, 4)
            assert row.tests.randomization == approximate_randomization(metric, base, rows, 300, 4)
            assert row.tests.difference == row.score - table.systems[0].score
            assert row.tests.better == ((row.tests.difference > 0) == metric.higher_is_better)


@pytest.mark.parametrize("method", ["none", "holm", "bonferroni"])
def test_corrections_are_over_the_systems(method):
    systems, signature = rows_of(Bleu())
    settings = Resampling(samples=200, trials=300, correction=method)
    tests = [row.tests for row in compare(Bleu(), systems, signature, settings).systems[1:]]
    assert [test.p_bootstrap for test in tests] == corrected([test.bootstrap.p_value for test in tests], method)
    assert [test.p_randomization for test in tests] == corrected(
        [test.randomization.p_value for test in tests], method
    )
    assert all(test.significant_randomization == (test.p_randomization < 0.05) for test in tests)


def test_tests_can_be_left_out():
    systems, signature = rows_of(Bleu())
    row = compare(Bleu(), systems, signature, Resampling(samples=0, trials=0)).systems[1]
    assert row.interval is None
    assert row.tests.p_bootstrap is None
    assert row.tests.p_randomization is None
    assert not row.tests.significant_bootstrap


def test_one_system_is_no_comparison():
    systems, signature = rows_of(Bleu())
    with pytest.raises(ConfigError, match="a base and at least one more"):
        compare(Bleu(), {"s0": systems["s0"]}, signature)


def test_signatures_say_how_it_was_done():
    systems, signature = rows_of(Bleu())
    assert str(evaluate(Bleu(), systems["s0"], signature).signature) == (
        "BLEU|nrefs:2|case:mixed|tok:none|smooth:exp|ci:bootstrap[n=1000,level=0.95]|seed:1"
        f"|version:{tunesmith.__version__}"
    )
    assert "ci:" not in str(evaluate(Bleu(), systems["s0"], signature, Resampling(samples=0)).signature)
    table = compare(Bleu(), systems, signature, Resampling(200, 0.9, 300, "holm", 4))
    assert str(table.signature).endswith(
        "|ci:bootstrap[n=200,level=0.9]|pbs:bootstrap[n=200]|par:randomization[n=300]|correction:holm[n=2]|seed:4"
        f"|version:{tunesmith.__version__}"
    )
    assert table.resampling.alpha == 0.1


def test_results_are_json():
    systems, signature = rows_of(Bleu())
    table = json.loads(json.dumps(compare(Bleu(), systems, signature, FAST).as_dict()))
    assert table["signature"]["ci"] == {"method": "bootstrap", "n": 200, "level": 0.95}
    assert set(table["systems"][1]["tests"]["bootstrap"]) == {"p_value", "p_two_sided", "wins", "ties", "samples"}
    one = json.loads(json.dumps(evaluate(Bleu(), systems["s0"], signature, FAST).as_dict()))
    assert one["interval"]["half_width"] == pytest.approx((one["interval"]["high"] - one["interval"]["low"]) / 2)
    assert one["score"] == pytest.approx(Bleu().corpus_score(damaged(FIRST, 0.3, 0), REFERENCES))
    assert np.isfinite(list(one["details"].values())).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"level": 95}, "between 0 and 1"),
        ({"samples": -1}, "samples must be at least 0, got -1"),
        ({"correction": "hulm"}, "correction must be none or holm or bonferroni, got 'hulm'"),
    ],
)
def test_settings_that_cannot_work(settings, message):
    with pytest.raises(ConfigError, match=message):
        Resampling(**settings)
