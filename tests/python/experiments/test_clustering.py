"""Clusters of rules: every rule in one, near ones together."""

from types import SimpleNamespace

import numpy as np
import pytest

from tunesmith.alignment import align
from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import ConfigError
from tunesmith.experiments.liu2013.clustering import cluster_rules, describe_rules
from tunesmith.experiments.liu2013.partitions import ByCount, Clusters, NoGroups
from tunesmith.grammar import extract_rules


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    bitext = Bitext(
        ["我 喝 茶", "我 喝 水", "他 喝 茶"] * 3, ["i drink tea", "i drink water", "he drinks tea"] * 3
    )
    return extract_rules(bitext, align(bitext).joined, tmp_path_factory.mktemp("rules") / "rules")


def test_rules_are_described_by_numbers_of_one_scale(table):
    points = describe_rules(table)
    assert len(points) == len(table)
    assert np.abs(points.mean(axis=0)).max() < 1e-9
    spread = points.std(axis=0)
    assert np.all((np.abs(spread - 1) < 1e-9) | (spread == 0))
    lengths = np.array([len(table[rule].source) for rule in range(len(table))])
    assert np.corrcoef(points[:, 5], lengths)[0, 1] == pytest.approx(1)
    gaps = np.array([sum(word.startswith("[X") for word in table[rule].source) for rule in range(len(table))])
    assert np.array_equal(np.argsort(points[:, 6], kind="stable"), np.argsort(gaps, kind="stable"))


def test_every_rule_is_in_a_cluster_whose_centre_is_nearest(table):
    points, clusters = describe_rules(table), cluster_rules(describe_rules(table), 4, seed=1)
    assert np.array_equal(np.unique(clusters), np.arange(clusters.max() + 1))
    assert clusters.max() < 4
    centres = np.stack([points[clusters == each].mean(axis=0) for each in range(clusters.max() + 1)])
    distances = ((points[:, None] - centres) ** 2).sum(axis=2)
    assert np.allclose(distances[np.arange(len(points)), clusters], distances.min(axis=1))
    assert np.array_equal(clusters, cluster_rules(points, 4, seed=1))
    with pytest.raises(ConfigError):
        cluster_rules(points, 0, seed=1)


def learnt(grouped, rare=()):
    """What these partitions look at: which features are rules, and which of them are rare."""
    rules = np.array(grouped, dtype=bool)
    return SimpleNamespace(grouped=rules, rare=np.isin(np.arange(len(rules)), rare), seed=1)


def test_rules_without_a_group_stay_out_and_other_features_alone():
    found = NoGroups().groups(learnt([0, 1, 1, 0, 1, 0]))
    assert found.groups.tolist() == [0, -1, -1, 1, -1, 2]
    assert found.size == 3


def test_rules_as_often_seen_are_a_group():
    counts = ByCount(np.array([0.5, 1.0, 1.5, 0.25]), bounds=(0.5, 1.0))
    assert counts.groups(learnt([0, 1, 1, 1, 1])).groups.tolist() == [0, 1, 2, 3, 1]
    without = counts.groups(learnt([0, 1, 1, 1, 1], rare=[2, 4]))
    assert without.groups.tolist() == [0, 1, -1, 2, -1]
    assert without.size == 3


def test_clusters_are_those_of_the_points():
    points = np.array([[0.0], [5.0], [0.1], [5.1]])
    found = Clusters(points, 2).groups(learnt([1, 1, 0, 1, 1]))
    assert found.groups[2] == 0
    assert (found.groups[[0, 1, 3, 4]] - 1).tolist() == cluster_rules(points, 2, 1).tolist()
    assert not any(each.learns for each in (NoGroups(), Clusters(points, 2), ByCount(points[:, 0])))
