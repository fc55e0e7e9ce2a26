"""Perplexities of maps against their definition and against the script in ../shared that scored other tools."""

import gzip
import subprocess
import sys
from collections import Counter

import pytest
from reference import clustering as slow
from support.models.class_text import random_text

from tunesmith.clustering import OBJECTIVES, ClusteringOptions, WordClasses, assign, cluster, perplexity
from tunesmith.errors import ConfigError, FormatError


@pytest.mark.parametrize("named", [True, False])
def test_perplexities_are_products_of_relative_frequencies(named):
    text = random_text(2, 30, 80)
    words = slow.by_count(text)[:20]
    classes = {word: str(place % 4) for place, word in enumerate(words)}
    if named:
        classes["<unk>"] = "1"
    found = perplexity([" ".join(line) for line in text], WordClasses(classes))
    one, two, both = slow.perplexities(text, classes)
    assert (found.one_sided, found.two_sided, found.bidirectional) == pytest.approx((one, two, both), rel=1e-12)
    counts = Counter(word for line in text for word in line)
    assert found.tokens == counts.total()
    assert found.unknown_tokens == sum(count for word, count in counts.items() if word not in classes)
    assert found.words == 20
    assert found.classes == (4 if named else 5)


def test_words_below_the_minimum_count_are_lacking():
    lines = ["a b a b c", "a b"]
    classes = WordClasses({"a": "0", "b": "1", "c": "2"})
    limited = perplexity(lines, classes, min_count=2)
    assert limited.unknown_tokens == 1
    assert limited == perplexity(lines, WordClasses({"a": "0", "b": "1"}))


@pytest.mark.parametrize("kind", OBJECTIVES)
def test_each_objective_has_the_lowest_perplexity_of_its_kind(kind):
    lines = [" ".join(line) for line in random_text(12, 200, 1500)]
    found = {
        each: perplexity(lines, cluster(lines, ClusteringOptions(8, each, min_count=2, passes=50)).classes)
        for each in OBJECTIVES
    }
    by = kind.replace("-", "_")
    assert min(found, key=lambda each: getattr(found[each], by)) == kind


def test_assigned_words_are_where_learning_would_put_them():
    text = random_text(12, 200, 1500)
    lines = [" ".join(line) for line in text]
    learnt = cluster(lines, ClusteringOptions(8, min_count=2, passes=50))
    assert learnt.converged
    rare = [word for word in learnt.classes if word not in set(slow.by_count(text)[:190]) | {"<unk>"}][:1]
    known = WordClasses({word: learnt.classes[word] for word in learnt.classes if word not in rare})
    assert assign(lines, known, min_count=2) == learnt.classes
    assert list(assign(lines, known, min_count=2))[-1:] == rare
    assert assign(lines, learnt.classes, min_count=2) == learnt.classes
    assert assign([], known) == known
    with pytest.raises(ConfigError, match="objective must be"):
        assign(lines, known, objective="both")


def test_digits_to_one():
    lines = ["in 1984 or 2014", "in 19 or 20", "1999 in"] * 3
    learnt = cluster(lines, ClusteringOptions(2, digits_to_one=True, min_count=3))
    assert set(learnt.classes) == {"in", "or", "0000", "00"}
    assert perplexity(lines, learnt.classes, digits_to_one=True).unknown_tokens == 0
    assert perplexity(lines, learnt.classes).unknown_tokens == 15


def test_a_text_without_words_is_refused():
    with pytest.raises(FormatError, match="no words"):
        cluster(["", " "])
    with pytest.raises(FormatError, match="no words"):
        perplexity([], WordClasses({"a": "0"}))


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"classes": 0}, "classes must be a whole number from 1 to 65535, got 0"),
        ({"objective": "both"}, "objective must be one-sided or two-sided or bidirectional, got 'both'"),
        ({"passes": 0}, "passes must be a whole number from 1"),
        ({"min_count": 0}, "min_count must be a whole number from 1"),
        ({"refine_from": 64}, "refine_from must be less than classes, which is 64, got 64"),
    ],
)
def test_wrong_settings_are_refused(settings, wrong):
    with pytest.raises(ConfigError, match=wrong):
        ClusteringOptions(**settings)


def test_settings_that_do_not_fit_given_classes_are_refused():
    start = WordClasses({"a": "0", "b": "1", "c": "2"})
    with pytest.raises(ConfigError, match="classes must be at least 3"):
        cluster(["a b"], ClusteringOptions(2), start=start)
    with pytest.raises(ConfigError, match="refine_from cannot be used with given classes"):
        cluster(["a b"], ClusteringOptions(8, refine_from=2), start=start)


def script_of(shared, text, *maps) -> list[list[float]]:
    """Tokens, classes, one-sided, two-sided, objective of each map as the script in ../shared computes them."""
    script = shared / "reference" / "classes" / "perplexity.py"
    ran = subprocess.run([sys.executable, script, text, *maps], capture_output=True, text=True, check=True)
    return [[float(value) for value in line.split()[-5:]] for line in ran.stdout.splitlines()]


def test_perplexities_are_those_of_the_script_that_scored_other_tools(shared, tmp_path):
    text = tmp_path / "text"
    raw = gzip.decompress((shared / "data" / "multi30k-de-en" / "train.en.gz").read_bytes()).decode()
    lines = raw.splitlines()[:6000]
    text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    recorded = shared / "reference" / "classes"
    maps = [recorded / f"{tool}.multi30k.64.tsv.gz" for tool in ("clustercat", "clustercat-one-sided", "mkcls")]
    learnt = cluster(lines, ClusteringOptions(32))
    learnt.classes.save(tmp_path / "ours.tsv")
    maps.append(tmp_path / "ours.tsv")
    expected = script_of(shared, str(text), *map(str, maps))
    for path, (tokens, _, one_sided, two_sided, _) in zip(maps, expected, strict=True):
        found = perplexity(lines, WordClasses.load(path))
        assert found.tokens == tokens
        assert (found.one_sided, found.two_sided) == pytest.approx((one_sided, two_sided), abs=6e-4)
    assert learnt.passes[-1].objective == pytest.approx(expected[-1][-1], abs=0.06)
