"""The hierarchical decoder against looking at every derivation, and the features of what it finds."""

import dataclasses
import itertools
import random
import signal

import numpy as np
import pytest
from damaged_tables import refusals
from hiero_models import ALL, SOURCE, language_model_value, small_model
from reference.exhaustive_hiero import ranked
from tiny_corpora import tiny_corpus

from tunesmith.decoding import DecoderOptions, HieroDecoder, ListDecoder
from tunesmith.errors import ConfigError, FormatError
from tunesmith.features import FeatureSet, SpecialRule
from tunesmith.grammar import ExtractOptions, HieroOptions, extract_rules
from tunesmith.lm import LmOptions, NgramModel
from tunesmith.weights import Weights


def sentences(seed, count=4, longest=5):
    source = random.Random(seed)
    return [source.choices(SOURCE + "z", k=source.randint(1, longest)) for _ in range(count)]


def expected(model, words, lm):
    weight = model.decoder.weights[model.decoder.index.find("lm")] if lm else 0.0
    return ranked(
        model.grammar, words, lambda found: weight * language_model_value(model.lm, found) if lm else 0.0
    )


@pytest.mark.parametrize("lm", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_without_pruning_all_derivations_are_found_in_order(seed, lm, tmp_path):
    options = dataclasses.replace(ALL, max_span=2 + seed)  # from spans shorter than the sentence on
    model = small_model(tmp_path, seed, lm=lm, order=2 + seed % 3, options=options)
    for words in sentences(seed):
        wanted = expected(model, words, lm)
        found = model.decoder.k_best([" ".join(words)], len(wanted) + 10)[0]
        assert len(found) == len(wanted)
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
        assert sorted((one.text, one.rules) for one in found) == sorted(
            (" ".join(one.words), one.rules) for _, one in wanted
        )
        best = model.decoder.translate([" ".join(words)])[0]
        assert best.score == pytest.approx(wanted[0][0], abs=1e-4)


def test_several_language_models_each_add_their_score(tmp_path):
    model = small_model(tmp_path, 4)
    other = NgramModel.train(["A B C", "B A", "E D d", "C C A B"], LmOptions(order=2))
    features = FeatureSet.parse("default,id").compile(model.table)
    models = {"lm": model.lm, "other": other}
    weights = np.append(model.decoder.weights, -0.4)
    decoder = HieroDecoder(model.table, features, models, weights, ALL)
    assert list(decoder.index)[-2:] == ["lm", "other"]
    for words in sentences(4):
        wanted = ranked(model.grammar, words, lambda found: sum(
            weights[decoder.index.find(name)] * language_model_value(lm, found) for name, lm in models.items()
        ))  # fmt: skip
        found = decoder.k_best([" ".join(words)], len(wanted) + 1)[0]
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
        for one in found:
            named, text = one.named_features(), tuple(one.text.split())
            assert {name: named[name] for name in models} == pytest.approx(
                {name: language_model_value(lm, text) for name, lm in models.items()}, abs=1e-5
            )


def test_distinct_lists_have_the_best_derivation_of_every_string(tmp_path):
    model = small_model(tmp_path, 3)
    for words in sentences(3):
        best = {}
        for score, one in expected(model, words, lm=True):
            best.setdefault(" ".join(one.words), score)
        found = model.decoder.k_best([" ".join(words)], len(best) + 1, distinct=True)[0]
        assert {one.text: one.score for one in found} == pytest.approx(best, abs=1e-4)


def recomputed(model, decoder, one):
    """Features of a translation from its rules and words alone."""
    values = np.zeros(len(decoder.index))
    for rule in one.rules:
        for id, value in decoder._model.features.row(rule):
            values[id] += value
    values[decoder.index.find("lm")] = language_model_value(model.lm, tuple(one.text.split()))
    return values


def test_features_recompute_from_derivation_and_words(tmp_path):
    model = small_model(tmp_path, 11, options=DecoderOptions(pop_limit=20, max_span=4))
    for decoding in model.decoder.k_best([" ".join(words) for words in sentences(11, 8, 9)], 50):
        scores = [one.score for one in decoding]
        assert scores == sorted(scores, reverse=True)
        for one in decoding:
            values = np.zeros(len(model.decoder.index))
            for id, value in one.feature_values().items():
                values[id] = value
            wanted = recomputed(model, model.decoder, one)
            assert values == pytest.approx(wanted, rel=1e-6, abs=1e-6)
            assert one.score == pytest.approx(float(values @ model.decoder.weights), abs=1e-6)


def test_the_derivation_covers_the_sentence_and_gives_its_words(tmp_path):
    model = small_model(tmp_path, 5, count=30)

    def words_of(one, step, source):
        rule = one.rule(step)
        parts = [words_of(one, part, source) for part in step.parts]
        if isinstance(rule, SpecialRule):
            if rule is SpecialRule.unknown:
                assert step.end == step.begin + 1
                return source[step.begin : step.end]
            return [word for part in parts for word in part]
        covered, at = 0, step.begin
        for symbol in rule.source:  # words where they stand in the source, gaps where their parts lie
            if symbol.startswith("[X,"):
                assert step.parts[covered].begin == at
                at = step.parts[covered].end
                covered += 1
            else:
                assert source[at] == symbol
                at += 1
        assert at == step.end
        out = []
        for symbol in rule.target:
            out += parts[int(symbol[3]) - 1] if symbol.startswith("[X,") else [symbol]
        return out

    for words in sentences(5, 10, 7):
        for one in model.decoder.k_best([" ".join(words)], 20)[0]:
            assert words_of(one, one.derivation, words) == one.text.split()
            assert tuple(step.rule for step in one.derivation) == one.rules
            target = one.text.split()
            for source_at, target_at in one.alignment:
                assert 0 <= source_at < len(words)
                assert 0 <= target_at < len(target)
            links = set(one.alignment)
            for step in one.derivation:
                if one.rule(step) is SpecialRule.unknown:
                    assert any(source == step.begin and target[at] == words[source] for source, at in links)


def test_links_of_rules_are_put_together(tmp_path):
    """Reordering: the gap is in front on one side and behind on the other."""
    from tunesmith.grammar.moses import read_moses
    from tunesmith.io import write_lines

    write_lines(
        tmp_path / "table",
        [
            "[X][X] a [X] ||| A A [X][X] [X] ||| 1 1 1 1 ||| 0-2 1-0 1-1 ||| 1 1 1 ||| |||",
            "b [X] ||| B [X] ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
        ],
    )
    table = read_moses(tmp_path / "table", tmp_path / "rules")
    decoder = HieroDecoder(
        table, FeatureSet.parse("default").compile(table), {}, Weights.from_mapping({"glue_penalty": -1.0})
    )
    one = decoder.translate(["b a q"])[0]
    assert one.text == "A A B q"
    assert one.alignment == [(0, 2), (1, 0), (1, 1), (2, 3)]


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


def test_threads_change_nothing(tmp_path):
    options = DecoderOptions(pop_limit=15, max_span=6)
    lines = [" ".join(words) for words in sentences(7, 200, 12)]

    def everything(threads):
        fresh = small_model(tmp_path, 7, count=40, options=options, state_features=("target_bigrams",)).decoder
        found = fresh.k_best(lines, 5, threads=threads)
        return [
            [(one.text, one.score, one.rules, one.alignment, one.feature_values()) for one in decoding]
            for decoding in found
        ], list(fresh.index)

    assert everything(1) == everything(2) == everything(5)


def test_table_limit_keeps_the_best_target_sides(tmp_path):
    full = small_model(tmp_path, 9, lm=False, count=40)
    limited = small_model(
        tmp_path, 9, lm=False, count=40, options=DecoderOptions(pop_limit=65535, max_span=5, table_limit=1)
    )
    for words in sentences(9, 6, 4):
        used = {
            rule for one in limited.decoder.k_best([" ".join(words)], 1000)[0] for rule in one.rules
            if rule < len(limited.table)
        }  # fmt: skip
        for rule in used:
            side = limited.table[rule].source
            same = [n for (source, _), n in full.grammar.rules.items() if source == side]
            assert full.grammar.local[rule] == max(full.grammar.local[n] for n in same)


def test_new_weights_are_those_of_a_new_decoder(tmp_path):
    model = small_model(tmp_path, 13, count=30, options=DecoderOptions(pop_limit=30))
    lines = [" ".join(words) for words in sentences(13, 20, 8)]
    before = [one.text for one in model.decoder.translate(lines)]
    weights = model.decoder.weights
    changed = -weights
    model.decoder.set_weights(changed)
    after = [(one.text, one.score) for one in model.decoder.translate(lines)]
    fresh = small_model(tmp_path, 13, count=30, options=DecoderOptions(pop_limit=30)).decoder
    fresh.update_weights(np.arange(len(changed)), changed)
    assert [(one.text, one.score) for one in fresh.translate(lines)] == after
    model.decoder.set_weights(weights)
    assert [one.text for one in model.decoder.translate(lines)] == before


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


@pytest.mark.parametrize("weight", [0.7, 0.0, -0.7])
def test_the_best_target_sides_are_chosen_with_what_the_language_model_expects(weight, tmp_path):
    model = small_model(tmp_path, 31, count=150)
    options = DecoderOptions(pop_limit=65535, max_span=5, table_limit=2)
    decoder = HieroDecoder(model.table, model.decoder.features, {"lm": model.lm}, options=options)
    weights = model.decoder.weights
    weights[decoder.index.find("lm")] = weight
    decoder.set_weights(weights)
    local = decoder.features.scores(weights)
    tried = 0
    for word in SOURCE:
        rules = [n for n, rule in enumerate(model.table) if rule.source == (word,)]
        expects = model.lm.score([" ".join(model.table[n].target) for n in rules], begin=False, end=False).log10
        score = {n: local[n] + weight * np.log(10) * found for n, found in zip(rules, expects, strict=True)}
        used = {rule for one in decoder.k_best([word], 1000)[0] for rule in one.rules if rule < len(model.table)}
        assert used == set(sorted(rules, key=lambda n: -score[n])[:2])
        tried += len(rules) > 2
    assert tried > 1


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


def test_a_profile_names_every_feature_and_changes_no_translation(tmp_path):
    model = small_model(
        tmp_path, 27, count=40, options=DecoderOptions(pop_limit=50), state_features=("target_bigrams",)
    )
    decoder, lines = model.decoder, [" ".join(words) for words in sentences(27, 20, 12)]
    plain = decoder.k_best(lines, 5)
    nothing = decoder.profile()
    assert (nothing.edges, nothing.target_sides, nothing.lists, set(nothing.features.values())) == (0, 0, 0, {0})
    decoder.start_profile()
    timed = decoder.k_best(lines, 5, threads=2)
    assert [[one.text for one in found] for found in timed] == [[one.text for one in found] for found in plain]
    profile = decoder.profile()
    assert list(profile.features) == ["lm", "target_bigrams"]
    assert profile.edges == sum(found.pops for found in timed)
    assert min(*profile.features.values(), profile.target_sides, profile.rest_of_search, profile.lists) > 0


@pytest.mark.parametrize("what", ["pops", "edges", "bytes"])
def test_limits_are_counted_and_told(what, tmp_path):
    model = small_model(tmp_path, 17, count=40)
    lines = ["a b c d " * 6]
    free = model.decoder.k_best(lines, 1)[0]
    limit = {f"max_{what}": getattr(free, what) // 4}
    options = DecoderOptions(pop_limit=65535, max_span=5, table_limit=0, **limit)
    limited = small_model(tmp_path, 17, count=40, options=options).decoder.k_best(lines, 1)[0]
    assert limited.limited
    assert not free.limited
    assert not limited.timed_out
    assert getattr(limited, what) < getattr(free, what)
    assert limited.best.score <= free.best.score + 1e-4
    clocked = DecoderOptions(timeout=1e-9)
    timed = small_model(tmp_path, 17, count=40, options=clocked).decoder.k_best(lines, 1)[0]
    assert timed.timed_out
    assert timed.limited
    assert timed.best.text


@pytest.mark.parametrize(
    "line", ["", "  \t ", "q", "q r s \x01 \x7f", "<s> </s> <unk>", "[X,1] |||", "a " * 300, "\u2028a\u3000b"]
)
def test_lines_as_they_come(line, tmp_path):
    model = small_model(tmp_path, 19, count=30, options=DecoderOptions(pop_limit=10))
    one = model.decoder.translate([line])[0]
    unknown = [word for word in line.split() if word not in SOURCE]
    assert [word for word in one.text.split() if word in unknown] == unknown
    assert np.isfinite(one.score)
    assert (one.text == "") == (line.split() == [])


def test_what_cannot_be_decoded_is_refused(tmp_path):
    model = small_model(tmp_path, 23)
    decoder = model.decoder
    for translate in (decoder.translate, lambda lines: ListDecoder(decoder).k_best(lines, 2)):
        with pytest.raises(TypeError):
            translate("one line")
    for k in (0, -1, 1.5, 2**64, "3"):
        with pytest.raises(ConfigError, match="k must"):
            decoder.k_best(["a"], k)
        with pytest.raises(ConfigError, match="k must"):
            decoder.candidate_arrays(["a"], k)
    with pytest.raises(ConfigError, match="threads"):
        decoder.translate(["a"], threads=0)
    with pytest.raises(FormatError, match="65533"):
        decoder.translate(["a " * 70000])
    with pytest.raises(ConfigError, match="finite"):
        decoder.set_weights(np.full(3, np.nan))
    with pytest.raises(ConfigError, match="too large"):  # sums would not be finite
        decoder.set_weights(np.full(3, -1e21))
    with pytest.raises(ConfigError, match="shape"):
        decoder.set_weights(np.zeros(len(decoder.index) + 1))
    with pytest.raises(ConfigError, match="numbers of features"):
        decoder.update_weights([len(decoder.index)], [1.0])
    with pytest.raises(ConfigError, match="one value"):
        decoder.update_weights([0, 1], [1.0])
    with pytest.raises(ConfigError, match="whole numbers"):
        decoder.update_weights([0.5], [1.0])
    assert decoder.translate(["a"])[0].text  # still alive
    other = small_model(tmp_path, 24, count=20)
    with pytest.raises(FormatError, match="another rule table"):
        HieroDecoder(other.table, decoder._model.features, {})


@pytest.mark.parametrize(
    "wrong",
    [{"pop_limit": 0}, {"pop_limit": 65536}, {"max_span": 0}, {"table_limit": -1}, {"timeout": 0.0},
     {"timeout": float("nan")}, {"max_pops": -1}, {"max_edges": -1},
     {"pop_limit": 1.5}],
)  # fmt: skip
def test_options_that_cannot_work_are_refused(wrong):
    with pytest.raises(ConfigError):
        DecoderOptions(**wrong)


def test_tuning_refuses_a_decoder_that_looks_at_the_clock(tmp_path):
    clocked = small_model(tmp_path, 29, options=DecoderOptions(timeout=60.0))
    with pytest.raises(ConfigError, match="depends on the machine"):
        ListDecoder(clocked.decoder)


def test_unknown_weights_are_told(tmp_path):
    model = small_model(tmp_path, 29)
    model.decoder.set_weights(Weights.from_mapping({"lm": 1.0, "nobody": 2.0}))
    assert model.decoder.unknown_weights == ["nobody"]
    model.decoder.set_weights(model.decoder.weights)
    assert model.decoder.unknown_weights == []


def test_largest_weights_keep_the_order_of_scores(tmp_path):
    model = small_model(tmp_path, 33, count=40, options=DecoderOptions(pop_limit=50))
    signs = random.Random(33).choices([-1e20, 1e20], k=len(model.decoder.weights))
    model.decoder.set_weights(np.array(signs))
    for decoding in model.decoder.k_best([" ".join(words) for words in sentences(33, 10, 9)], 30):
        scores = [one.score for one in decoding]
        assert np.isfinite(scores).all()
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_the_search_inside_a_sentence(threads, tmp_path):
    model = small_model(tmp_path, 35, count=200, options=dataclasses.replace(ALL, max_span=20))
    line = " ".join("abcd"[at * at % 4] for at in range(2000))  # hours of work
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for work in (model.decoder.translate, lambda lines, threads: model.decoder.k_best(lines, 3)):
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with pytest.raises(KeyboardInterrupt):
                work([line] * 3, threads=threads)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert model.decoder.translate(["a"])[0].text  # still alive


@pytest.mark.parametrize(
    "name",
    [
        "source_offsets",
        "source_rules",
        "source_symbols",
        "target_offsets",
        "target_symbols",
        "link_offsets",
        "links",
    ],
)
def test_a_damaged_table_is_an_error_or_harmless(name, tmp_path):
    """Every byte may be wrong; nothing may crash."""
    model = small_model(tmp_path, 31, count=30)
    lines = [" ".join(words) for words in sentences(31, 10, 8)]

    def use(table):
        features = FeatureSet.parse("default").compile(table)
        decoder = HieroDecoder(table, features, {"lm": model.lm}, options=DecoderOptions(pop_limit=10))
        for decoding in decoder.k_best(lines, 5):
            assert decoding.best.alignment is not None

    assert refusals(model.table.folder, name, use) > 0


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
