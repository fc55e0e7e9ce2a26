"""How much partitions agree, what is reused, and the picture of groups."""

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunesmith.errors import ConfigError
from tunesmith.evaluation.group_overlap import group_overlap
from tunesmith.evaluation.pages.group_plot import draw_groups, save_group_plot
from tunesmith.evaluation.partitions import adjusted_rand_index
from tunesmith.evaluation.reused import projection_of, reuse, reuse_by_template
from tunesmith.features.index import FeatureIndex
from tunesmith.tuning.loop.history import Round
from tunesmith.tuning.runs.group_files import GroupTable

labels = st.integers(2, 30).flatmap(
    lambda size: st.tuples(*(st.lists(st.integers(0, 5), min_size=size, max_size=size) for _ in range(2)))
)


def test_the_rand_index_is_that_of_scikit_learn():
    from sklearn.metrics import adjusted_rand_score

    @given(labels)
    def agree(both):
        assert adjusted_rand_index(*both) == pytest.approx(adjusted_rand_score(*both), abs=1e-12)

    agree()


@given(labels)
def test_names_of_groups_do_not_matter_and_both_are_alike(both):
    one, other = both
    renamed = [7 * label + 3 for label in one]
    assert adjusted_rand_index(one, renamed) == 1.0
    assert adjusted_rand_index(one, other) == pytest.approx(adjusted_rand_index(other, renamed), abs=1e-12)


def test_partitions_of_other_things_cannot_be_compared():
    with pytest.raises(ConfigError, match="same length"):
        adjusted_rand_index([1, 2], [1, 2, 3])
    assert adjusted_rand_index([], []) == 1.0
    assert adjusted_rand_index([4], [9]) == 1.0


def table(groups, weights, alone=1):
    """A table of features a, b, c … in these groups; the first ones stand alone."""
    numbers = np.array(groups)
    sizes = np.bincount(numbers, minlength=len(weights))
    counts = np.ones(len(weights), dtype=int)
    return GroupTable(
        "tune test", [chr(97 + at) if at else "lm" for at in range(len(groups))], numbers, np.ones_like(numbers),
        np.ones_like(numbers), np.arange(len(weights)) < alone, sizes, np.array(weights, float),
        np.array(weights, float), counts, counts,
    )  # fmt: skip


def test_runs_are_compared_by_names_and_without_what_stands_alone():
    one = table([0, 1, 1, 2, 2], [1.0, 0.5, -0.5])
    same = group_overlap(one, table([0, 2, 2, 1, 1], [3.0, -0.5, 0.5]))
    assert (same.rand_index, same.rand_index_of_all, same.same_sign, same.common) == (1.0, 1.0, 1.0, 4)
    other = group_overlap(one, table([0, 1, 2, 1, 2], [3.0, 1.0, 2.0]))
    assert other.rand_index < 0.0
    assert other.same_sign == 0.5
    with pytest.raises(ConfigError, match="without a single grouped feature"):
        group_overlap(one, table([0], [1.0]))


def test_reused_is_active_that_fires():
    weights, support = np.array([1.0, 0.0, -2.0, 3.0, 0.5]), np.array([4, 9, 0, 1])
    found = reuse(weights, support)
    assert (found.active, found.reused) == (4, 2)
    names = FeatureIndex(["lm", "id:a|b", "id:a|c", "id:d|e", "word:x"])
    by = reuse_by_template(weights, support, names)
    assert {name: (each.active, each.reused) for name, each in by.items()} == {
        "lm": (1, 1), "id": (2, 1), "word": (1, 0),
    }  # fmt: skip


def test_groups_of_another_model_are_noticed():
    projection, missing = projection_of(table([0, 1, 1], [1.0, 2.0]), FeatureIndex(["x", "lm", "c"]))
    assert missing == ["b"]
    assert projection.groups.tolist() == [-1, 0, 1]


ROUNDS = [Round(at, 30.0 + at / 100, details={"groups": 4.0, "active_groups": 3.0}) for at in range(3)]


def test_the_picture_is_the_same_bytes_and_shows_all_groups(tmp_path):
    pytest.importorskip("matplotlib")
    found = table([0, 1, 1, 2, 3], [1.0, 0.5, -0.5, 0.0])
    rounds = ROUNDS
    for name in ("one.svg", "two.svg"):
        save_group_plot(tmp_path / name, found, rounds, metric="BLEU", number=2)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    drawn = draw_groups(found, rounds, metric="BLEU", number=2).axes[0]
    assert sum(len(each.get_offsets()) for each in drawn.collections) == 3
    with pytest.raises(ConfigError, match=r"\.svg"):
        save_group_plot(tmp_path / "groups.gif", found, rounds, metric="BLEU", number=2)


def test_groups_of_several_features_come_first():
    """However small their weights: a group of one is no group yet, and a feature alone was not to be grouped."""
    found = table([0, 1, 2, 2, 3, 3, 3], [9.0, 5.0, 0.1, -0.2])
    assert found.ordered(np.abs(found.weights)) == [3, 2, 1, 0]
    assert found.ordered(found.sizes) == [3, 2, 1, 0]
    assert found.ordered(-found.sizes) == [2, 3, 1, 0]


def test_names_in_the_picture_do_not_lie_on_each_other():
    """Groups of nearly the same weight and size, as rounds have many."""
    canvas_of = pytest.importorskip("matplotlib.backends.backend_agg").FigureCanvasAgg
    count = 30
    groups = [0, *(1 + at // 2 for at in range(2 * count))]
    weights = [1.0, *(0.5 + at / 1000 for at in range(count))]
    found = table(groups, weights)
    found = dataclasses.replace(found, names=[f"id:词|a_longer_name_{at}" for at in range(len(groups))])
    figure = draw_groups(found, ROUNDS, metric="BLEU", number=1)
    canvas = canvas_of(figure)
    canvas.draw()
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in figure.axes[0].texts]
    assert len(boxes) > 1
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()][:3] == ["1", "2", "3"]
    low, high = figure.axes[-1].get_ylim()
    assert high - low >= 0.0499 * ROUNDS[-1].score
