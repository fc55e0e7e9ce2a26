"""What a phrase-based decoder refuses: options, models and tables that cannot be used."""

import numpy as np
import pytest
from support.damage.damaged_tables import refusals
from support.models.phrase_models import ALL, small_model
from support.models.small_models import sentences

from tunesmith.decoding import DecoderOptions, HieroDecoder, PhraseDecoder, StackOptions
from tunesmith.errors import ConfigError, FormatError
from tunesmith.features import FeatureSet
from tunesmith.grammar import RuleTable


def test_what_cannot_be_decoded_is_refused(tmp_path):
    model = small_model(tmp_path, 47)
    decoder = model.decoder
    with pytest.raises(ConfigError, match="one line: no such file; give lines as a list"):
        decoder.translate("one line")
    with pytest.raises(FormatError, match="65533"):
        decoder.translate(["a " * 70000])
    with pytest.raises(ConfigError, match="finite"):
        decoder.set_weights(np.full(3, np.nan))
    assert decoder.translate(["a"])[0].text  # still alive
    with pytest.raises(ConfigError, match="expected a table of hiero rules, got phrase rules"):
        HieroDecoder(model.table, decoder.features, {})
    with pytest.raises(FormatError, match="another rule table"):
        PhraseDecoder(small_model(tmp_path, 48, count=20).table, decoder.features, {})
    plain = RuleTable.open(model.table.folder)
    with pytest.raises(ConfigError, match="has no reordering probabilities"):
        PhraseDecoder(plain, decoder.features, {}, state_features=("reordering",))
    with pytest.raises(ConfigError, match="unknown feature template 'nobody'"):
        PhraseDecoder(plain, decoder.features, {}, state_features=("nobody",))
    with pytest.raises(ConfigError, match="'word_penalty' has the scope 'rule'"):
        PhraseDecoder(plain, decoder.features, {}, state_features=("word_penalty",))
    model.table.columns = ["previous-monotone", "sideways-swap", *model.table.columns[2:]]
    with pytest.raises(FormatError, match="sideways-swap"):
        PhraseDecoder(model.table, decoder.features, {}, state_features=("reordering",))
    model.table.columns = ["previous-monotone"]
    with pytest.raises(FormatError, match="values for"):
        PhraseDecoder(model.table, decoder.features, {}, state_features=("reordering",))


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
