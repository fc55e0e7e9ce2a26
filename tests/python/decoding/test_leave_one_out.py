"""Decoding training data without each sentence's own pair, against a table that was made without the pair."""

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from support.corpora.tiny_corpora import tiny_corpus, without

from tunesmith.decoding import (
    DecoderOptions,
    HeldOutDecoder,
    HieroDecoder,
    LeftToRightDecoder,
    LeftToRightOptions,
    ListDecoder,
    PhraseDecoder,
    StackOptions,
)
from tunesmith.errors import ConfigError
from tunesmith.features import FeatureSet, SpecialRule
from tunesmith.grammar import (
    ExtractOptions,
    HieroOptions,
    PhraseOptions,
    ScoreOptions,
    extract_rules,
    find_leave_one_out_counts,
)
from tunesmith.lm import LmOptions, NgramModel
from tunesmith.tuning import KBestSource

ALL = DecoderOptions(pop_limit=65535, max_span=5, table_limit=0)
RULES = HieroOptions(min_gap=1, max_gaps=1)
ALL_LEFT_TO_RIGHT = LeftToRightOptions(pop_limit=65535, stack_limit=65535, max_span=5, table_limit=0)
WEIGHTS = {"translation:p(e|f)": 0.7, "translation:p(f|e)": 0.4, "word_penalty": -0.3, "rule_penalty": 0.2,
           "glue_penalty": -0.5, "unknown": -3.0, "lm": 0.6}  # fmt: skip
CHANGED = ("translation:p(e|f)", "translation:p(f|e)")
LM = NgramModel.train(["A B C", "B A X", "X D A", "C C A B"], LmOptions(order=2))


def decoder_of(folder, corpus, options=ALL, features="default", **scores):
    from_left = isinstance(options, LeftToRightOptions)
    rules = dataclasses.replace(RULES, normal_form=from_left)
    table = extract_rules(*corpus, folder, ExtractOptions(rules, ScoreOptions(**scores)))
    made = LeftToRightDecoder if from_left else HieroDecoder
    decoder = made(table, FeatureSet.parse(features).compile(table), {"lm": LM}, options=options)
    weights = np.zeros(len(decoder.index))
    for name, value in WEIGHTS.items():
        weights[decoder.index.find(name)] = value
    decoder.set_weights(weights)
    return decoder


def described(decoding):
    """Every derivation by its words and rules, with the score and all features but the lexical weights."""
    found = {}
    for one in decoding:
        steps = []
        for step in one.derivation:
            rule = one.rule(step)
            name = rule.name if isinstance(rule, SpecialRule) else (rule.source, rule.target)
            steps.append((name, step.begin, step.end))
        named = one.named_features()
        features = {name: named.get(name, 0.0) for name in WEIGHTS}
        key = (one.text, str(steps))
        assert key not in found
        found[key] = {**features, "score": one.score}
    return found


@pytest.mark.parametrize(("seed", "options"), [*((seed, ALL) for seed in range(3)), (1, ALL_LEFT_TO_RIGHT)])
def test_every_derivation_and_its_scores_are_those_of_the_table_without_the_pair(seed, options, tmp_path):
    corpus = tiny_corpus(seed, 6, 4)
    decoder = decoder_of(tmp_path / "all", corpus, options, single_words=False)
    own = find_leave_one_out_counts(decoder.table, *corpus, tmp_path / "own")
    left_out, changed = 0, 0
    for pair, line in enumerate(corpus[0].source):
        other = decoder_of(tmp_path / f"without{pair}", without(corpus, pair), options, single_words=False)
        wanted = described(other.k_best([line], 5000)[0])
        found = described(decoder.k_best([line], 5000, leave_one_out=own.select([pair]))[0])
        assert found.keys() == wanted.keys()
        for key, features in found.items():
            assert features == pytest.approx(wanted[key], abs=2e-5), key
        with_all = described(decoder.k_best([line], 5000)[0])
        common = with_all.keys() & found.keys()  # a word whose rules are all left out has new derivations
        left_out += len(with_all) - len(common)
        changed += sum(with_all[key]["score"] != pytest.approx(found[key]["score"], abs=1e-6) for key in common)
    assert left_out > 0
    assert changed > 0


def phrase_decoder_of(folder, corpus):
    options = StackOptions(pop_limit=65535, stack_limit=65535, table_limit=0, distortion_limit=2)
    table = extract_rules(*corpus, folder, ExtractOptions(PhraseOptions(3), ScoreOptions(single_words=False)))
    features = FeatureSet.parse("translation,word_penalty,rule_penalty,unknown").compile(table)
    decoder = PhraseDecoder(table, features, {"lm": LM}, options=options)
    weights = np.zeros(len(decoder.index))
    for name, value in {**WEIGHTS, "distortion": 0.1}.items():
        if (at := decoder.index.find(name)) is not None:
            weights[at] = value
    decoder.set_weights(weights)
    return decoder


