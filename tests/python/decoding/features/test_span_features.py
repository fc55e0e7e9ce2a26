"""Features of a rule at a place of the sentence: rows of G_x, written in Python and in C++."""

import gc
import math
import time
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from support.models import hiero_models, phrase_models, small_models
from support.models.small_models import SOURCE, TARGET

from tunesmith.decoding import HieroDecoder, PhraseDecoder
from tunesmith.errors import ConfigError, FormatError
from tunesmith.features import SpanFeature, StateFeature
from tunesmith.features.search.target_bigrams import TargetBigrams
from tunesmith.weights import Weights


def sentences(seed, count):
    return [" ".join(words) for words in small_models.sentences(seed, count)]


KINDS = {"hiero": (hiero_models, HieroDecoder), "phrase": (phrase_models, PhraseDecoder)}


@dataclass(frozen=True)
class Triggers(SpanFeature):
    """The twin of `source_triggers`."""

    def __call__(self, rule, sentence, begin, end):
        for source in sorted({word for word in sentence if word in SOURCE}):
            for word in rule.target:
                if word in TARGET:
                    yield f"{source}|{word}", 1.0


@dataclass(frozen=True)
class Places(SpanFeature):
    """Where a rule stands and what it is made of; `scale` is a setting."""

    scale: float = 1.0

    def __call__(self, rule, sentence, begin, end):
        assert 0 <= begin < end <= len(sentence)
        yield f"width{end - begin}", self.scale
        yield f"{sentence[begin]}>{rule.target[-1]}", 0.5
        if begin == 0:
            yield "", 1.0


def decoder_with(kind, folder, seed, features):
    models, make = KINDS[kind]
    small = models.small_model(folder, seed)
    made = make(small.table, small.decoder.features, {"lm": small.lm}, options=models.ALL, state_features=features)
    return small, made


def weights_for(decoder, details):
    """Weights of all kinds of features, those of the search by name before they are met."""
    local = {name: math.sin(at) for at, name in enumerate(decoder.index)}
    return Weights.from_mapping({**local, **{name: math.cos(at) for at, name in enumerate(details)}})


def details(one, template):
    named = ((name.partition(":"), value) for name, value in one.named_features().items())
    return {detail: value for (begin, _, detail), value in named if begin == template}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_python_and_core_agree_on_triggers(kind, seed, tmp_path):
    pairs = [f"{s}|{e}" for s in SOURCE for e in TARGET]
    lists = []
    for name, features in (("source_triggers", ("source_triggers",)), ("twin", {"twin": Triggers()})):
        (tmp_path / name).mkdir()
        _, decoder = decoder_with(kind, tmp_path / name, seed, features)
        decoder.set_weights(weights_for(decoder, [f"{name}:{pair}" for pair in pairs]))
        lists.append(
            [
                (
                    one.text,
                    one.score,
                    {n.partition(":")[2]: v for n, v in one.named_features().items() if ":" in n},
                )
                for found in decoder.k_best(sentences(seed, 6), 20)
                for one in found
            ]
        )
    assert [one[1] for one in lists[0]] == pytest.approx([one[1] for one in lists[1]], abs=1e-4)
    # Two of equal score stand in the order of their rounding, which differs: the core adds triggers to options.
    by_text = [sorted((one[0], sorted(one[2].items())) for one in each) for each in lists]
    assert by_text[0] == by_text[1]


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_those_of_the_applications(kind, tmp_path):
    """A translation has the sum over its rules at their places; its score is the product with the weights."""
    small, decoder = decoder_with(kind, tmp_path, 3, {"places": Places(scale=0.25)})
    names = [
        "places",
        *(f"places:width{n}" for n in range(1, 6)),
        *(f"places:{s}>{e}" for s in SOURCE for e in TARGET),
    ]
    decoder.set_weights(weights_for(decoder, names))
    template, table = Places(scale=0.25), small.table
    seen = set()
    for line in sentences(4, 8):
        words = line.split()
        for one in decoder.k_best([line], 10)[0]:
            wanted = Counter()
            for rule, begin, end in applications(one, len(table)):
                target = table[rule].target if rule < len(table) else (words[begin],)
                for detail, value in template(Side(target), words, begin, end):
                    wanted[detail] += value
            fired = details(one, "places")
            assert fired == pytest.approx(dict(wanted))
            seen |= set(fired)
            vector, _ = decoder.index.vector(Weights.from_mapping(one.named_features()))
            assert one.score == pytest.approx(float(vector @ decoder.weights[: len(vector)]), abs=1e-3)
    assert {"", "width1", "width2"} <= seen


@dataclass(frozen=True)
class Side:
    """As much of a rule as `Places` looks at."""

    target: tuple[str, ...]


