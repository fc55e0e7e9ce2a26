"""Lists of sentences with labels: copies of features, and weights of domains."""

import numpy as np
import pytest
from support.lists.tuning_lists import random_lists

from tunesmith.errors import ConfigError
from tunesmith.features.domains import Domains, copy_name, original_name, weights_in
from tunesmith.search import CandidateSet
from tunesmith.search.lists.labelled import with_copies
from tunesmith.weights import Weights

LABELS = ["news", "web", "web", "news", "talk", "web", "news", "talk", "web", "news", "web", "web"]


@pytest.fixture
def lists():
    values, offsets, statistics = random_lists(1, features=2, sparse=4)
    names = ["lm", "tm:0", "tm:1", "pair:a", "pair:b", "pair:c"]
    return CandidateSet.from_matrix(values, offsets, statistics=statistics, names=names)


@pytest.mark.parametrize(
    ("domains", "copied"),
    [
        (None, {"lm", "tm", "pair"}),
        (Domains("news/web/talk", "tm/pair", "news"), {"tm", "pair"}),
        (Domains(templates="lm", default="talk"), {"lm"}),
    ],
)
def test_lists_with_copies_have_the_scores_of_the_weights_of_each_domain(lists, domains, copied):
    found = with_copies(lists, LABELS, domains)
    default = "" if domains is None else domains.default
    wanted = {copy_name(name, label) for name in lists.features for label in {*LABELS} - {default}
              if name.partition(":")[0] in copied}  # fmt: skip
    assert set(found.features) - set(lists.features) <= wanted
    rows, originals = found.rows().toarray(), lists.rows().toarray()
    np.testing.assert_array_equal(rows[:, : lists.columns], originals)
    fires = set()
    for name in wanted:
        original, label = original_name(name)
        own = np.array([LABELS[sentence] == label for sentence in lists.sentence_of])
        values = np.where(own, originals[:, lists.features.find(original)], 0.0)
        if values.any():
            fires.add(name)
            np.testing.assert_array_equal(rows[:, found.features.find(name)], values)
    assert set(found.features) == {*lists.features, *fires}
    random = np.random.default_rng(2)
    weights = {name: random.standard_normal() for name in found.features}
    scores = found.scores(found.features.vector(Weights.from_mapping(weights))[0])
    for label in set(LABELS):
        own = [LABELS[sentence] == label for sentence in lists.sentence_of]
        of_domain = Weights.from_mapping(weights_in(weights, label, set(LABELS)))
        alone = lists.scores(lists.features.vector(of_domain)[0])
        np.testing.assert_allclose(scores[own], alone[own])
    np.testing.assert_array_equal(found.statistics, lists.statistics)


def test_names_that_are_no_copies_stay():
    weights = {"lm": 1.0, "lm@web": 0.5, "lm@other": 2.0, "id:a@web|b": 3.0}
    assert weights_in(weights, "news", {"news", "web"}) == {"lm": 1.0, "lm@other": 2.0, "id:a@web|b": 3.0}
    assert weights_in(weights, "web", {"news", "web"})["lm"] == 1.5


def test_labels_and_domains_that_do_not_fit(lists):
    with pytest.raises(ConfigError, match="11 labels for lists of 12 sentences"):
        with_copies(lists, LABELS[1:])
    with pytest.raises(ConfigError, match="the label 'talk' is not a domain; there are news, web"):
        with_copies(lists, LABELS, Domains("news/web"))
    with pytest.raises(ConfigError, match="copies of 'glue', which no feature of these lists is called"):
        with_copies(lists, LABELS, Domains(templates="glue"))
