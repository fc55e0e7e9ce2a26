"""What a hierarchical decoder takes and refuses: any line, options, weights and tables that cannot be used."""

import numpy as np
import pytest
from support.damage.damaged_tables import refusals
from support.models.hiero_models import small_model
from support.models.small_models import SOURCE, sentences

from tunesmith.decoding import DecoderOptions, HieroDecoder, ListDecoder
from tunesmith.errors import ConfigError, FormatError
from tunesmith.features import FeatureSet
from tunesmith.weights import Weights


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
        with pytest.raises(ConfigError, match="one line: no such file; give lines as a list"):
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
        "scores",
    ],
)
@pytest.mark.parametrize("on_demand", [False, True])
def test_a_damaged_table_is_an_error_or_harmless(name, on_demand, tmp_path):
    """Every byte may be wrong; nothing may crash."""
    model = small_model(tmp_path, 31, count=30)
    lines = [" ".join(words) for words in sentences(31, 10, 8)]

    def use(table):
        features = FeatureSet.parse("default").compile(table, on_demand=on_demand)
        decoder = HieroDecoder(table, features, {"lm": model.lm}, options=DecoderOptions(pop_limit=10))
        for decoding in decoder.k_best(lines, 5):
            assert decoding.best.alignment is not None

    assert refusals(model.table.folder, name, use) > 0
