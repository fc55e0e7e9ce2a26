"""An imported Moses model gives derivations the values that Moses printed; what is not understood is refused."""

import math
import re
from pathlib import Path

import pytest
from reference.moses_trace import ORDER, Recomputed, parse_trace, sentence
from support.models.moses_models import ARPA, assert_refused, write_parts

from tunesmith.config import read_system
from tunesmith.decoding import HieroDecoder, LeftToRightDecoder, load_decoder
from tunesmith.errors import FormatError, TunesmithError
from tunesmith.features import SpecialRule, split_features
from tunesmith.grammar import Rule, RuleTable
from tunesmith.io import read_lines
from tunesmith.lm import NgramModel
from tunesmith.training.import_moses import import_moses
from tunesmith.weights import Weights


def printed(value: float, text: str, summed: float = 0.0) -> bool:
    """Whether a number may print as this text of six digits, in the arithmetic of floats that Moses has.

    summed: magnitude of what it is the sum of.
    """
    digits = len(re.sub(r"\D", "", text.split("e")[0]).lstrip("0"))
    if float(text) == 0:
        return value == 0
    last = 10.0 ** (math.floor(math.log10(abs(float(text)))) + 1 - max(digits, 6))
    return abs(value - float(text)) <= last / 2 + max(abs(value), summed) * 5e-7


def test_printed_knows_the_last_digit():
    assert printed(-4.631154927133652, "-4.63116")
    assert printed(12.0, "12")
    assert printed(0.0086170499, "0.00861705")
    assert not printed(-4.63117, "-4.63116")
    assert not printed(12.001, "12")
    assert not printed(0.1, "0")


