"""Estimation: equal to the slow twin, sums to one, and the same bytes whatever the memory."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import kneser_ney as twin
from support.models.lm_text import lines as texts
from support.models.lm_text import parse_arpa, random_lines

from tunesmith.errors import ConfigError, FormatError, MissingFileError, TunesmithError
from tunesmith.lm import LmOptions, NgramModel, estimate


def arpa_of(lines, **settings) -> bytes:
    return b"".join(estimate(lines, LmOptions(**settings)).arpa())


def check_against_twin(lines, order, prune, vocab_limit):
    expected = twin.estimate(lines, order, prune, vocab_limit)
    counts, ngrams = parse_arpa(arpa_of(lines, order=order, prune=prune, vocab_limit=vocab_limit))
    assert ngrams.keys() == expected.probability.keys()
    assert counts == [sum(len(g) == n for g in ngrams) for n in range(1, order + 1)]
    for ngram, (probability, backoff) in ngrams.items():
        assert probability == pytest.approx(math.log10(expected.probability[ngram]), abs=2e-6), ngram
        assert backoff == pytest.approx(math.log10(expected.backoff.get(ngram, 1.0)), abs=2e-6), ngram


def thresholds(draw, order):
    return (0, *sorted(draw(st.lists(st.integers(0, 3), max_size=order - 1))))


@given(data=st.data(), lines=texts, order=st.integers(1, 6), limit=st.none() | st.integers(0, 8))
@settings(max_examples=200, deadline=None)
def test_native_matches_reference_on_tiny_text(data, lines, order, limit):
    check_against_twin(lines, order, thresholds(data.draw, order), limit)


@pytest.mark.parametrize("order", range(1, 10))
@pytest.mark.parametrize("prune", [(0,), (0, 0, 1), (0, 1, 1, 3)])
@pytest.mark.parametrize("limit", [None, 30])
def test_native_matches_reference(order, prune, limit):
    check_against_twin(random_lines(400, 80, seed=order), order, prune[:order], limit)


@given(data=st.data(), lines=texts, sentences=texts, order=st.integers(1, 6), limit=st.none() | st.integers(0, 8))
@settings(max_examples=100, deadline=None)
def test_scores_are_those_of_backing_off_in_the_twin(data, lines, sentences, order, limit):
    prune = thresholds(data.draw, order)
    expected = twin.estimate(lines, order, prune, limit)
    model = NgramModel.train(lines, LmOptions(order=order, prune=prune, vocab_limit=limit))
    for sentence, log10 in zip(sentences, model.score(sentences).log10, strict=True):
        known = [word if word in expected.vocabulary else "<unk>" for word in sentence.split()]
        words = ("<s>", *known, "</s>")
        scores = [expected.score(words[:at], words[at]) for at in range(1, len(words))]
        assert log10 == pytest.approx(sum(map(math.log10, scores)), abs=1e-5)


def test_discounts_of_the_report_are_those_of_the_twin():
    lines = random_lines(1500, 80, seed=3)
    report = estimate(lines, LmOptions(order=3)).report
    expected = twin.estimate(lines, 3)
    for each, discounts in zip(report.orders, expected.discounts, strict=True):
        assert each.fallback is None
        assert each.discounts == pytest.approx(discounts, rel=1e-12)
    assert (report.sentences, report.tokens) == (1500, sum(len(line.split()) for line in lines))
    assert report.types == len(expected.vocabulary)
    assert report.announcements() == []


@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize(
    "settings", [{}, {"prune": (0, 1, 2)}, {"vocab_limit": 20}, {"prune": (0, 2), "vocab_limit": 9}]
)
def test_probabilities_sum_to_one(order, settings):
    settings = {**settings, "prune": settings.get("prune", (0,))[:order]}
    lines = random_lines(500, 60, seed=5)
    model = NgramModel.train(lines, LmOptions(order=order, **settings))
    rng, words = random.Random(1), range(len(model))
    for _ in range(30):
        # Seen and unseen contexts, with and without <s>, and one of unknown words.
        state = model.begin() if rng.random() < 0.5 else type(model.begin())()
        source = (
            rng.choice(lines).split() if rng.random() < 0.7 else rng.choices([f"w{i}" for i in range(70)], k=4)
        )
        for word in model.ids(source[: rng.randint(0, 5)]):
            state = model.step(state, int(word))[2]
        total = sum(10 ** model.step(state, word)[0] for word in words if word != 1)  # <s> is never predicted
        assert total == pytest.approx(1, abs=2e-6)


@pytest.mark.parametrize("order", [1, 2, 5, 9])
@pytest.mark.parametrize("limit", [None, 40])
def test_memory_and_spilling_do_not_change_a_byte(tmp_path, order, limit):
    lines = random_lines(3000, 200, seed=order)
    large = estimate(lines, LmOptions(order=order, vocab_limit=limit))
    small = estimate(
        iter(lines), LmOptions(order=order, vocab_limit=limit, memory=20_000, temporary=str(tmp_path))
    )
    assert large.report.spilled == 0
    assert small.report.spilled > 3 or order == 1
    assert b"".join(large.arpa()) == b"".join(small.arpa())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("order", [1, 2, 5])
@pytest.mark.parametrize("limit", [None, 40])
def test_threads_do_not_change_a_byte(tmp_path, order, limit):
    lines = random_lines(4000, 200, seed=1)
    settings = {"order": order, "vocab_limit": limit, "prune": (0, 1)[:order]}
    once = estimate(lines, LmOptions(**settings))
    expected = b"".join(once.arpa())
    for memory in (20_000, 600_000, 2**30):  # the second: several workers, and not enough for their records
        options = LmOptions(**settings, memory=memory, temporary=str(tmp_path))
        for threads in (1, 2, 3, 8):
            again = estimate(lines, options, threads=threads)
            assert again.report.orders == once.report.orders
            assert again.report.spilled == 0 or memory < 2**30
            assert b"".join(again.arpa()) == expected
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("threads", [2, 8])
def test_threads_do_not_change_a_model_in_memory(threads):
    lines, options = random_lines(2000, 300, seed=4), LmOptions(order=4)
    one, more = (estimate(lines, options, threads=each).model() for each in (1, threads))
    assert bytes(one.native.image) == bytes(more.native.image)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_first_special_word_is_named_whatever_the_threads(threads):
    lines = ["a b"] * 900 + ["a <s> b"] + ["c"] * 50 + ["</s>"] * 50
    with pytest.raises(FormatError, match=r"^corpus:901: <s> is a word of the text"):
        estimate(lines, LmOptions(order=2), name="corpus", threads=threads)


def test_a_model_in_memory_equals_the_model_of_its_arpa_file(tmp_path):
    lines = random_lines(800, 100, seed=2)
    estimate(lines, LmOptions(order=4)).write_arpa(tmp_path / "lm.arpa.gz")
    trained, loaded = NgramModel.train(lines, LmOptions(order=4)), NgramModel.load(tmp_path / "lm.arpa.gz")
    assert bytes(trained.native.image) == bytes(loaded.native.image)


def test_fallbacks_are_announced_or_refused():
    report = estimate(["a b", "b a"], LmOptions(order=3)).report
    assert [each.order for each in report.orders if each.fallback] == [1, 2, 3]
    assert "order 2: the discounts cannot be estimated (no n-gram has the count" in report.announcements()[1]
    assert "0.5, 1, 1.5 are used" in report.announcements()[1]
    with pytest.raises(FormatError, match=r"discounts of order 1 cannot be estimated.*--fallback"):
        estimate(["a b", "b a"], LmOptions(order=3, fallback=None))


def test_a_discount_below_zero_is_not_used():
    # 30 words once, 1 twice, 40 three times: D2 = 2 - 3 Y n3 / n2 is far below 0.
    words = [f"a{i}" for i in range(30)] + ["b"] * 2 + [f"c{i}" for i in range(40)] * 3
    report = estimate(words, LmOptions(order=1)).report
    assert "the discount of the count 2 would be -" in report.orders[0].fallback


def test_special_words_in_the_text():
    with pytest.raises(FormatError, match=r"^corpus:2: <s> is a word of the text"):
        estimate(["a b", "a <s> b"], LmOptions(order=2), name="corpus")
    skipped = arpa_of(["a <s> b </s>", "<unk> c"], order=2, special="skip")
    assert skipped == arpa_of(["a b", "c"], order=2)
    unknown = parse_arpa(arpa_of(["a <s> b", "c"], order=2, special="unknown"))[1]
    assert ("a", "<unk>") in unknown
    assert ("<unk>", "b") in unknown
    assert unknown == parse_arpa(arpa_of(["a <unk> b", "c"], order=2, special="unknown"))[1]


def test_the_number_of_a_bad_line_counts_over_batches():
    lines = [*["a"] * 50_000, "</s>"]
    with pytest.raises(FormatError, match=r"^t:50001:"):
        estimate(lines, LmOptions(order=1), name="t")


def test_an_empty_text_is_refused_and_empty_lines_are_sentences():
    with pytest.raises(FormatError, match="text is empty"):
        estimate([])
    assert parse_arpa(arpa_of(["", ""], order=2))[1].keys() == {("<unk>",), ("<s>",), ("</s>",), ("<s>", "</s>")}


def test_unicode_white_space_separates_words():
    assert arpa_of(["a\u3000b\u00a0c"], order=2) == arpa_of(["a b c"], order=2)


def test_the_estimate_can_be_taken_once():
    estimated = estimate(["a b"])
    estimated.model()
    with pytest.raises(ConfigError, match="estimate again"):
        estimated.model()


def test_progress_is_told_and_may_stop_the_work():
    told = []
    estimate(random_lines(100, 20, seed=1), progress=lambda done, total: told.append((done, total)))
    assert told
    assert all(0 < done <= total for done, total in told)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        estimate(["a"], progress=stop)


def test_a_missing_temporary_folder_is_an_error_of_ours(tmp_path):
    options = LmOptions(order=3, memory=1000, temporary=str(tmp_path / "missing"))
    with pytest.raises(TunesmithError, match="no temporary file can be made in the folder"):
        estimate(random_lines(500, 50, seed=1), options)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": 0}, "order must be from 1 to 9, got 0"),
        ({"order": 10}, "order must be from 1 to 9, got 10"),
        ({"prune": ()}, "prune needs"),
        ({"order": 2, "prune": (0, 0, 0)}, "prune needs 1 to 2"),
        ({"prune": (1,)}, "words are not pruned"),
        ({"prune": (0, 2, 1)}, "must not fall"),
        ({"vocab_limit": -1}, "vocab_limit"),
        ({"fallback": (0.5, 1.0)}, "fallback"),
        ({"fallback": (0.0, 1.0, 1.5)}, "fallback"),
        ({"fallback": (0.5, 2.5, 1.5)}, "fallback"),
        ({"fallback": (math.nan, 1.0, 1.5)}, "fallback"),
        ({"special": "keep"}, "special must be error or skip or unknown, got 'keep'"),
        ({"memory": 0}, "memory"),
        ({"memory": 2**63}, r"memory must be below 2\*\*63"),
        ({"memory": 1e9}, "memory must be a whole number"),
        ({"vocab_limit": 10**22}, r"vocab_limit must be below 2\*\*63"),
        ({"prune": (0, 10**22)}, r"a pruning threshold must be below 2\*\*63"),
        ({"prune": (0, 1.5)}, "a pruning threshold must be a whole number"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(ConfigError, match=message):
        LmOptions(**settings)


def test_a_single_string_is_no_text():
    with pytest.raises(MissingFileError, match="a b c: no such file; give lines as a list"):
        estimate("a b c")
