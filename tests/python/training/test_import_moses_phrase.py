"""An imported phrase-based model of Moses gives derivations the values that Moses printed."""

import gzip
import math
import re
from collections import Counter
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from support.models.moses_models import ARPA, assert_refused, write_parts
from support.models.recorded_moses import PHRASE_FEATURES

from tunesmith.config import read_system
from tunesmith.decoding import load_decoder
from tunesmith.decoding.options import LARGEST_POP_LIMIT
from tunesmith.features import SpecialRule, split_features
from tunesmith.grammar import RuleTable
from tunesmith.io import read_lines
from tunesmith.lm import NgramModel
from tunesmith.training.import_moses import import_moses
from tunesmith.weights import Weights

FEATURES = {name for names in PHRASE_FEATURES.values() for name in names} | {"unknown"}


@pytest.fixture(scope="module")
def imported(shared, tmp_path_factory):
    folder = tmp_path_factory.mktemp("moses") / "model"
    system, notes = import_moses(shared / "reference/moses-phrase/moses.ini", folder)
    return folder, system, notes


def test_what_the_ini_file_says(imported):
    folder, system, notes = imported
    assert read_system(folder) == system
    assert system.kind == "phrase"
    assert system.decoder == {
        "pop_limit": 1000, "stack_limit": 200, "distortion_limit": 6, "max_length": 20, "table_limit": 20,
    }  # fmt: skip
    assert len(notes) == 4  # three defaults of Moses, and its search
    weights = Weights.read(folder / "weights.tsv")
    assert weights["reordering:next-discontinuous"] == 0.0681236068032268
    assert weights["distortion"] == 0.0330495126112825
    assert set(dict(weights.items())) == FEATURES


def parse_listed(text):
    found = {}
    for name, values in re.findall(r"(\w+)= ((?:-?[\d.e+-]+ ?)+)", text):
        found |= dict(zip(PHRASE_FEATURES[name], values.split(), strict=True))
    return found


def spans_of(text):
    """`0=0 1-2=1` → source and target spans, in the order of the translation."""
    for part in text.split():
        yield tuple(
            (int(first), int(last or first) + 1)
            for first, last in re.findall(r"(\d+)(?:-(\d+))?", part.replace("=", " "))
        )


def turn(before, after):
    """The orientation of one phrase towards the one before it, from the source spans."""
    if after[0] == before[1]:
        return "monotone"
    return "swap" if after[1] == before[0] else "discontinuous"


class Recomputed:
    """Values of derivations from the parts of a model, by the definitions in our documentation."""

    def __init__(self, folder, system):
        self.table = RuleTable.open(folder / system.rules)
        self.matrix = split_features(system.features)[0].compile(self.table)
        self.lm = NgramModel.load(folder / system.lms[0].path)
        self.columns = self.table.reordering_columns
        self.number = cache(self.number)
        self.local = cache(self.local)

    def number(self, source, target):
        """The phrase pair in the table; None for a word that passes through."""
        side = self.table.find([self.table.source_vocabulary.id(word) for word in source])
        rules = [] if side is None else self.table.rules_of(side)
        return next((rule for rule in rules if self.table[rule].target == target), None)

    def local(self, rule):
        return self.matrix.named_row(len(self.table) + SpecialRule.unknown if rule is None else rule)

    def values(self, source, words, phrases):
        values = Counter()
        rules = [self.number(tuple(source[s0:s1]), tuple(words[t0:t1])) for (s0, s1), (t0, t1) in phrases]
        for rule in rules:
            for name, value in self.local(rule).items():
                values[name] += value
        places = [(0, 0), *(span for span, _ in phrases)]
        for at, (before, after) in enumerate(pairwise(places)):
            values["distortion"] -= abs(after[0] - before[1])
            for rule, side in ((rules[at], "previous"), (rules[at - 1] if at else None, "next")):
                if rule is not None:
                    name = f"{side}-{turn(before, after)}"
                    values[f"reordering:{name}"] += float(self.table.reordering[rule, self.columns.index(name)])
        values["lm"] = math.log(10) * float(self.lm.score([" ".join(words)]).log10[0])
        return values


def test_values_of_the_recorded_lists(shared, imported):
    """Every tenth derivation of the 100-best lists of 100 sentences, value by value and in sum."""
    folder, system, _ = imported
    recomputed = Recomputed(folder, system)
    weights = Weights.read(folder / "weights.tsv")
    text = [line.split() for line in read_lines(shared / "data/multi30k-de-en/test_2016_flickr.de")]
    kinds = Counter()
    for line in read_lines(shared / "reference/moses-phrase/first100.nbest100.gz")[::10]:
        number, words, features, score, spans, _ = line.split("|||")
        values = recomputed.values(text[int(number)], words.split(), list(spans_of(spans)))
        listed = parse_listed(features)
        for name, printed in listed.items():
            assert values[name] == pytest.approx(float(printed), rel=1e-5, abs=1e-5), (name, line)
            kinds[name] += values[name] != 0
        total = sum(weights[name] * value for name, value in values.items())
        assert total == pytest.approx(float(score), rel=1e-5), line
        kinds["unknown"] += values["unknown"] != 0
    assert all(kinds[name] for name in FEATURES)


