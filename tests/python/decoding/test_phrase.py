"""The phrase-based decoder against looking at every derivation, and the features of what it finds."""

import dataclasses
import itertools
import random
import signal

import numpy as np
import pytest
from damaged_tables import refusals
from phrase_models import ALL, SOURCE, small_model
from reference import search_graph
from reference.exhaustive_phrase import (
    Derivation,
    block_orientations,
    derivations,
    hierarchical_orientations,
    ranked,
)

from tunesmith.decoding import DecoderOptions, HieroDecoder, ListDecoder, PhraseDecoder, StackOptions
from tunesmith.errors import ConfigError, FormatError
from tunesmith.features import FeatureSet, SpecialRule
from tunesmith.grammar import RuleTable


def sentences(seed, count=4, longest=4, words=SOURCE + "z"):
    source = random.Random(seed)
    return [source.choices(words, k=source.randint(1, longest)) for _ in range(count)]


def phrases_of(one):
    """The phrases in the order of the translation."""
    steps = list(one.derivation)[::-1]
    assert [one.rule(steps[0]), one.rule(steps[-1])] == [SpecialRule.begin, SpecialRule.end]
    return tuple((step.rule, step.begin, step.end) for step in steps[1:-1])


def found_again(one):
    return Derivation(tuple(one.text.split()), phrases_of(one))


@pytest.mark.parametrize("lm", [False, True])
@pytest.mark.parametrize("limit", [-1, 0, 1, 2, 5])
@pytest.mark.parametrize("seed", range(2))
def test_without_pruning_all_derivations_are_found_in_order(seed, limit, lm, tmp_path):
    options = dataclasses.replace(ALL, distortion_limit=limit)
    model = small_model(tmp_path, seed, lm=lm, order=2 + seed, options=options)
    for words in sentences(seed):
        wanted = ranked(model.grammar(), words, model.score)
        found = model.decoder.k_best([" ".join(words)], len(wanted) + 10)[0]
        assert len(found) == len(wanted)
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
        assert sorted((one.text, phrases_of(one)) for one in found) == sorted(
            (" ".join(one.words), one.phrases) for _, one in wanted
        )
        best = model.decoder.translate([" ".join(words)])[0]
        assert best.score == pytest.approx(wanted[0][0], abs=1e-4)