def test_phrase_pairs_are_left_out_likewise(tmp_path):
    corpus = tiny_corpus(1, 6, 4)
    decoder = phrase_decoder_of(tmp_path / "all", corpus)
    own = find_leave_one_out_counts(decoder.table, *corpus, tmp_path / "own")
    left_out = 0
    for pair, line in enumerate(corpus[0].source):
        other = phrase_decoder_of(tmp_path / f"without{pair}", without(corpus, pair))
        wanted = described(other.k_best([line], 20_000)[0])
        found = described(decoder.k_best([line], 20_000, leave_one_out=own.select([pair]))[0])
        assert found.keys() == wanted.keys()
        for key, features in found.items():
            assert features == pytest.approx(wanted[key], abs=2e-5), key
        left_out += found.keys() != described(decoder.k_best([line], 20_000)[0]).keys()
    assert left_out > 0


def test_the_best_options_of_a_source_side_are_chosen_anew(tmp_path):
    corpus = tiny_corpus(21, 12, 4)
    limits = DecoderOptions(pop_limit=65535, max_span=5, table_limit=1)
    decoder = decoder_of(tmp_path / "all", corpus, limits, single_words=False)
    own = find_leave_one_out_counts(decoder.table, *corpus, tmp_path / "own")
    for pair, line in enumerate(corpus[0].source):
        other = decoder_of(tmp_path / f"without{pair}", without(corpus, pair), limits, single_words=False)
        found = decoder.k_best([line], 2000, leave_one_out=own.select([pair]))[0]
        assert [one.score for one in found] == pytest.approx(
            [one.score for one in other.k_best([line], 2000)[0]], abs=2e-5
        )


def test_sentences_do_not_leave_traces_in_one_another(tmp_path):
    """One decoder for all lines, in any order, with and without leave-one-out counts in turn."""
    corpus = tiny_corpus(5, 40)
    decoder = decoder_of(tmp_path / "all", corpus)
    own = find_leave_one_out_counts(decoder.table, *corpus, tmp_path / "own")
    lines = corpus[0].source
    together = [described(one) for one in decoder.k_best(lines, 30, leave_one_out=own)]
    plain = [described(one) for one in decoder.k_best(lines, 30)]
    for pair in reversed(range(len(lines))):
        assert described(decoder.k_best([lines[pair]], 30, leave_one_out=own.select([pair]))[0]) == together[pair]
        assert described(decoder.k_best([lines[pair]], 30)[0]) == plain[pair]
    decoder.set_weights(decoder.weights * 2)
    for pair, before in enumerate(together):
        after = described(decoder.k_best([lines[pair]], 30, leave_one_out=own.select([pair]))[0])
        for key in after.keys() & before.keys():
            assert after[key]["score"] == pytest.approx(2 * before[key]["score"], rel=1e-6)


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("k", [2, 40])
def test_lists_made_of_a_part_of_the_chart_are_those_of_all_of_it(k, distinct, tmp_path):
    """Scores that are different in each sentence are in both: in the choice of edges and in the list."""
    corpus = tiny_corpus(7, 40, 9)
    decoder = decoder_of(tmp_path / "all", corpus, DecoderOptions(pop_limit=30, table_limit=3))
    own = find_leave_one_out_counts(decoder.table, *corpus, tmp_path / "own")
    lines, smaller = corpus[0].source, 0
    for sign in (1, -1):  # of the language model
        weights = decoder.weights
        weights[decoder.index.find("lm")] *= sign
        decoder.set_weights(weights)
        for part, whole in zip(
            decoder.stream(lines, k, distinct=distinct, leave_one_out=own, threads=2),
            decoder.stream(lines, k, distinct=distinct, leave_one_out=own, graph=True),
            strict=True,
        ):
            assert [(one.text, one.score, one.rules) for one in part] == [
                (one.text, one.score, one.rules) for one in whole
            ]
            smaller += part.graph.edges < whole.graph.edges
    assert smaller > 0