INI = """\
[input-factors]
0
[mapping]
0 T 0
[distortion-limit]
-1
[search-algorithm]
1
[cube-pruning-pop-limit]
100
[stack]
50
[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
PhraseDictionaryMemory name=TM0 num-features=1 path=phrases table-limit=7
LexicalReordering name=R0 num-features=8 type=hier-mslr-bidirectional-fe-allff path=reordering
Distortion
KENLM name=LM0 factor=0 path=lm.arpa order=1
[weight]
UnknownWordPenalty0= 1
WordPenalty0= -0.5
PhrasePenalty0= 0.25
TM0= 3
R0= 1 2 3 4 5 6 7 8
Distortion0= 0.5
LM0= 6
"""
PARTS = {
    "phrases": "haus ||| house ||| 0.5 ||| 0-0 ||| 4 6 2 ||| |||\ndas ||| the ||| 0.5 ||| 0-0 ||| 4 6 2 ||| |||\n",
    "reordering": "haus ||| house ||| 0.1 0.2 0.3 0.4 0.25 0.25 0.25 0.25\n",
    "lm.arpa": ARPA,
}


def write_model(folder, **changed):
    return write_parts(folder, {"moses.ini": INI, **PARTS, **changed})


def test_a_small_model(tmp_path):
    system, notes = import_moses(write_model(tmp_path), tmp_path / "model")
    assert notes == (
        f"{tmp_path / 'reordering'}: lacks 1 of 2 phrase pairs; their reordering costs nothing, as in Moses",
    )
    assert system.decoder == {
        "pop_limit": 100, "stack_limit": 50, "distortion_limit": -1, "max_length": 20, "table_limit": 7,
    }  # fmt: skip
    table = RuleTable.open(tmp_path / "model/rules")
    assert table.reordering_model == "hier"
    assert table.lookup("das")[0].reordering == (0.0,) * 8
    assert np.exp(table.lookup("haus")[0].reordering[:4]) == pytest.approx([0.1, 0.2, 0.3, 0.4])
    weights = dict(Weights.read(tmp_path / "model/weights.tsv").items())
    assert weights["reordering:previous-discontinuous-left"] == 3
    assert weights["reordering:next-discontinuous-right"] == 8
    assert (weights["distortion"], weights["translation:score1"]) == (0.5, 3)


def test_limits_beyond_ours_are_lowered(tmp_path):
    ini = INI.replace("[stack]\n50", "[stack]\n100000", 1)
    system, notes = import_moses(write_model(tmp_path, **{"moses.ini": ini}), tmp_path / "model")
    assert system.decoder["stack_limit"] == LARGEST_POP_LIMIT
    assert any("100000 was lowered to 65535" in note for note in notes)
    load_decoder(tmp_path / "model").translate(["das haus"])


def test_a_model_without_reordering_whose_files_are_compressed(tmp_path):
    ini = "".join(line for line in INI.splitlines(keepends=True) if not line.startswith(("LexicalR", "R0")))
    path = write_model(tmp_path, **{"moses.ini": ini})
    (tmp_path / "phrases.gz").write_bytes(gzip.compress((tmp_path / "phrases").read_bytes()))
    (tmp_path / "phrases").unlink()
    system, notes = import_moses(path, tmp_path / "model")
    assert notes == ()
    assert "reordering" not in {part.template for part in system.features}
    assert RuleTable.open(tmp_path / "model/rules").reordering is None


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("0 T 0\n", "0 T 0\n1 T 1\n", r"ini:5: \[mapping\]: expected 0 T 0, got '1 T 1'"),
        ("PhrasePenalty\n", f"PhrasePenalty\n{INI.splitlines()[16].replace('TM0', 'TM1')}\n",
         r"ini:18: there are 2 phrase tables.*tunesmith rules join"),
        ("[distortion-limit]\n-1", "[distortion-limit]\nfar", r"ini:6: \[distortion-limit\] must be one whole"),
        ("[stack]\n50", "[stack]\n0", r"\[stack\] must be one number of at least 1"),
        ("[stack]", "[monotone-at-punctuation]\n[stack]", r"\[monotone-at-punctuation\] is not understood"),
        ("Distortion\n", "Distortion\nDistortion name=D\n", "two feature functions Distortion"),
        ("type=hier-mslr-bidirectional-fe-allff ", "", r"ini:18: R0 has no type="),
        ("mslr-bidirectional-fe", "leftright-bidirectional-fe", r"ini:18: R0: reordering .* is not understood"),
        ("mslr-bidirectional-fe", "mslr-bidirectional-f", "is not understood"),
        ("num-features=8", "num-features=6", "num-features=6, but hier-mslr-bidirectional-fe has 8"),
        ("R0= 1 2 3", "R0= 1 2 3 4 5 6 7 8 9 #", "R0 must have 8 weights, got 9"),
        ("Distortion0= 0.5\n", "", "Distortion0 has no weight"),
        ("path=reordering", "path=none", "none: no such file"),
        ("path=reordering", "path=reordering default-scores=1", "default-scores=1 is not understood"),
        ("num-features=1 ", "num-features=4 ", "num-features=4, but its rules have 1 scores"),
        ("PhraseDictionaryMemory", "PhraseDictionaryCompact", "PhraseDictionaryCompact is not imported"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused(tmp_path, old, new, says):
    assert old in INI
    assert_refused(write_model(tmp_path, **{"moses.ini": INI.replace(old, new, 1)}), says)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("phrases", "haus ||| house |||\n", "phrases:1: there are no scores"),
        ("phrases", "||| house ||| 1\n", "phrases:1: the source side is empty"),
        ("phrases", "haus ||| ||| 1\n", "phrases:1: the target side is empty"),
        ("phrases", "", "phrases: is empty"),
        ("reordering", "haus ||| house ||| 0.1 0.2\n", "reordering:1: there are 2 probabilities"),
        ("reordering", "", "reordering: is empty"),
    ],
)
def test_damaged_parts_are_refused(tmp_path, name, text, says):
    assert_refused(write_model(tmp_path, **{name: text}), says)