@pytest.mark.parametrize(
    "columns",
    [
        ("previous-monotone", "previous-non-monotone"),
        ("previous-monotone", "previous-swap", "previous-discontinuous", "previous-non-monotone",
         "next-monotone", "next-swap", "next-discontinuous", "next-non-monotone"),
        ("next-monotone", "next-swap", "next-discontinuous-left", "next-discontinuous-right"),
        ("previous-monotone", "previous-swap", "previous-discontinuous-left", "previous-discontinuous-right",
         "next-monotone", "next-swap", "next-discontinuous-left", "next-discontinuous-right"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("neighbour", ["word", "phrase", "hier"])
def test_every_kind_of_orientation(columns, neighbour, tmp_path):
    model = small_model(tmp_path, 3, columns=columns, reordering_model=neighbour)
    for words in [*sentences(3), list("aabz")]:
        wanted = ranked(model.grammar(), words, model.score)
        found = model.decoder.k_best([" ".join(words)], len(wanted) + 1)[0]
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
        for one in found:
            assert_features(model, one)


def is_separable(order):
    """Whether no four of the numbers are ordered as 2 4 1 3 or 3 1 4 2 are."""
    for four in itertools.combinations(order, 4):
        ranks = tuple(sorted(four).index(number) for number in four)
        if ranks in ((1, 3, 0, 2), (2, 0, 3, 1)):
            return False
    return True


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_blocks_told_from_coverage_are_those_of_the_definition_unless_inside_out(size):
    """Galley and Manning's blocks and what coverage says are the same for all separable orders of phrases.

    In others coverage may take words for a block that are none, never the other way round.
    """
    differ = 0
    for order in itertools.permutations(range(size)):
        spans = [(at, at + 1) for at in order]
        for at in range(1, size):
            defined = hierarchical_orientations(spans, at)
            told = block_orientations(spans[at - 1], spans[at], set(order[:at]))
            for side, orientation in defined.items():
                if told[side] != orientation:
                    differ += 1
                    assert not is_separable(order)
                    assert told[side] in ("monotone", "swap")
                    assert orientation.startswith("discontinuous")
    assert (differ > 0) == (size >= 4)


def assert_features(model, one):
    values = np.zeros(len(model.decoder.index))
    for id, value in one.feature_values().items():
        values[id] = value
    assert values == pytest.approx(model.values(found_again(one)), rel=1e-5, abs=1e-5)
    assert one.score == pytest.approx(float(values @ model.decoder.weights), abs=1e-5)


def test_features_recompute_from_the_phrases(tmp_path):
    options = StackOptions(pop_limit=20, stack_limit=20, distortion_limit=3)
    model = small_model(tmp_path, 11, count=30, options=options)
    lines = [" ".join(words) for words in sentences(11, 8, 12)]
    allowed = model.grammar()
    for decoding, line in zip(model.decoder.k_best(lines, 50), lines, strict=True):
        scores = [one.score for one in decoding]
        assert scores == sorted(scores, reverse=True)
        for one in decoding:
            assert_features(model, one)
            assert_is_derivation(model, allowed, one, line.split())


def assert_is_derivation(model, allowed, one, source):
    """Each word is covered once, the words are those of the phrases, jumps are within the limit."""
    covered, target, last_end = set(), [], 0
    for rule, begin, end in phrases_of(one):
        gap = next(at for at in range(len(source)) if at not in covered)
        if begin != gap and allowed.limit is not None:
            assert abs(begin - last_end) <= allowed.limit
            assert end - gap <= allowed.limit
        assert not covered & set(range(begin, end))
        covered |= set(range(begin, end))
        last_end = end
        if rule == len(model.table):
            assert end == begin + 1
            assert any(link == (begin, len(target)) for link in one.alignment)
            target.append(source[begin])
        else:
            assert model.table[rule].source == tuple(source[begin:end])
            for at, to in model.table[rule].links:
                assert (begin + at, len(target) + to) in one.alignment
            target += model.table[rule].target
    assert covered == set(range(len(source)))
    assert target == one.text.split()


def test_walls_stand_around_punctuation(tmp_path):
    options = dataclasses.replace(ALL, punctuation_walls=True)
    model = small_model(tmp_path, 5, options=options)
    walls = frozenset(",.")
    met = 0
    for words in sentences(5, 8, 5, words="ab,c."):
        wanted = ranked(model.grammar(walls), words, model.score)
        met += len(wanted) < len(list(derivations(model.grammar(), words)))
        found = model.decoder.k_best([" ".join(words)], len(wanted) + 1)[0]
        assert [one.score for one in found] == pytest.approx([score for score, _ in wanted], abs=1e-4)
    assert met > 3


def test_stacks_keep_what_recombination_joins(tmp_path):
    """A feature that tells all hypotheses apart changes what is joined, not what is found."""
    joined = small_model(tmp_path, 7, options=ALL)
    apart = small_model(tmp_path, 7, options=ALL, order=9)
    assert joined.decoder.index.find("lm") == apart.decoder.index.find("lm")
    for model in (joined, apart):
        weights = model.decoder.weights
        weights[model.decoder.index.find("lm")] = 0.0
        model.decoder.set_weights(weights)
    for words in sentences(7):
        lists = [model.decoder.k_best([" ".join(words)], 100_000)[0] for model in (joined, apart)]
        first, second = (sorted((phrases_of(one), round(one.score, 4)) for one in found) for found in lists)
        assert first == second


@pytest.mark.parametrize("limits", [(3, 3), (8, 4), (30, 8)])
def test_lists_hold_every_derivation_that_the_stacks_kept(limits, tmp_path):
    """With pruning: walking all edges one by one, nothing joined, gives the very same derivations and scores."""
    pop_limit, stack_limit = limits
    options = StackOptions(pop_limit=pop_limit, stack_limit=stack_limit, table_limit=0, distortion_limit=3)
    model = small_model(tmp_path, 9, order=2, options=options)
    joined = 0
    for words in sentences(9, 6, 5):
        (found,) = model.decoder.stream([" ".join(words)], 100_000, graph=True)
        scores = found.graph.edge_scores(found.local_scores, model.decoder.weights)
        wanted = search_graph.derivations(found.graph, scores.tolist())
        assert [one.score for one in found] == pytest.approx([one.score for one in wanted], abs=1e-9)
        everything = {one.phrases: score for score, one in ranked(model.grammar(), words, model.score)}
        kept = [phrases_of(one) for one in found]
        assert len(set(kept)) == len(kept)
        for one, phrases in zip(found, kept, strict=True):
            assert one.score == pytest.approx(everything[phrases], abs=1e-4)
        joined += found.graph.edges > found.graph.nodes
        short = model.decoder.k_best([" ".join(words)], 5)[0]
        assert [one.score for one in short] == pytest.approx([one.score for one in wanted[:5]], abs=1e-9)
    assert joined


def test_distinct_lists_have_the_best_derivation_of_every_string(tmp_path):
    model = small_model(tmp_path, 13)
    for words in sentences(13):
        best = {}
        for score, one in ranked(model.grammar(), words, model.score):
            best.setdefault(" ".join(one.words), score)
        found = model.decoder.k_best([" ".join(words)], len(best) + 1, distinct=True)[0]
        assert {one.text: one.score for one in found} == pytest.approx(best, abs=1e-4)


def test_target_bigrams_see_the_borders_of_phrases(tmp_path):
    model = small_model(tmp_path, 17, state_features=("distortion", "reordering", "target_bigrams"))
    for decoding in model.decoder.k_best([" ".join(words) for words in sentences(17)], 20):
        for one in decoding:
            words = ["<s>", *one.text.split(), "</s>"]
            words = [word if word in ("<s>", "</s>", *"ABCDE") else "<unk>" for word in words]
            counts = {}
            for pair in itertools.pairwise(words):
                name = "target_bigrams:" + "_".join(pair)
                counts[name] = counts.get(name, 0) + 1
            named = one.named_features()
            assert {name: value for name, value in named.items() if name.startswith("target_bigrams")} == counts


def test_threads_change_nothing(tmp_path):
    options = StackOptions(pop_limit=15, stack_limit=10)
    lines = [" ".join(words) for words in sentences(19, 150, 12)]
    features = ("distortion", "reordering", "target_bigrams")

    def everything(threads):
        fresh = small_model(tmp_path, 19, count=40, options=options, state_features=features).decoder
        found = fresh.k_best(lines, 5, threads=threads)
        return [
            [(one.text, one.score, one.rules, one.alignment, one.feature_values()) for one in decoding]
            for decoding in found
        ], list(fresh.index)

    assert everything(1) == everything(2) == everything(5)


def test_graph_lattice_and_arrays_hold_what_the_list_holds(tmp_path):
    model = small_model(tmp_path, 23, count=30, options=StackOptions(pop_limit=30, stack_limit=20))
    lines = [" ".join(words) for words in sentences(23, 6, 8)]
    arrays = model.decoder.candidate_arrays(lines, 10)
    for number, decoding in enumerate(model.decoder.stream(lines, 10, graph=True)):
        graph = decoding.graph
        scores = graph.edge_scores(decoding.local_scores, model.decoder.weights)
        assert [one.score for one in graph.k_best(scores, 10)] == pytest.approx(
            [one.score for one in decoding], abs=1e-9
        )
        begin, end = arrays.sentences[number : number + 2].tolist()
        assert arrays.scores[begin:end].tolist() == [one.score for one in decoding]
        assert [arrays.text(at) for at in range(begin, end)] == [one.text for one in decoding]
    candidates = ListDecoder(model.decoder).k_best(lines, 10)
    assert candidates.scores(model.decoder.weights) == pytest.approx(arrays.scores, abs=1e-4)


def test_the_graph_is_a_lattice_with_a_path_for_every_derivation(tmp_path):
    model = small_model(tmp_path, 25)
    for words in sentences(25):
        wanted = ranked(model.grammar(), words, model.score)
        (found,) = model.decoder.stream([" ".join(words)], graph=True)
        lattice = found.graph.lattice(found.graph.edge_scores(found.local_scores, model.decoder.weights))
        assert found.graph.is_lattice
        assert lattice.whole
        best, paths = [0.0] + [-np.inf] * (lattice.states - 1), [1] + [0] * (lattice.states - 1)
        arcs = sorted(zip(*(x.tolist() for x in (lattice.sources, lattice.targets, lattice.scores)), strict=True))
        for source, target, score in arcs:  # from smaller to larger states
            best[target] = max(best[target], best[source] + score)
            paths[target] += paths[source]
        assert paths[-1] == len(wanted)
        assert best[-1] == pytest.approx(wanted[0][0], abs=1e-4)


def test_more_work_finds_no_worse_translations(tmp_path):
    lines = [" ".join(words) for words in sentences(29, 30, 14, words=SOURCE)]
    means = []
    for limit in (1, 5, 30, 200):
        options = StackOptions(pop_limit=limit, stack_limit=limit)
        decoder = small_model(tmp_path, 29, count=60, options=options).decoder
        means.append(np.mean([one.score for one in decoder.translate(lines)]))
    assert means == sorted(means)
    assert means[0] < means[-1]


@pytest.mark.parametrize("what", ["pops", "edges", "bytes"])
def test_limits_are_counted_and_told(what, tmp_path):
    model = small_model(tmp_path, 31, count=40, options=StackOptions())
    lines = ["a b c d " * 6]
    free = model.decoder.k_best(lines, 1)[0]
    options = StackOptions(**{f"max_{what}": getattr(free, what) // 4})
    limited = small_model(tmp_path, 31, count=40, options=options).decoder.k_best(lines, 1)[0]
    assert limited.limited
    assert not free.limited
    assert not limited.timed_out
    assert getattr(limited, what) < getattr(free, what)
    assert limited.best.score <= free.best.score + 1e-4
    assert_features(model, limited.best)
    clocked = StackOptions(timeout=1e-9)
    timed = small_model(tmp_path, 31, count=40, options=clocked).decoder.k_best(lines, 1)[0]
    assert timed.timed_out
    assert timed.limited
    assert timed.best.text


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


def test_what_cannot_be_decoded_is_refused(tmp_path):
    model = small_model(tmp_path, 47)
    decoder = model.decoder
    with pytest.raises(TypeError):
        decoder.translate("one line")
    with pytest.raises(FormatError, match="65533"):
        decoder.translate(["a " * 70000])
    with pytest.raises(ConfigError, match="finite"):
        decoder.set_weights(np.full(3, np.nan))
    assert decoder.translate(["a"])[0].text  # still alive
    with pytest.raises(ConfigError, match="hiero rules were expected"):
        HieroDecoder(model.table, decoder.features, {})
    with pytest.raises(FormatError, match="another rule table"):
        PhraseDecoder(small_model(tmp_path, 48, count=20).table, decoder.features, {})
    plain = RuleTable.open(model.table.folder)
    with pytest.raises(FormatError, match="no reordering"):
        PhraseDecoder(plain, decoder.features, {}, state_features=("reordering",))
    with pytest.raises(FormatError, match="called nobody"):
        PhraseDecoder(plain, decoder.features, {}, state_features=("nobody",))
    model.table.columns = ["previous-monotone", "sideways-swap", *model.table.columns[2:]]
    with pytest.raises(FormatError, match="sideways-swap"):
        PhraseDecoder(model.table, decoder.features, {}, state_features=("reordering",))
    model.table.columns = ["previous-monotone"]
    with pytest.raises(FormatError, match="values for"):
        PhraseDecoder(model.table, decoder.features, {}, state_features=("reordering",))


def test_forced_phrases_are_used_wherever_they_fit(tmp_path):
    model = small_model(tmp_path, 73, count=30)
    known = next(rule for rule in model.table if len(rule.source) == 2)
    pairs = [("a", "never"), ("a b", "Foo bar A"), ("z", ""), (" ".join(known.source), " ".join(known.target))]
    pairs = pairs if known.source != ("a", "b") else pairs[2:]
    model.decoder.force(pairs)
    given = {tuple(source.split()): tuple(target.split()) for source, target in pairs}
    used = 0
    for words in sentences(73, 40, 7):
        found = model.decoder.k_best([" ".join(words)], 5)[0]
        for one in found:
            target = one.text.split()
            at, wanted = 0, {}
            while at < len(words):  # the longest from left to right
                fits = [n for n in (2, 1) if tuple(words[at : at + n]) in given and at + n <= len(words)]
                if fits:
                    wanted[at, at + fits[0]] = given[tuple(words[at : at + fits[0]])]
                at += fits[0] if fits else 1
            covered, position = {}, 0
            for rule, begin, end in phrases_of(one):
                if (begin, end) in wanted:
                    size = len(wanted[begin, end])
                    in_table = (tuple(words[begin:end]), wanted[begin, end]) in model.grammar().rules
                    assert (rule == len(model.table)) != in_table
                    if not in_table:
                        links = {(s, t) for s in range(begin, end) for t in range(position, position + size)}
                        assert links <= set(one.alignment)
                else:
                    size = 1 if rule == len(model.table) else len(model.table[rule].target)
                covered[begin, end] = tuple(target[position : position + size])
                position += size
            assert position == len(target)
            assert {span: covered.get(span) for span in wanted} == wanted
            used += len(wanted)
    assert used > 20
    model.decoder.force([])
    assert "never" not in model.decoder.translate(["a c a"])[0].text
    for wrong in ([("", "x")], [("a", "x"), (" a ", "y")]):
        with pytest.raises(ConfigError):
            model.decoder.force(wrong)


def test_words_of_forced_phrases_are_in_lists_and_graphs(tmp_path):
    model = small_model(tmp_path, 79, count=30)
    model.decoder.force([("b", "Foo bar")])
    (found,) = model.decoder.stream(["b q b"], 3, graph=True)
    assert found.source == ["b", "q", "b", "Foo", "bar"]
    assert sorted(found.best.text.split()) == sorted(["Foo", "bar", "q", "Foo", "bar"])
    arrays = model.decoder.candidate_arrays(["b q b"], 3)
    assert [arrays.text(at) for at in range(3)] == [one.text for one in found]


def test_a_new_word_is_the_same_word_wherever_it_comes_from(tmp_path):
    model = small_model(tmp_path, 79, count=30)
    model.decoder.force([("b", "new"), ("c", "new"), ("new b", "old")])
    for line in ("b q c new", "new b c new b", "b c b"):
        texts = [one.text for one in model.decoder.k_best([line], 1000, distinct=True)[0]]
        assert len(texts) == len(set(texts))
        assert sorted(texts) == sorted({one.text for one in model.decoder.k_best([line], 1000)[0]})


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_reordering_that_is_no_probability_is_refused(value, tmp_path):
    model = small_model(tmp_path, 53)
    model.table.values[:] = value
    decoder = PhraseDecoder(model.table, model.decoder.features, {}, options=ALL, state_features=("reordering",))
    with pytest.raises(FormatError, match="damaged"):
        decoder.k_best(["a b c d"], 10)


@pytest.mark.parametrize(
    "wrong",
    [{"pop_limit": 0}, {"stack_limit": 0}, {"stack_limit": 65536}, {"distortion_limit": -2}, {"max_length": 0},
     {"table_limit": -1}, {"timeout": 0.0}, {"stack_limit": 1.5}],
)  # fmt: skip
def test_options_that_cannot_work_are_refused(wrong):
    with pytest.raises(ConfigError):
        StackOptions(**wrong)


def test_largest_weights_keep_the_order_of_scores(tmp_path):
    model = small_model(tmp_path, 59, count=40, options=StackOptions(pop_limit=30))
    signs = random.Random(59).choices([-1e20, 1e20], k=len(model.decoder.weights))
    model.decoder.set_weights(np.array(signs))
    for decoding in model.decoder.k_best([" ".join(words) for words in sentences(59, 10, 9)], 30):
        scores = [one.score for one in decoding]
        assert np.isfinite(scores).all()
        assert scores == sorted(scores, reverse=True)


def test_an_interrupt_ends_the_search_inside_a_sentence(tmp_path):
    options = dataclasses.replace(ALL, pop_limit=20000, stack_limit=20000)
    model = small_model(tmp_path, 61, count=200, options=options)
    line = " ".join("abcd"[at * at % 4] for at in range(1000))  # an hour of work
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            model.decoder.translate([line] * 3)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert model.decoder.translate(["a"])[0].text  # still alive


@pytest.mark.parametrize("on_demand", [False, True])
@pytest.mark.parametrize(
    "name",
    ["source_offsets", "source_rules", "source_symbols", "target_offsets", "target_symbols", "links", "scores"],
)
def test_a_damaged_table_is_an_error_or_harmless(name, on_demand, tmp_path):
    """Every byte may be wrong; nothing may crash."""
    model = small_model(tmp_path, 67, count=30)
    lines = [" ".join(words) for words in sentences(67, 10, 8)]

    def use(table):
        features = FeatureSet.parse("translation,word_penalty").compile(table, on_demand=on_demand)
        decoder = PhraseDecoder(table, features, {"lm": model.lm}, options=StackOptions(pop_limit=10))
        for decoding in decoder.k_best(lines, 5):
            assert decoding.best.alignment is not None

    # A word of a source side that is another word is not seen: the side is not found, or for another phrase.
    assert refusals(model.table.folder, name, use) > 0 or name == "source_symbols"


def test_options_of_another_search_are_refused(tmp_path):
    model = small_model(tmp_path, 71)
    with pytest.raises(ConfigError, match="takes StackOptions"):
        PhraseDecoder(model.table, model.decoder.features, {}, options=DecoderOptions())
