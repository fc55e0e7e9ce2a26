"""Decoders of model directories."""

import gc
import weakref
from dataclasses import dataclass

import pytest
from support.models.hiero_models import small_model

from tunesmith.config import FeaturePart, LanguageModelPart, System, write_system
from tunesmith.decoding import load_decoder
from tunesmith.decoding.model import TranslationModel
from tunesmith.errors import ConfigError
from tunesmith.features import SpanFeature
from tunesmith.features.base import templates
from tunesmith.weights import Weights


@pytest.fixture
def folder(tmp_path):
    """A model directory with a feature across rules and a setting that is a list."""
    model = small_model(tmp_path, 1)
    made = tmp_path / "model"
    made.mkdir()
    model.table.folder.rename(made / "rules")
    model.lm.save(made / "lm.bin")
    parts = (
        FeaturePart("translation"),
        FeaturePart("count_bin", {"bounds": (1, 2)}),
        FeaturePart("target_bigrams"),
    )
    write_system(
        made,
        System("hiero", "rules", (LanguageModelPart("lm", "lm.bin"),), parts, {"pop_limit": 7}),
    )
    Weights.from_mapping({"lm": 1.0, "target_bigrams:A_B": 2.0, "nobody": 1.0}).write(made / "weights.tsv")
    return made


def test_parts_weights_and_options_are_those_of_the_directory(folder):
    decoder = load_decoder(folder)
    assert decoder.options.pop_limit == 7
    assert decoder.options.max_span == 20
    assert decoder.state_features == ("target_bigrams",)
    assert decoder.unknown_weights == ["nobody"]
    assert decoder.weights[decoder.index.find("target_bigrams:A_B")] == 2.0
    assert decoder.translate(["a b c"])[0].text


def test_options_and_weights_can_be_replaced(folder):
    decoder = load_decoder(folder, Weights.from_mapping({"lm": 3.0}), pop_limit=9, max_span=None)
    assert decoder.options.pop_limit == 9
    assert decoder.weights[decoder.index.find("lm")] == 3.0
    with pytest.raises(ConfigError, match="no option 'beam'"):
        load_decoder(folder, beam=3)


@dataclass(frozen=True)
class Wide(SpanFeature):
    """Rules of more than `above` words."""

    above: int = 2

    def __call__(self, rule, sentence, begin, end):
        if end - begin > self.above:
            yield "", 1.0


def test_settings_of_features_are_in_the_signature(folder, monkeypatch):
    """Settings of features of rules and of the search; defaults are not named, written out or not."""
    monkeypatch.setitem(templates._factories, "wide", Wide)
    signatures = []
    for bounds, wide in (((1, 2), {}), ((1, 2), {"above": 2}), ((1, 2), {"above": 3}), ((1, 3), {"above": 3})):
        parts = (FeaturePart("count_bin", {"bounds": bounds}), FeaturePart("wide", wide))
        write_system(folder, System("hiero", "rules", (LanguageModelPart("lm", "lm.bin"),), parts, {}))
        model = TranslationModel.open(folder)
        signatures.append(str(model.signature(model.options())))
    assert signatures[0] == signatures[1]
    assert len(set(signatures)) == 3
    assert "features:count_bin[bounds=1/3]+wide[above=3]|" in signatures[3]


@pytest.mark.parametrize("kind", ["decoder", "list_decoder"])
def test_memory_of_a_decoder_is_given_back_without_the_collector(folder, kind):
    """Tables are large and objects few: the collector would come after several decoders."""
    made = getattr(TranslationModel.open(folder), kind)()
    decoder = made.decoder if kind == "list_decoder" else made
    decoder.translate(["a b"])
    known = weakref.ref(decoder)
    gc.disable()
    try:
        del made, decoder
        assert known() is None
    finally:
        gc.enable()
