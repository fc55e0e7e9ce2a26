"""Clusters of rules: every rule in one, near ones together."""

from types import SimpleNamespace

import numpy as np
import pytest

from tunesmith.alignment import align
from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import ConfigError
from tunesmith.experiments.liu2013.clustering import cluster_rules, describe_rules
from tunesmith.experiments.liu2013.partitions import ByCount, NoGroups
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


def learnt(grouped):
    """What a partition that learns nothing looks at."""
    rare = np.zeros(len(grouped), dtype=bool)
    return SimpleNamespace(grouped=np.array(grouped), rare=rare, seed=1, weights=np.arange(float(len(grouped))))


def test_features_without_a_group_stay_alone_or_out():
    found = NoGroups().groups(learnt([False, True, True, False, True, False]))
    assert found.groups.tolist() == [0, -1, -1, 1, -1, 2]
    assert found.size == 3


def test_rules_seen_as_often_are_a_group():
    """Counts up to 0.5, up to 1, and above; no rule was seen more than 4 times, so that is no group."""
    counts = ByCount(np.array([0.5, 1.0, 1.5, 0.25]), bounds=(0.5, 1.0, 4.0))
    found = counts.groups(learnt([False, True, True, True, True]))
    assert found.groups.tolist() == [0, 1, 2, 3, 1]
    assert found.size == 4
    assert not counts.learns
