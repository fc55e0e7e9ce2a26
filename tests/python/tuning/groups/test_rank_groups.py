"""Groups by rank: features in the order of their weights, as equally many in each as can be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunesmith.errors import ConfigError
from tunesmith.tuning import recipes
from tunesmith.tuning.groups.partitions import Random, Ranks
from tunesmith.tuning.projection import Projection

WEIGHTS = st.lists(st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 3.0]), min_size=1, max_size=40)


@given(WEIGHTS, st.integers(1, 12))
def test_groups_are_ordered_and_of_equal_number(values, bins):
    weights = np.array([7.0, *values])
    grouped = np.arange(len(weights)) > 0
    found = Projection.by_rank(weights, grouped, bins)
    assert found.groups[0] == 0
    members = np.flatnonzero(grouped & (weights != 0))
    assert np.array_equal(found.groups >= 1, grouped & (weights != 0))
    sizes = np.bincount(found.groups[members] - 1, minlength=found.size - 1)
    assert len(sizes) == min(bins, len(members))
    if len(members):
        assert sizes.max() - sizes.min() <= 1
    for one in range(1, found.size - 1):
        assert weights[found.groups == one].max() <= weights[found.groups == one + 1].min()


def test_partitions_and_bins_are_settings():
    recipe = recipes.get("oscar").with_settings(["partition=ranks:bins=20"])
    assert recipe.plan.grouping.partition == Ranks(20)
    assert recipe.with_settings(["bins=7"]).plan.grouping.partition == Ranks(7)
    by_chance = recipe.with_settings(["partition=random", "bins=3"])
    assert by_chance.plan.grouping.partition == Random(of=Ranks(3))
    for wrong in ("bins=0", "partition=ranks:bins=0"):
        with pytest.raises(ConfigError, match="bins must be at least 1, got 0"):
            recipe.with_settings([wrong])
    with pytest.raises(ConfigError, match="partition"):
        recipe.with_settings(["partition=heaps"])


@given(st.lists(st.tuples(st.booleans(), st.integers(-1, 3)), min_size=1, max_size=30))
def test_what_is_not_grouped_stands_alone_before_the_groups(features):
    grouped = np.array([each for each, _ in features])
    groups = np.array([number for _, number in features])
    found = Projection.beside_alone(groups, grouped)
    alone = int(np.count_nonzero(~grouped))
    assert found.groups[~grouped].tolist() == list(range(alone))
    expected = [alone + number if number >= 0 else -1 for number in groups[grouped].tolist()]
    assert found.groups[grouped].tolist() == expected
    assert found.size == max([alone - 1, *expected]) + 1
