"""The core's grammar functions, called with what our own code never hands over: errors, not crashes."""

import numpy as np
import pytest
from support.corpora.grammar_corpus import LIMITS, corpus

from tunesmith import _core
from tunesmith.alignment import WordAlignments
from tunesmith.grammar import ExtractOptions, HieroOptions, extract_rules
from tunesmith.grammar.storage import CORE_ARRAYS

ONE = np.array([3], dtype=np.int32), np.array([0, 1], dtype=np.int64)
LINK = WordAlignments.from_links([{(0, 0)}])


def collector(folder, sides=(*ONE, *ONE), tables=None, **changes):
    forward, backward = tables or _core.count_translations(*ONE, *ONE, LINK.native, to_null=True)
    options = _core.CollectOptions()
    options.phrase = _core.PhraseOptions()
    options.folder = options.scratch = str(folder)
    for name, value in changes.items():
        setattr(options, name, value)
    return _core.RuleCollector(*sides, LINK.native, np.empty(0, dtype=np.uint64), forward, backward, None, options)


@pytest.mark.parametrize("offsets", [[0, 10**9, 2], [0, -5, 2], [0, 2, 1, 2], [1, 2], [0, 3], []])
def test_offsets_must_rise(offsets, tmp_path):
    text = np.array([3, 4], dtype=np.int32), np.array(offsets, dtype=np.int64)
    with pytest.raises(ValueError, match="offsets must rise"):
        _core.SourceFilter(*text, 3)
    with pytest.raises(ValueError, match="offsets must rise"):
        collector(tmp_path, (*text, *ONE))


def test_word_numbers_must_not_be_negative(tmp_path):
    negative = np.array([-50_000_000], dtype=np.int32), ONE[1]
    with pytest.raises(ValueError, match="0 or more"):
        collector(tmp_path, (*negative, *ONE))
    with pytest.raises(ValueError, match="0 or more"):
        _core.SourceFilter(*negative, 3)
    with pytest.raises(ValueError, match="1 or more"):
        _core.SourceFilter(*ONE, -1)


@pytest.mark.parametrize("memory", [0, 8, 1000])
def test_memory_has_a_least_amount(memory, tmp_path):
    with pytest.raises(ValueError, match="at least 1048576 bytes"):
        collector(tmp_path, memory=memory)


def test_lexical_tables_of_another_corpus(tmp_path):
    other = np.array([10**6, 5], dtype=np.int32), np.array([0, 2], dtype=np.int64)
    links = WordAlignments.from_links([{(0, 0), (1, 1), (0, 1)}])
    found = collector(tmp_path, tables=_core.count_translations(*other, *other, links.native, to_null=True))
    found.extract(0, 1)
    assert found.parts() == 1


def test_corpora_that_cannot_be(tmp_path):
    with pytest.raises(ValueError, match="sentence pairs"):
        _core.FisherTest(2**64 - 1)
    assert _core.FisherTest(2**40).minus_log_p(1, 1, 1) == pytest.approx(40 * np.log(2), abs=1e-2)


def test_arrays_of_another_type_are_refused_not_converted(tmp_path):
    table = extract_rules(*corpus(pairs=20), tmp_path / "rules", ExtractOptions(HieroOptions(**LIMITS)))
    arrays = {name: np.array(table.array(name).reshape(-1)) for name in CORE_ARRAYS}
    style = _core.MosesStyle()
    style.hiero = True
    vocabularies = table.source_vocabulary.native, table.target_vocabulary.native
    assert _core.format_moses(arrays, *vocabularies, style, 0, 5)
    for name, other in (("scores", "f8"), ("joint_counts", "f4"), ("source_symbols", "i8"), ("links", "i4")):
        with pytest.raises(ValueError, match=name):
            _core.format_moses({**arrays, name: arrays[name].astype(other)}, *vocabularies, style, 0, 5)
    for name in CORE_ARRAYS:
        with pytest.raises(KeyError, match=name):
            _core.format_moses(
                {key: arrays[key] for key in CORE_ARRAYS if key != name}, *vocabularies, style, 0, 5
            )
    style.label = "a b"
    with pytest.raises(ValueError, match="label"):
        _core.format_moses(arrays, *vocabularies, style, 0, 5)


def test_a_reader_ends_with_the_first_error_and_writes_once(tmp_path):
    reader = _core.MosesReader(False)
    reader.add(["a ||| b ||| 0.5"])
    with pytest.raises(ValueError, match="outside"):
        reader.add(["a ||| c ||| 0.25 ||| 9-9"])
    with pytest.raises(ValueError, match="nothing can be read"):
        reader.add(["a ||| d ||| 0.125"])
    with pytest.raises(ValueError, match="nothing can be written"):
        reader.write(str(tmp_path))
    reader = _core.MosesReader(False)
    reader.add(["a ||| b ||| 0.5"])
    reader.write(str(tmp_path))
    with pytest.raises(ValueError, match="twice"):
        reader.write(str(tmp_path))
