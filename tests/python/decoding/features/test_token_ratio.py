"""Ratios of target to source words of a kind: the core against Python, and against whole translations."""

import math
from dataclasses import dataclass

import pytest
from support.models import hiero_models, phrase_models, small_models

from tunesmith.alignment import AlignerOptions
from tunesmith.corpus.phrasebook.generate import PhrasebookOptions, generate
from tunesmith.corpus.phrasebook.phrasebook import Phrasebook
from tunesmith.decoding import HieroDecoder, PhraseDecoder, TranslationModel
from tunesmith.errors import ConfigError
from tunesmith.features import SpanFeature
from tunesmith.features.search.token_ratio import (
    FunctionWordRatio,
    PunctuationRatio,
    function_words,
    has_letters,
    is_punctuation,
)
from tunesmith.grammar import ExtractOptions, HieroOptions, PhraseOptions
from tunesmith.lm import LmOptions
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.start import feature_parts
from tunesmith.training.train import train_model
from tunesmith.weights import Weights

KINDS = {"hiero": (hiero_models, HieroDecoder), "phrase": (phrase_models, PhraseDecoder)}


@dataclass(frozen=True)
class Ratio(SpanFeature):
    """The twin: source and target words of the kind."""

    source: frozenset[str] = frozenset()
    target: frozenset[str] = frozenset()

    def __call__(self, rule, sentence, begin, end):
        count = sum(word in self.source for word in sentence)
        fired = sum(word in self.target for word in rule.target)
        if count and fired:
            yield "", fired / count


def by_count(vocabulary, top):
    counts = vocabulary.counts.tolist()
    ids = sorted(range(3, len(counts)), key=lambda id: (-counts[id], id))
    return frozenset(vocabulary.word(id) for id in ids[:top])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_python_and_core_agree(kind, seed, tmp_path):
    models, make = KINDS[kind]
    lines = [" ".join(words) for words in small_models.sentences(seed, 8)]
    lists = []
    for name in ("core", "twin"):
        (tmp_path / name).mkdir()
        small = models.small_model(tmp_path / name, seed)
        table = small.table
        words = [by_count(each, 2) for each in (table.source_vocabulary, table.target_vocabulary)]
        features = {"function_word_ratio": FunctionWordRatio(top=2) if name == "core" else Ratio(*words)}
        decoder = make(
            table, small.decoder.features, {"lm": small.lm}, options=models.ALL, state_features=features
        )
        local = {each: math.sin(at) for at, each in enumerate(decoder.index)}
        decoder.set_weights(Weights.from_mapping({**local, "function_word_ratio": 0.8}))
        lists.append(
            [(one.text, one.score, one.named_features()) for found in decoder.k_best(lines, 15) for one in found]
        )
    assert [one[0] for one in lists[0]] == [one[0] for one in lists[1]]
    assert [one[1] for one in lists[0]] == pytest.approx([one[1] for one in lists[1]], abs=1e-4)
    for (_, _, core), (_, _, twin) in zip(*lists, strict=True):
        assert core == pytest.approx(twin, abs=1e-5)
    assert any("function_word_ratio" in features for _, _, features in lists[0])


@pytest.mark.parametrize("kind", KINDS)
def test_ratios_are_those_of_the_whole_translation(kind, tmp_path):
    generate(PhrasebookOptions(pairs=150, eval_sentences=12), Phrasebook.load()).write(tmp_path)
    rules = HieroOptions() if kind == "hiero" else PhraseOptions(max_length=3)
    features = "translation,word_penalty,punctuation_ratio,function_word_ratio"
    options = TrainOptions(
        AlignerOptions("hmm"), LmOptions(order=2), ExtractOptions(rules), feature_parts(features, kind)
    )
    data = TrainingData(str(tmp_path / "train.zh"), str(tmp_path / "train.en"))
    train_model(data, tmp_path / "model", options)
    model = TranslationModel.open(tmp_path / "model")
    sides = (model.table.source_vocabulary, model.table.target_vocabulary)
    tests = {
        "punctuation_ratio": [{word for word in side if is_punctuation(word)} for side in sides],
        "function_word_ratio": [function_words(side, 25) for side in sides],
    }
    lines = [*(tmp_path / "dev.zh").read_text(encoding="utf-8").splitlines(), "茶"]
    for line, found in zip(lines, model.decoder().k_best(lines, 20), strict=True):
        for one in found:
            for name, (source, target) in tests.items():
                below = sum(word in source for word in line.split())
                above = sum(word in target for word in one.text.split())
                wanted = above / below if below else 0.0
                assert one.named_features().get(name, 0.0) == pytest.approx(wanted, abs=1e-5)
    assert {"。", "？"} & tests["punctuation_ratio"][0]
    assert {".", ","} <= tests["punctuation_ratio"][1]


def test_words_of_the_kinds():
    assert all(map(is_punctuation, [".", "。", "...", "“", "-", "?!"]))
    assert not any(map(is_punctuation, ["", "a.", "3", "+", "$", "'s"]))
    assert all(map(has_letters, ["the", "'s", "的", "a1"]))
    assert not any(map(has_letters, ["", ".", "1984", "+", "%", "3.5"]))


def test_settings():
    assert FunctionWordRatio().top == 25
    assert PunctuationRatio() == PunctuationRatio()
    with pytest.raises(ConfigError, match="top must be from 1 to 1000, got 0"):
        FunctionWordRatio(top=0)