@pytest.mark.parametrize("features", ["default", "default,id,count_bin"])
def test_candidate_sets_hold_the_changed_scores(features, tmp_path):
    corpus = tiny_corpus(11, 20)
    decoder = decoder_of(tmp_path / "all", corpus, features=features)
    own = find_leave_one_out_counts(decoder.table, *corpus, tmp_path / "own")
    lines = corpus[0].source
    found = ListDecoder(decoder).k_best(lines, 20, leave_one_out=own)
    assert found.scores(decoder.weights) == pytest.approx(found.model_scores, abs=1e-6)
    rows, at = found.rows().toarray(), 0
    for pair, decoding in enumerate(decoder.k_best(lines, 20, leave_one_out=own)):
        given = own.of(pair)
        for one in decoding:
            values = np.zeros(found.columns)
            for id, value in one.feature_values().items():
                values[id] = value
            assert rows[at] == pytest.approx(values, abs=1e-5)
            # From the derivation and the counts alone.
            logs = dict.fromkeys(CHANGED, 0.0)
            for number in one.rules:
                if number >= len(decoder.table):
                    continue
                rule, side, target = (
                    decoder.table[number],
                    own_side(own, pair, number),
                    own_target(own, pair, number),
                )
                if rule.joint == 0:
                    of_source, of_target = rule.scores[2], rule.scores[0]
                else:
                    joint = rule.joint - given.get(number, 0.0)
                    assert joint > 0
                    of_source, of_target = joint / (rule.source_count - side), joint / (rule.target_count - target)
                logs[CHANGED[0]] += np.log(of_source)
                logs[CHANGED[1]] += np.log(of_target)
            for name, value in logs.items():
                assert values[decoder.index.find(name)] == pytest.approx(value, abs=1e-5)
            at += 1
    assert at == len(found)


def own_side(own, pair, number):
    side = int(np.searchsorted(own.table.array("source_rules"), number, side="right")) - 1
    return own_entry(own, "side", pair, side)


def own_target(own, pair, number):
    return own_entry(own, "target", pair, int(own.arrays["target_numbers"][number]))


def own_entry(own, kind, pair, id):
    begin, end = own.arrays[f"{kind}_offsets"][pair : pair + 2].tolist()
    at = np.flatnonzero(own.arrays[f"{kind}s"][begin:end] == id)
    return float(own.arrays[f"{kind}_counts"][begin + at[0]]) if len(at) else 0.0


def test_a_word_that_only_its_own_pair_knows_passes_through(tmp_path):
    corpus = tiny_corpus(3, 6)
    corpus[0].source[0] += " q"
    corpus[0].target[0] += " Q"
    links = [list(each) for each in corpus[1]]
    links[0].append((len(corpus[0].source[0].split()) - 1, len(corpus[0].target[0].split()) - 1))
    corpus = (corpus[0], type(corpus[1]).from_links(links))
    decoder = decoder_of(tmp_path / "all", corpus)
    own = find_leave_one_out_counts(decoder.table, *corpus, tmp_path / "own")
    line = corpus[0].source[0]
    assert "Q" in decoder.translate([line])[0].text
    found = decoder.translate([line], leave_one_out=own.select([0]))[0]
    assert "q" in found.text.split()
    assert found.named_features()["unknown"] == 1
    # A line where all is left out, word for word.
    alone = tiny_corpus(3, 1)
    single = decoder_of(tmp_path / "single", alone)
    only = find_leave_one_out_counts(single.table, *alone, tmp_path / "single.own")
    assert single.translate(alone[0].source, leave_one_out=only)[0].text == " ".join(alone[0].source[0].split())


@pytest.mark.parametrize("smoothing", ["good-turing", "kneser-ney"])
def test_smoothed_scores_change_by_the_ratio_of_relative_frequencies(smoothing, tmp_path):
    corpus = tiny_corpus(13, 60)
    plain = decoder_of(tmp_path / "plain", corpus)
    smooth = decoder_of(tmp_path / "smooth", corpus, smoothing=smoothing)
    assert len(plain.table) == len(smooth.table)
    changes = []
    for name, decoder in (("plain", plain), ("smooth", smooth)):
        own = find_leave_one_out_counts(decoder.table, *corpus, tmp_path / f"{name}.own")
        found = {}
        for pair, line in enumerate(corpus[0].source[:5]):
            before = described(decoder.k_best([line], 100)[0])
            after = described(decoder.k_best([line], 100, leave_one_out=own.select([pair]))[0])
            for key in after.keys() & before.keys():
                found[pair, key] = [after[key][each] - before[key][each] for each in CHANGED]
        changes.append(found)
    common = changes[0].keys() & changes[1].keys()
    assert common
    for key in common:
        assert changes[0][key] == pytest.approx(changes[1][key], abs=1e-4)