def applications(one, table_rules):
    """Rules of the table and unknown words of a translation with their spans."""
    return [
        (step.rule, step.begin, step.end)
        for step in one.derivation
        if step.rule <= table_rules  # rule number `table_rules` is the unknown word
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_results_do_not_depend_on_threads(kind, tmp_path):
    lines = sentences(5, 30)
    results = []
    for threads in (1, 4):
        (tmp_path / str(threads)).mkdir()
        _, decoder = decoder_with(kind, tmp_path / str(threads), 5, {"places": Places()})
        decoder.set_weights(weights_for(decoder, [f"places:width{n}" for n in range(1, 6)]))
        found = decoder.k_best(lines, 5, threads=threads)
        results.append(([[(o.text, o.score, o.named_features()) for o in f] for f in found], list(decoder.index)))
    assert results[0] == results[1]


def test_forced_phrases_have_rows_too(tmp_path):
    _, decoder = decoder_with("phrase", tmp_path, 6, {"places": Places()})
    decoder.force([("a b", "new words")])
    (one,) = decoder.k_best(["a b c"], 1)[0]
    assert one.named_features()["places:a>words"] == 0.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("fired", "message"),
    [
        (lambda: [("x", math.nan)], "not a finite number"),
        (lambda: [("x y", 1.0)], "'x y'"),
        (lambda: [("x", "high")], "high"),
        (lambda: 1 / 0, "ZeroDivisionError"),
        (lambda: 3, "TypeError"),
        (lambda: [("x",)], "ValueError"),
    ],
)
def test_what_a_template_does_wrong_is_said_with_its_name(kind, fired, message, tmp_path):
    @dataclass(frozen=True)
    class Wrong(SpanFeature):
        def __call__(self, rule, sentence, begin, end):
            return fired()

    _, decoder = decoder_with(kind, tmp_path, 7, {"mine": Wrong()})
    with pytest.raises((ConfigError, FormatError), match="mine") as raised:
        decoder.translate(["a b c"] * 8, threads=2)
    assert message in str(raised.value)
    assert "Traceback" not in str(raised.value)


def test_settings_of_a_feature_reach_the_core(tmp_path):
    """A template of the search whose settings the core does not know is refused, not used without them."""

    @dataclass(frozen=True)
    class Unreadable(StateFeature):
        window: object = ()

        def inputs(self, table):
            return {**TargetBigrams().inputs(table), **super().inputs(table)}

    for window, message in (({}, "cannot read the setting window"), (3, "target_bigrams has no setting window")):
        with pytest.raises(FormatError, match=message):
            decoder_with("hiero", tmp_path, 8, {"target_bigrams": Unreadable(window=window)})


def test_a_template_without_settings_need_not_be_a_dataclass(tmp_path):
    class Plain(StateFeature):
        def inputs(self, table):
            return TargetBigrams().inputs(table)

    _, decoder = decoder_with("hiero", tmp_path, 9, {"target_bigrams": Plain()})
    assert any(name.startswith("target_bigrams:") for name in decoder.translate(["a b"])[0].named_features())


@dataclass(frozen=True)
class Told(SpanFeature):
    """Calls a function, which may know the decoder."""

    call: Callable[..., object]

    def __call__(self, rule, sentence, begin, end):
        self.call(rule, begin, end)
        yield f"width{end - begin}", 1.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kept", ["decoder", "results"])
def test_a_decoder_that_its_feature_knows_is_collected(kind, kept, tmp_path):
    def make():
        known = {}

        def call(rule, begin, end):
            return known

        _, decoder = decoder_with(kind, tmp_path, 10, {"told": Told(call)})
        known[kept] = decoder if kept == "decoder" else decoder.k_best(["a b c"], 3)
        return weakref.ref(call)

    gc.disable()
    try:
        feature = make()
        assert feature() is not None
        gc.collect()
        assert feature() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("kind", KINDS)
def test_a_feature_that_uses_its_own_decoder_is_refused(kind, tmp_path):
    """Directly, through another decoder, or to ask for weights: each would wait for itself."""
    decoders = {}
    for name, call in (
        ("inner", lambda *_: decoders["outer"].weights),
        ("outer", lambda *_: decoders["inner"].translate(["a"], threads=2)),
        ("own", lambda *_: decoders["own"].translate(["a"])),
    ):
        (tmp_path / name).mkdir()
        decoders[name] = decoder_with(kind, tmp_path / name, 11, {f"of_{name}": Told(call)})[1]
    for name in ("own", "outer"):
        with pytest.raises((ConfigError, FormatError), match=f"of_{name}.*uses the decoder itself"):
            decoders[name].translate(["a b"] * 4, threads=2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_feature_may_use_another_decoder(kind, tmp_path):
    (tmp_path / "other").mkdir()
    _, other = decoder_with(kind, tmp_path / "other", 12, {"places": Places()})
    _, decoder = decoder_with(kind, tmp_path, 12, {"told": Told(lambda *_: other.translate(["a b"], threads=2))})
    assert decoder.translate(["a b"] * 3, threads=2)


@pytest.mark.parametrize("kind", KINDS)
def test_the_profile_has_the_time_of_python(kind, tmp_path):
    """All of it, by the clock that the profile reads: it is not a sample."""
    spent = []

    def call(rule, begin, end):
        start = time.thread_time()
        while time.thread_time() - start < 1e-4:
            pass
        spent.append(time.thread_time() - start)

    _, decoder = decoder_with(kind, tmp_path, 13, {"told": Told(call), "places": Places()})
    decoder.start_profile()
    decoder.translate(sentences(13, 4))
    assert decoder.profile().features["told"] >= sum(spent) > 0


def test_a_rule_is_asked_for_once_at_a_place(tmp_path):
    """Also where its source side matches in several ways."""
    asked = []
    call = lambda rule, begin, end: asked.append((id(rule), begin, end))  # noqa: E731
    _, decoder = decoder_with("hiero", tmp_path, 14, {"told": Told(call)})
    decoder.translate(["a b a b a b a b c"])
    assert len(set(asked)) == len(asked) > 0


def test_asking_whether_a_name_is_possible_adds_none(tmp_path):
    """Any detail may be fired; its name is known when weights say so, or when it is."""
    _, decoder = decoder_with("hiero", tmp_path, 15, {"places": Places()})
    assert decoder._native.can_have("places:width1")
    assert not decoder._native.can_have("place:width1")
    assert not any(name.startswith("places") for name in decoder.index)
    decoder.set_weights(Weights.from_mapping({"places:width2": 3.0}))
    assert decoder.unknown_weights == []
    one = decoder.translate(["a b"])[0]
    assert one.named_features().get("places:width2", 0.0) > 0
