"""Groups of rules by all that training lists teach about them: their identities, and features that rules share."""

import dataclasses

import numpy as np
import pytest
from support.corpora.tiny_corpora import tiny_corpus
from support.lists.candidate_sets import random_factored
from support.lists.toy_parts import MeanDifference

from tunesmith.errors import ConfigError
from tunesmith.features import FeatureSet
from tunesmith.grammar import ExtractOptions, HieroOptions, extract_rules
from tunesmith.metrics import Bleu
from tunesmith.search import CandidateSet
from tunesmith.search.lists.support import sentence_support
from tunesmith.tuning import FileSource, Projection, recipes
from tunesmith.tuning.groups.partitions import Ranks, Ties
from tunesmith.tuning.groups.settings import Grouping, Learner
from tunesmith.tuning.groups.steps import Group
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.objectives import Objective
from tunesmith.tuning.optimizers.base import BatchOptimizer, OptimizerState


class Given(BatchOptimizer):
    """An optimizer that knows the weights, and groups if it makes some."""

    objective = Objective

    def __init__(self, weights, groups):
        self.weights, self.groups = weights, groups

    def solve(self, problem, start):
        return OptimizerState(self.weights, 0.0, groups=self.groups)


def grouped_rules(candidates, weights, groups=None, start=None, bins=None, **settings):
    partition = Ties() if bins is None else Ranks(bins)
    grouping = Grouping(Learner(MeanDifference(), Given(weights, groups)), partition, **settings)
    source = FileSource(candidates.with_statistics(np.ones((len(candidates), 10))))
    context = Context({"dev": source, "train": source}, Bleu(), seed=1)
    return Group(grouping).run(State(weights=np.zeros(candidates.columns) if start is None else start), context)


@pytest.fixture
def lists(tmp_path):
    """Candidates over rules with an identity each, and word pairs that rules share."""
    table = extract_rules(*tiny_corpus(1, 12), tmp_path / "rules", ExtractOptions(HieroOptions(min_gap=1)))
    features = FeatureSet.parse("default,id,lexical_alignment").compile(table)
    for name in ("lm", "more:a", "more:b"):  # of the search
        features.index.add(name)
    return random_factored(np.random.default_rng(5), features, rows=40, sentences=8)


def test_a_rule_ranks_by_the_sum_of_what_was_learnt_about_it(lists):
    features = lists.matrix.rule_features
    shared = features.index.with_prefix("lexical_alignment:")
    weights = np.random.default_rng(6).normal(size=lists.columns)
    found = grouped_rules(lists, weights, shared=("lexical_alignment:*",), bins=3)
    learning = np.zeros(lists.columns, dtype=bool)
    learning[features.id_columns] = True
    learning[shared] = True
    sums = np.array([
        sum(value * weights[column] for column, value in features.row(rule) if learning[column])
        for rule in range(features.table_rules)
    ])  # fmt: skip
    groups = found.projection.groups[features.id_columns]
    by_rank = np.argsort(sums, kind="stable")
    assert np.all(np.diff(groups[by_rank][sums[by_rank] != 0]) >= 0)
    assert np.array_equal(groups >= 0, sums != 0)
    assert len(shared) > 3
    assert np.all(found.projection.groups[shared] == -1)
    alone = np.flatnonzero(~learning)
    assert len(set(found.projection.groups[alone].tolist())) == len(alone)


def test_rare_features_are_in_no_group(lists):
    weights = np.random.default_rng(7).normal(size=lists.columns)
    features = lists.matrix.rule_features
    support = sentence_support(lists)[features.id_columns]
    for least in (2, 4):
        found = grouped_rules(lists, weights, bins=2, support=least)
        assert np.array_equal(found.projection.groups[features.id_columns] >= 0, support >= least)


def test_groups_of_an_optimizer_lose_rare_features_too(lists):
    identities = lists.matrix.rule_features.id_columns
    grouped = np.isin(np.arange(lists.columns), identities)
    made = Projection.beside_alone(np.arange(lists.columns) % 7, grouped)
    found = grouped_rules(lists, np.ones(lists.columns), made, support=3).projection.groups
    assert np.array_equal(found[identities] >= 0, sentence_support(lists)[identities] >= 3)
    assert np.all(found[~grouped] >= 0)


def test_a_group_without_members_is_gone():
    projection = Projection(np.array([0, 1, 1, 2, 3]), 4)
    found = projection.without(np.array([False, True, True, False, False]))
    assert (found.groups.tolist(), found.size) == ([0, -1, -1, 1, 2], 3)


def test_what_rare_features_have_learnt_does_not_count_for_rules_that_share(lists):
    features = lists.matrix.rule_features
    weights = np.random.default_rng(8).normal(size=lists.columns)
    found = grouped_rules(lists, weights, shared=("lexical_alignment:*",), bins=3, support=4)
    rare = sentence_support(lists) < 4
    wanted = grouped_rules(lists, np.where(rare, 0.0, weights), shared=("lexical_alignment:*",), bins=3)
    identities = features.id_columns
    assert np.array_equal(found.projection.groups[identities], wanted.projection.groups[identities])
    assert np.any(rare[identities] & (found.projection.groups[identities] >= 0))


def test_what_cannot_be_shared_is_refused(lists):
    recipe = recipes.get("grouped-mira")
    printed = recipes.get("oscar").plan.grouping
    with pytest.raises(ConfigError, match="give --set partition=ranks"):
        dataclasses.replace(printed, shared=("word_pair:*",))
    with pytest.raises(ConfigError, match="support must be at least 1, got 0"):
        recipe.with_settings(["support=0"])
    with pytest.raises(ConfigError, match="has no setting 'shared'"):
        recipe.with_settings(["shared=word_pair:*"])
    with pytest.raises(ConfigError, match="are learnt by a batch fit"):
        dataclasses.replace(printed, shared=("word_pair:*",), partition=Ranks(5))
    weights = np.ones(lists.columns)
    with pytest.raises(ConfigError, match="word_penalty has a weight of its own"):
        grouped_rules(lists, weights, start=weights, shared=("word_penalty",), bins=2)
    with pytest.raises(ConfigError, match="lm is a feature of the search"):
        grouped_rules(lists, weights, shared=("lm",), bins=2)
    with pytest.raises(ConfigError, match="no feature is called 'nothing:\\*'"):
        grouped_rules(lists, weights, shared=("nothing:*",), bins=2)
    plain = CandidateSet.from_matrix(np.eye(4), [0, 2, 4], names=["id:a", "id:b", "w:a", "w:b"])
    with pytest.raises(ConfigError, match="lists from files were given"):
        grouped_rules(plain, np.ones(4), shared=("w:*",), bins=2)
