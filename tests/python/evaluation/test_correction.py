import pytest

from tunesmith.evaluation.correction import corrected


def test_holm_by_hand():
    # Sorted: 0.005 × 4 = 0.02, 0.01 × 3 = 0.03, 0.03 × 2 = 0.06, 0.04 × 1 = 0.04, raised to the one before it.
    assert corrected([0.01, 0.04, 0.03, 0.005], "holm") == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_bonferroni_by_hand():
    assert corrected([0.01, 0.04, 0.5], "bonferroni") == pytest.approx([0.03, 0.12, 1.0])


def test_none_is_none():
    assert corrected([0.01, 0.04], "none") == [0.01, 0.04]


@pytest.mark.parametrize("method", ["none", "holm", "bonferroni"])
def test_one_comparison_needs_no_correction(method):
    assert corrected([0.03], method) == [0.03]
    assert corrected([], method) == []


def test_holm_lies_between_none_and_bonferroni_and_keeps_the_order():
    p = [0.2, 0.001, 0.02, 0.02, 0.9]
    holm, bonferroni = corrected(p, "holm"), corrected(p, "bonferroni")
    assert all(a <= b <= c for a, b, c in zip(p, holm, bonferroni, strict=True))
    assert sorted(range(5), key=p.__getitem__) == sorted(range(5), key=holm.__getitem__)
