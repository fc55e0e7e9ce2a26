"""Lists, graphs and arrays of hierarchical search, and what they cost."""

import dataclasses
import itertools

import numpy as np
import pytest
from support.corpora.tiny_corpora import tiny_corpus
from support.models.hiero_models import small_model
from support.models.small_models import sentences

from tunesmith.decoding import DecoderOptions, HieroDecoder
from tunesmith.features import FeatureSet
from tunesmith.grammar import ExtractOptions, HieroOptions, extract_rules
from tunesmith.lm import NgramModel


def test_a_list_keeps_the_part_of_the_graph_that_it_needs(tmp_path):
    """Lists of many lines are held at once, whole graphs of long ones would not fit."""
    model = small_model(tmp_path, 37, count=40, state_features=("target_bigrams",))
    line = "a b c d z a b"
    size = len(model.decoder.index)
    listed = model.decoder.k_best([line], 10)[0]
    met = len(model.decoder.index)
    whole = next(model.decoder.stream([line], 10, graph=True))
    assert [(one.text, one.score, one.rules, one.alignment, one.feature_values()) for one in listed] == [
        (one.text, one.score, one.rules, one.alignment, one.feature_values()) for one in whole
    ]
    assert listed.graph.edges <= sum(len(one.rules) for one in listed)
    assert 10 * listed.graph.edges < whole.graph.edges
    assert len(listed.local_scores) == len({(s.rule, s.begin, s.end) for one in listed for s in one.derivation})
    assert set(listed.local_scores) <= set(whole.local_scores)
    bigrams = {id for one in listed for id in one.feature_values() if id >= size}
    assert len(bigrams) == met - size  # nothing gets a number that no list has


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("k", [2, 7, 60])
def test_lists_made_of_a_part_of_the_chart_are_those_of_all_of_it(k, distinct, tmp_path):
    model = small_model(tmp_path, 21, count=40, options=DecoderOptions(pop_limit=40))
    lines = [" ".join(words) for words in sentences(21, 12, 9)]
    smaller = 0
    for part, whole in zip(
        model.decoder.stream(lines, k, distinct=distinct),
        model.decoder.stream(lines, k, distinct=distinct, graph=True),
        strict=True,
    ):
        assert [(one.text, one.score, one.rules) for one in part] == [
            (one.text, one.score, one.rules) for one in whole
        ]
        assert part.edges == whole.edges  # the same search
        smaller += part.graph.edges < whole.graph.edges
    assert smaller > 0


def test_lists_are_the_same_where_large_parts_of_a_score_cancel_out(tmp_path):
    """Sums of floats then differ from those of doubles by more than the sums themselves let expect."""
    corpus = tiny_corpus(0, 60, 10)
    table = extract_rules(*corpus, tmp_path / "rules", ExtractOptions(HieroOptions(min_gap=1, max_gaps=1)))
    words = "".join(f"-{1 + at * 1e-6}\t{word}\n" for at, word in enumerate("ABCDX"))
    (tmp_path / "lm.arpa").write_text(
        f"\\data\\\nngram 1=8\n\n\\1-grams:\n-1\t<unk>\n0\t<s>\n-0.001\t</s>\n{words}\n\\end\\\n"
    )
    decoder = HieroDecoder(
        table, FeatureSet.parse("default").compile(table), {"lm": NgramModel.load(tmp_path / "lm.arpa")},
        options=DecoderOptions(pop_limit=40),
    )  # fmt: skip
    weights = {"translation:p(e|f)": 7e-4, "translation:p(f|e)": 4e-4, "rule_penalty": 2e-4, "lm": 1e4,
               "glue_penalty": -5e-4, "word_penalty": -1e4 * np.log(10)}  # fmt: skip
    for name, value in weights.items():
        decoder.update_weights([decoder.index.find(name)], [value])
    lines = corpus[0].source
    for part, whole in zip(decoder.stream(lines, 60), decoder.stream(lines, 60, graph=True), strict=True):
        assert [one.score for one in part] == [one.score for one in whole]


@pytest.mark.parametrize("threads", [1, 2])
def test_lines_are_taken_as_they_are_needed(threads, tmp_path):
    """So memory does not depend on how many there are; here they have no end."""
    decoder = small_model(tmp_path, 33, options=DecoderOptions(pop_limit=5)).decoder
    lines = itertools.count()
    found = decoder.stream((f"a b {number}" for number in lines), threads=threads)
    for number, decoding in enumerate(itertools.islice(found, 200)):
        assert str(number) in decoding.best.text.split()
    assert next(lines) <= 200 + 64 * threads


def test_memory_that_is_counted_has_the_graph_in_it(tmp_path):
    lines = ["a b c d " * 6]
    model = small_model(tmp_path, 17, count=40)
    best, lists, graph = (
        next(iter(model.decoder.stream(lines, k, graph=graph)))
        for k, graph in ((1, False), (50, False), (1, True))
    )
    assert lists.edges == graph.edges > best.edges
    assert best.bytes < lists.bytes < graph.bytes
    assert graph.bytes - lists.bytes > sum(array.nbytes for array in graph.graph.arrays.values())
    options = dataclasses.replace(model.decoder.options, max_bytes=lists.bytes)
    limited = small_model(tmp_path, 17, count=40, options=options).decoder
    assert not next(iter(limited.stream(lines))).limited
    assert next(iter(limited.stream(lines, graph=True))).limited


def test_arrays_hold_what_the_lists_hold(tmp_path):
    options = DecoderOptions(pop_limit=20, max_span=4)
    model = small_model(tmp_path, 37, count=30, options=options, state_features=("target_bigrams",))
    lines = [" ".join(words) for words in sentences(37, 100, 7)] + ["", "q r", "r q"]
    lists = model.decoder.k_best(lines, 4)
    for threads in (1, 2):
        arrays = model.decoder.candidate_arrays(lines, 4, threads=threads)
        assert np.diff(arrays.sentences).tolist() == [len(decoding) for decoding in lists]
        flat = [one for decoding in lists for one in decoding]
        assert len(arrays) == len(flat)
        assert arrays.scores.tolist() == [one.score for one in flat]
        for at, one in enumerate(flat):
            assert arrays.text(at) == one.text
            begin, end = arrays.rule_offsets[at : at + 2]
            assert arrays.rules[begin:end].tolist() == sorted(one.rules)
            values = dict(zip(arrays.state_ids.tolist(), arrays.states[at].tolist(), strict=True))
            begin, end = arrays.pair_offsets[at : at + 2]
            values.update(
                zip(arrays.pair_ids[begin:end].tolist(), arrays.pair_values[begin:end].tolist(), strict=True)
            )
            for rule in one.rules:
                for id, value in model.decoder._model.features.row(rule):
                    values[id] = values.get(id, 0.0) + value
            assert {id: value for id, value in values.items() if value} == pytest.approx(
                one.feature_values(), abs=1e-5
            )
    assert len(model.decoder.candidate_arrays([], 4)) == 0


def test_the_graph_holds_what_the_list_holds(tmp_path):
    model = small_model(tmp_path, 41, count=30, options=DecoderOptions(pop_limit=30, max_span=4))
    lines = [" ".join(words) for words in sentences(41, 5, 6)]
    for decoding in model.decoder.stream(lines, 10, graph=True):
        graph = decoding.graph
        scores = graph.edge_scores(decoding.local_scores, model.decoder.weights)
        found = graph.k_best(scores, 10)
        assert [one.score for one in found] == pytest.approx([one.score for one in decoding], abs=1e-9)