def test_results_do_not_depend_on_threads(tmp_path):
    corpus = tiny_corpus(17, 150, 9)
    decoder = decoder_of(tmp_path / "all", corpus, DecoderOptions(pop_limit=20))
    own = find_leave_one_out_counts(decoder.table, *corpus, tmp_path / "own")
    one = decoder.candidate_arrays(corpus[0].source, 10, leave_one_out=own)
    two = decoder.candidate_arrays(corpus[0].source, 10, leave_one_out=own, threads=2)
    for name in ("sentences", "scores", "rules", "states", "pair_offsets", "pair_ids", "pair_values", "words"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


def test_a_model_without_translation_scores_only_leaves_rules_out(tmp_path):
    corpus = tiny_corpus(19, 20)
    table = extract_rules(*corpus, tmp_path / "rules", ExtractOptions(RULES))
    decoder = HieroDecoder(table, FeatureSet.parse("word_penalty,rule_penalty").compile(table), {"lm": LM},
                           [0.1, 0.2, 1.0], ALL)  # fmt: skip
    own = find_leave_one_out_counts(table, *corpus, tmp_path / "own")
    arrays = decoder.candidate_arrays(corpus[0].source, 50, leave_one_out=own)
    assert len(arrays.pair_ids) == 0
    for pair in range(len(own)):
        begin, end = arrays.rule_offsets[arrays.sentences[pair : pair + 2]].tolist()
        for rule, count in own.of(pair).items():
            if table[rule].joint == count:
                assert rule not in arrays.rules[begin:end]


def test_a_source_leaves_out_the_right_pairs(tmp_path):
    corpus = tiny_corpus(23, 12)
    decoder = decoder_of(tmp_path / "all", corpus)
    own = find_leave_one_out_counts(decoder.table, *corpus, tmp_path / "own")
    references = [(line,) for line in corpus[0].target]
    source = KBestSource(ListDecoder(decoder), corpus[0].source, references, 10, leave_one_out=own)
    plain = KBestSource(ListDecoder(decoder), corpus[0].source, references, 10)
    weights = decoder.weights
    full, part = source.candidates(weights), source.candidates(weights, [7, 2])
    for at, pair in enumerate((7, 2)):
        begin, end = full.offsets[pair : pair + 2].tolist()
        first, last = part.offsets[at : at + 2].tolist()
        assert full.model_scores[begin:end].tolist() == part.model_scores[first:last].tolist()
    assert full.model_scores.sum() != plain.candidates(weights).model_scores.sum()
    assert source.settings() != plain.settings()
    assert source.settings().items() > plain.settings().items()
    with pytest.raises(ConfigError, match="12 sentences to decode and leave-one-out counts for 2"):
        KBestSource(ListDecoder(decoder), corpus[0].source, references, leave_one_out=own.select([1, 2]))


def test_lines_that_are_not_the_training_data_are_refused(tmp_path):
    corpus = tiny_corpus(29)
    decoder = decoder_of(tmp_path / "all", corpus)
    own = find_leave_one_out_counts(decoder.table, *corpus, tmp_path / "own")
    with pytest.raises(ConfigError, match="line 1 is not the source of sentence pair 1"):
        decoder.translate(["z z z"], leave_one_out=own)
    with pytest.raises(ConfigError, match="more lines to decode"):
        decoder.translate([*corpus[0].source, "a"], leave_one_out=own)
    other = decoder_of(tmp_path / "other", tiny_corpus(30))
    with pytest.raises(ConfigError, match="are leave-one-out counts of"):
        other.translate(corpus[0].source, leave_one_out=own)


def test_language_models_of_a_part_have_not_read_it(tmp_path):
    corpus = tiny_corpus(31, 11)
    first = decoder_of(tmp_path / "all", corpus)
    own = find_leave_one_out_counts(first.table, *corpus, tmp_path / "own")
    weights = first.weights
    bounds = [0, 4, 8, 11]  # 11 pairs in 3 parts
    decoders = []
    for begin, end in pairwise(bounds):
        lm = NgramModel.train(corpus[0].target[:begin] + corpus[0].target[end:], LmOptions(order=2))
        decoders.append(HieroDecoder(first.table, first.features, {"lm": lm}, weights, ALL))
    lists = HeldOutDecoder(decoders, np.repeat([0, 1, 2], np.diff(bounds)))
    chosen = [10, 0, 5, 3, 4, 9]
    lines = [corpus[0].source[at] for at in chosen]
    for threads in (1, 2):
        found = lists.k_best(lines, 15, threads=threads, leave_one_out=own.select(chosen))
        assert found.sentences == len(chosen)
        for at, pair in enumerate(chosen):
            decoder = decoders[next(part for part in range(3) if pair < bounds[part + 1])]
            wanted = decoder.k_best([lines[at]], 15, leave_one_out=own.select([pair]))[0]
            begin, end = found.offsets[at : at + 2].tolist()
            assert [one.text for one in wanted] == [found.text(each) for each in range(begin, end)]
            assert found.model_scores[begin:end] == pytest.approx([one.score for one in wanted])
    assert found.scores(weights) == pytest.approx(found.model_scores, abs=1e-6)
    lists.set_weights(weights * 2)
    doubled = lists.k_best(lines, 1, leave_one_out=own.select(chosen))
    assert doubled.model_scores == pytest.approx(2 * found.model_scores[found.offsets[:-1]], rel=1e-6)
    rows = weights * np.array([[1.0], [2.0], [3.0]])
    lists.set_weights(rows)
    by_part = lists.k_best(lines, 1, leave_one_out=own.select(chosen))
    factors = [1 + next(part for part in range(3) if pair < bounds[part + 1]) for pair in chosen]
    assert by_part.model_scores == pytest.approx(factors * found.model_scores[found.offsets[:-1]], rel=1e-6)
    with pytest.raises(ConfigError, match="weights for 2 folds; there are 3"):
        lists.set_weights(rows[:2])
    with pytest.raises(ConfigError, match="must be known"):
        lists.k_best(lines, 5)
    with pytest.raises(ConfigError, match="k must"):
        lists.k_best(lines, 0, leave_one_out=own.select(chosen))
    with pytest.raises(ConfigError, match="share one feature matrix"):
        HeldOutDecoder([first, decoder_of(tmp_path / "other", corpus)], np.zeros(11, np.int64))
    with pytest.raises(ConfigError, match="numbers from 0 to 2"):
        HeldOutDecoder(decoders, np.full(11, 3))


def test_every_derivation_of_a_part_is_that_of_a_table_without_the_part(tmp_path):
    corpus = tiny_corpus(4, 8, 4)
    parts = np.array([1, 0, 1, 2, 0, 2, 1, 0])
    decoder = decoder_of(tmp_path / "all", corpus, single_words=False)
    own = find_leave_one_out_counts(decoder.table, *corpus, tmp_path / "own").in_folds(parts)
    together = decoder.k_best(corpus[0].source, 5000, leave_one_out=own)
    for part in range(3):
        members = np.flatnonzero(parts == part).tolist()
        other = decoder_of(tmp_path / f"without{part}", without(corpus, *members), single_words=False)
        for pair in members:
            line = corpus[0].source[pair]
            wanted = described(other.k_best([line], 5000)[0])
            found = described(together[pair])
            assert found == described(decoder.k_best([line], 5000, leave_one_out=own.select([pair]))[0])
            assert found.keys() == wanted.keys()
            for key, features in found.items():
                assert features == pytest.approx(wanted[key], abs=2e-5), key


def test_whole_parts_are_left_out_of_rules_and_language_models_alike(tmp_path):
    corpus = tiny_corpus(32, 10)
    first = decoder_of(tmp_path / "all", corpus)
    own = find_leave_one_out_counts(first.table, *corpus, tmp_path / "own")
    parts = np.array([0, 1] * 5)
    decoders = []
    for part in range(2):
        lm = NgramModel.train([corpus[0].target[at] for at in np.flatnonzero(parts != part)], LmOptions(order=2))
        decoders.append(HieroDecoder(first.table, first.features, {"lm": lm}, first.weights, ALL))
    lists = HeldOutDecoder(decoders, parts)
    chosen = [7, 2, 4, 9, 0]
    lines = [corpus[0].source[at] for at in chosen]
    found = lists.k_best(lines, 15, threads=2, leave_one_out=own.in_folds(parts).select(chosen))
    for at, pair in enumerate(chosen):
        wanted = decoders[parts[pair]].k_best([lines[at]], 15, leave_one_out=own.in_folds(parts).select([pair]))[0]
        begin, end = found.offsets[at : at + 2].tolist()
        assert [one.text for one in wanted] == [found.text(each) for each in range(begin, end)]
    assert found.scores(first.weights) == pytest.approx(found.model_scores, abs=1e-6)
    assert lists.signature != HeldOutDecoder(decoders, 1 - parts).signature
    with pytest.raises(ConfigError, match="leave-one-out counts of 10 sentence pairs, language models for 4"):
        HeldOutDecoder(decoders, parts[:4]).k_best(lines, 5, leave_one_out=own.select(chosen))
    with pytest.raises(ConfigError, match="leave out different folds"):
        lists.k_best(lines, 5, leave_one_out=own.in_folds(1 - parts).select(chosen))