@pytest.fixture(scope="module")
def imported(shared, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("moses") / "model"
    import_moses(shared / "reference/moses-hiero/moses.ini", folder)
    return folder


@pytest.fixture(scope="module")
def recomputed(imported) -> Recomputed:
    system = read_system(imported)
    table = RuleTable.open(imported / system.rules)
    return Recomputed(system, table, NgramModel.load(imported / system.lms[0].path))


@pytest.fixture(scope="module")
def trace(shared):
    sentences = parse_trace(read_lines(shared / "reference/moses-hiero/trace.gz"))
    del sentences[max(sentences)]  # cut off in the middle
    return sentences


def test_what_the_ini_file_says(imported):
    system = read_system(imported)
    assert system.decoder == {"pop_limit": 1000, "max_span": 20, "table_limit": 0}
    settings = {part.template: part.settings for part in system.features}
    assert settings["glue_penalty"]["value"] == math.log(2.718)
    weights = Weights.read(imported / "weights.tsv")
    assert weights["translation:p(e|f)"] == 0.218622974713669
    assert weights["word_penalty"] == -0.144657391741836
    assert len(weights) == len(ORDER)


def test_values_of_every_rule_and_derivation_are_those_moses_printed(imported, recomputed, trace):
    """Glue, one and two gaps, unknown words: rule by rule, and summed with the language model at every node."""
    weights = Weights.read(imported / "weights.tsv")
    seen = set()
    for nodes in trace.values():
        for node in nodes.values():
            own, total = recomputed.own(node), recomputed.total(nodes, node)
            seen.add((node.label, len(node.gaps), own["unknown"] != 0))
            for at, name in enumerate(ORDER):
                assert name == "lm" or printed(own[name], node.own[at]), (name, node)
                assert printed(total[name], node.total[at]), (name, node)
            terms = [weights[name] * total[name] for name in ORDER]
            assert printed(sum(terms), node.score, sum(map(abs, terms))), node
    assert seen >= {("S", 0, False), ("S", 1, False), ("S", 2, False), ("X", 0, False), ("X", 0, True),
                    ("X", 1, False), ("X", 2, False)}  # fmt: skip


def test_rows_of_the_feature_matrix_are_what_moses_printed(imported, recomputed, trace):
    system = read_system(imported)
    table = RuleTable.open(imported / system.rules)
    matrix = split_features(system.features)[0].compile(table)
    for nodes in trace.values():
        for node in nodes.values():
            if node.label == "S":
                kind = "begin" if node.target == ("<s>",) else "end" if "</s>" in node.target else "glue"
                row = len(table) + SpecialRule[kind]
            elif (rule := recomputed.rule(node)) is None:
                row = len(table) + SpecialRule.unknown
            else:
                row = number_of(rule, table)
            found = matrix.named_row(row)
            for at, name in enumerate(ORDER[:-1]):
                assert printed(found.get(name, 0.0), node.own[at]), (name, node)


def number_of(rule: Rule, table: RuleTable) -> int:
    gaps = {"[X,1]": -1, "[X,2]": -2}
    side = table.find([gaps[word] if word in gaps else table.source_vocabulary.id(word) for word in rule.source])
    return next(number for number in table.rules_of(side) if table[number].target == rule.target)


def test_derivations_are_the_best_of_the_lists(shared, trace):
    """The trace belongs to the recorded lists: same words, same values."""
    best = {}
    for line in read_lines(shared / "reference/moses-hiero/pop-1000.best1.gz"):
        number, words, features, score = line.split(" ||| ")
        best[int(number)] = (words.split(), re.findall(r"(?<=\s)-?[\d.e+-]+(?=\s|$)", features), score.strip())
    for number, nodes in trace.items():
        top = max(nodes.values(), key=lambda node: (node.span[1] - node.span[0], node.label == "S"))
        words, _, score = best[number]
        assert sentence(nodes, top)[1:-1] == words
        assert top.score == score


INI = """\
# a comment
[input-factors]
0
[mapping]
0 T 0
1 T 1
[cube-pruning-pop-limit]
100
[non-terminals]
X
[search-algorithm]
3
[max-chart-span]
20
1000
[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
PhraseDictionaryMemory name=TM0 num-features=4 path=rules.txt table-limit=7
PhraseDictionaryMemory name=TM1 num-features=1 path=glue
KENLM name=LM0 factor=0 path=lm.arpa order=1
[weight]
UnknownWordPenalty0= 1
WordPenalty0= -0.5
PhrasePenalty0= 0.25
TM0= 1 2 3 4
TM1= 5
LM0= 6
"""
GLUE = """\
<s> [X] ||| <s> [S] ||| 1 ||| 0-0 ||| 0 ||| |||
[X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0 1-1 ||| 0 ||| |||
[X][S] [X][X] [X] ||| [X][S] [X][X] [S] ||| 2.718 ||| 0-0 1-1 ||| 0 ||| |||
"""
RULES = "haus [X] ||| house [X] ||| 0.5 0.4 0.3 0.2 ||| 0-0 ||| 4 6 2 ||| |||\n"


def write_model(folder: Path, **changed: str) -> Path:
    return write_parts(folder, {"moses.ini": INI, "glue": GLUE, "rules.txt": RULES, "lm.arpa": ARPA, **changed})


def test_a_small_model(tmp_path):
    system, notes = import_moses(write_model(tmp_path), tmp_path / "model")
    assert read_system(tmp_path / "model") == system
    assert notes == ()
    assert system.decoder == {"pop_limit": 100, "max_span": 20, "table_limit": 7}
    weights = dict(Weights.read(tmp_path / "model/weights.tsv").items())
    assert weights == {
        "translation:p(f|e)": 1, "translation:lex(f|e)": 2, "translation:p(e|f)": 3, "translation:lex(e|f)": 4,
        "glue_penalty": 5, "word_penalty": -0.5, "rule_penalty": 0.25, "unknown": 1, "lm": 6,
    }  # fmt: skip
    with pytest.raises(TunesmithError, match="is a folder with data in it"):
        import_moses(tmp_path / "moses.ini", tmp_path / "model")


def test_a_model_for_left_to_right_search_has_the_rules_that_it_takes(tmp_path):
    scores = "||| 0.5 0.4 0.3 0.2 ||| 0-0 ||| 4 6 2 ||| |||\n"
    gaps = f"das [X][X] [X] ||| [X][X] house [X] {scores.replace('0-0', '0-1 1-0')}"
    rules = f"das [X][X] [X] ||| house [X][X] [X] {scores.replace('0-0', '0-0 1-1')}{gaps}{RULES}"
    ini = write_model(tmp_path, **{"rules.txt": rules})
    whole, _ = import_moses(ini, tmp_path / "whole")
    system, notes = import_moses(ini, tmp_path / "model", left_to_right=True)
    assert read_system(tmp_path / "model") == system
    assert (system.kind, whole.kind) == ("left-to-right", "hiero")
    assert notes == ("2 of 3 rules are in target normalised form; the others are left out",)
    kept = [str(rule) for rule in RuleTable.open(tmp_path / "model/rules")]
    assert kept == [str(rule) for rule in RuleTable.open(tmp_path / "whole/rules") if rule.target[-1] != "house"
                    or len(rule.target) == 1]  # fmt: skip
    names = ("left-to-right", "hiero")
    decoders = [load_decoder(tmp_path / name) for name in ("model", "whole")]
    assert [type(each) for each in decoders] == [LeftToRightDecoder, HieroDecoder], names
    ours, theirs = (each.translate(["haus haus"])[0] for each in decoders)
    assert (ours.text, ours.score) == (theirs.text, pytest.approx(theirs.score, abs=1e-5))
    assert not list(tmp_path.glob(".*"))


def test_phrase_pairs_are_not_for_left_to_right_search(tmp_path):
    ini = INI.replace("[search-algorithm]\n3", "[search-algorithm]\n1")
    with pytest.raises(TunesmithError):
        import_moses(write_model(tmp_path, **{"moses.ini": ini}), tmp_path / "model", left_to_right=True)
    assert not (tmp_path / "model").exists()


def test_defaults_of_moses_are_named(tmp_path):
    ini = INI.replace("[cube-pruning-pop-limit]\n100\n", "").replace(" table-limit=7", "")
    system, notes = import_moses(write_model(tmp_path, **{"moses.ini": ini}), tmp_path / "model")
    assert (system.decoder["pop_limit"], system.decoder["table_limit"]) == (1000, 20)
    assert len(notes) == 2
    assert all("the default of Moses" in note for note in notes)


def test_paths_follow_the_mapping(tmp_path):
    ini = INI.replace("0 T 0\n1 T 1", "1 T 0\n0 T 1")
    system, notes = import_moses(write_model(tmp_path, **{"moses.ini": ini}), tmp_path / "model")
    assert system.decoder["max_span"] == 1000
    assert "parts of up to 20 words" in notes[0]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[search-algorithm]\n3", "[search-algorithm]\n1", r"moses\.ini:9: \[non-terminals\] is not understood"),
        ("[search-algorithm]\n3\n", "", r"\[non-terminals\] is not understood"),
        ("[search-algorithm]\n3", "[search-algorithm]\n5", r"ini:11: search algorithm 5 is neither"),
        (
            "[search-algorithm]\n3",
            "[search-algorithm]\nx",
            r"ini:12: \[search-algorithm\]: expected a whole number",
        ),
        ("[input-factors]\n0", "[input-factors]\n0\n1", "without factors"),
        ("[max-chart-span]\n20\n1000\n", "", r"there is no \[max-chart-span\]"),
        ("[max-chart-span]\n20\n1000\n", "[max-chart-span]\n20\n", r"ini:6: \[max-chart-span\] has no number"),
        ("1 T 1\n", "", r"ini:20: \[mapping\] does not use TM1"),
        ("1 T 1\n", "1 T 0\n", r"ini:6: \[mapping\]: there is no table 0 that is used once"),
        ("1 T 1\n", "1 T 9\n", "there is no table 9"),
        ("1 T 1\n", "1 G 1\n", r"\[mapping\]: expected an entry such as 0 T 0, got '1 G 1'"),
        ("X\n", "X\nY\n", "models with one are read"),
        ("[mapping]", "[distortion-limit]\n6\n[mapping]", r"ini:4: \[distortion-limit\] is not understood"),
        ("[mapping]", "[input-factors]\n[mapping]", r"\[input-factors\] came in line 2 before"),
        ("# a comment", "0", r"ini:1: expected a section such as \[feature\] first"),
        ("[feature]\n", "", r"there is no section \[feature\]"),
        (
            "\nWordPenalty\n",
            "\nWordPenalty\nDistortion\n",
            "ini:19: the feature function Distortion is not imported",
        ),
        ("\nWordPenalty\n", "\nWordPenalty\nWordPenalty name=W\n", "two feature functions"),
        ("PhrasePenalty\n", "PhrasePenalty name=LM0\n", "called LM0"),
        ("num-features=4", "num-features=3", "num-features=3, but its rules have 4 scores"),
        ("num-features=4", "num-features", "key=value"),
        ("table-limit=7", "table-limit=x", "table-limit=x is not a whole number"),
        ("table-limit=7", "table-limit=7 filter=1", "filter=1 is not understood"),
        ("factor=0 path=lm", "factor=1 path=lm", "factor=1; models with factors"),
        ("order=1", "order=3", "order=3, but the model has order 1"),
        ("TM0= 1 2 3 4", "TM0= 1 2 3", "TM0 must have 4 weights, got 3"),
        ("TM0= 1 2 3 4", "TM0= 1 2 3 nan", "finite numbers"),
        ("TM0= 1 2 3 4", "TM0= 1 2 3 4\nTM0= 1", "TM0 has weights in two lines"),
        ("LM0= 6", "LM1= 6", r"ini:29: a weight for LM1, but \[feature\] has none"),
        ("LM0= 6", "", "LM0 has no weight"),
        ("path=lm.arpa", "path=none.arpa", "none.arpa: no such file"),
        (" path=lm.arpa", "", "has no path="),
        ("path=glue", "path=rules.txt", "2 rule tables and 0 glue grammars"),
        ("[non-terminals]\nX", "[non-terminals]\nY", "is not one of the three"),
    ],
)
def test_what_is_not_understood_is_refused(tmp_path, old, new, says):
    assert old in INI
    assert_refused(write_model(tmp_path, **{"moses.ini": INI.replace(old, new, 1)}), says)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("2.718", "2.718 1", "glue:3: expected one positive score, got 2.718 1"),
        ("2.718", "-1", "one positive score"),
        ("2.718", "inf", "one positive score"),
        (GLUE.splitlines(keepends=True)[1], "", "no rule to end"),
        ("<s> [X] ||| <s>", "<s> [X] ||| a", "glue:1: the rule <s> → a"),
        (GLUE.splitlines(keepends=True)[2], GLUE.splitlines(keepends=True)[0], "each once"),
        (GLUE, "", "is empty"),
        (GLUE, "a ||| b ||| 1 ||| 0-0\n", "both sides must end with a label"),
        ("<s> [X] ||| <s>", "<s>|||||| [X] ||| <s>", "glue:1: the rule <s>||||||"),
    ],
)
def test_other_glue_grammars_are_refused(tmp_path, old, new, says):
    assert old in GLUE
    assert_refused(write_model(tmp_path, glue=GLUE.replace(old, new, 1)), says)


def test_damaged_parts_are_refused(tmp_path):
    with pytest.raises(FormatError, match=r"rules.txt:1"):
        import_moses(write_model(tmp_path, **{"rules.txt": RULES.replace("0.5", "x")}), tmp_path / "model")
    with pytest.raises(FormatError, match=r"lm\.arpa"):
        import_moses(write_model(tmp_path, **{"lm.arpa": "mmap lm http://kheafield.com/code\n"}), tmp_path / "m")
    with pytest.raises(FormatError, match=r"but \[non-terminals\] has X"):
        import_moses(write_model(tmp_path, **{"rules.txt": RULES.replace("[X]", "[Z]")}), tmp_path / "model")
