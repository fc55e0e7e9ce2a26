"""Groups by rank: features in the order of their weights, as equally many in each as can be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunesmith.errors import ConfigError
from tunesmith.tuning import recipes
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


def test_bins_are_a_setting_of_grouping():
    recipe = recipes.get("oscar").with_settings(["bins=20"])
    assert recipe.grouping.bins == 20
    with pytest.raises(ConfigError, match="bins"):
        recipe.with_settings(["bins=0"])
