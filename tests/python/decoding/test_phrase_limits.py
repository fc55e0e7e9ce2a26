"""Phrase-based search at its limits: little and much work, memory, any line, long jumps."""

import random

import numpy as np
import pytest
from support.models.phrase_models import assert_is_derivation, phrases_of, small_model
from support.models.small_models import SOURCE, sentences

from tunesmith.decoding import StackOptions


def test_more_work_finds_no_worse_translations(tmp_path):
    lines = [" ".join(words) for words in sentences(29, 30, 14, words=SOURCE)]
    means = []
    for limit in (1, 5, 30, 200):
        options = StackOptions(pop_limit=limit, stack_limit=limit)
        decoder = small_model(tmp_path, 29, count=60, options=options).decoder
        means.append(np.mean([one.score for one in decoder.translate(lines)]))
    assert means == sorted(means)
    assert means[0] < means[-1]


def test_bytes_are_what_the_search_holds(tmp_path):
    """Of a line of many words that may come in any order, most is what could be translated next."""
    options = StackOptions(pop_limit=100, distortion_limit=-1, max_bytes=2_000_000)
    model = small_model(tmp_path, 31, count=60, options=options)
    (found,) = model.decoder.k_best(["a b c d " * 80], 5)
    assert found.limited
    assert 1_000_000 < found.bytes < 2 * 2_000_000


@pytest.mark.parametrize("limit", [0, 5, 70, -1])
@pytest.mark.parametrize(
    "line", ["", "  \t ", "q", "q r s \x01 \x7f", "<s> </s> <unk>", "[X,1] |||", "a b c " * 200, "\u2028a\u3000b"]
)
def test_lines_as_they_come(line, limit, tmp_path):
    options = StackOptions(pop_limit=5, stack_limit=5, distortion_limit=limit)
    model = small_model(tmp_path, 37, count=30, options=options)
    one = model.decoder.translate([line])[0]
    unknown = [word for word in line.split() if word not in SOURCE]
    assert sorted(word for word in one.text.split() if word in unknown) == sorted(unknown)
    assert np.isfinite(one.score)
    assert (one.text == "") == (line.split() == [])
    assert_is_derivation(model, model.grammar(), one, line.split())


def test_a_stack_of_one_hypothesis(tmp_path):
    options = StackOptions(pop_limit=1, stack_limit=1, table_limit=1, distortion_limit=-1)
    model = small_model(tmp_path, 41, count=30, options=options)
    for words in sentences(41, 20, 20):
        one = model.decoder.translate([" ".join(words)])[0]
        assert_is_derivation(model, model.grammar(), one, words)


def test_jumps_beyond_a_word_of_memory(tmp_path):
    """Coverages of more than 64 words: a long sentence that is best translated from its end."""
    options = StackOptions(pop_limit=60, stack_limit=60, distortion_limit=-1)
    model = small_model(tmp_path, 43, lm=False, count=30, options=options)
    weights = np.zeros(len(model.decoder.index))
    weights[model.decoder.index.find("distortion")] = -1.0  # the farther the better
    model.decoder.set_weights(weights)
    words = random.Random(43).choices(SOURCE + "z", k=150)
    one = model.decoder.translate([" ".join(words)])[0]
    assert_is_derivation(model, model.grammar(), one, words)
    assert max(end for _, _, end in phrases_of(one)[:1]) > 64
