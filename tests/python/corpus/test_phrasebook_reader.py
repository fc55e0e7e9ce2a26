"""The phrasebook's rule files: what is read, and damage named with path and line."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tunesmith.corpus.phrasebook import Phrasebook
from tunesmith.corpus.phrasebook.english import Morphology
from tunesmith.corpus.phrasebook.realise import Realiser, references
from tunesmith.errors import FormatError

GOOD = """class WHO
我 = i ; agr=1s
class ACT
吃 = *eat
pattern p w=1
zh {who:WHO} {a:ACT} 。
en {who} {a.pres@who} .
"""


def load(directory: Path, text: str) -> Phrasebook:
    (directory / "rules.txt").write_text(text, encoding="utf-8")
    return Phrasebook.load(directory)


def test_small_grammar_is_read(tmp_path: Path) -> None:
    tiny = load(tmp_path, GOOD)
    derivation = tiny.derive(Random(1))
    assert derivation.source() == "我 吃 。"
    assert references(derivation, tiny.morphology, Random(1), 4) == ["i eat ."]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("{a:ACT}", "{a:NONE}", 5, "unknown class NONE"),
        ("{a:ACT}", "{a:ACT", 6, "cannot read the slot"),
        ("{who} {a", "[ {who} {a", 7, "unbalanced bracket"),
        ("{who} {a", "] {who} {a", 7, "closes nothing"),
        ("{who} {a", "[ so | ] {who} {a", 7, "is empty"),
        ("吃 = *eat", "吃" + " [" * 3000 + " = *eat", 4, "nested too deeply"),
        ("吃 = *eat", "吃" + " (了)" * 40 + " = *eat", 4, "more than 1000 ways"),
        ("吃 = *eat", "吃 =", 4, "lacks a side"),
        ("吃 = *eat", "吃 = *eat | ", 4, "alternative is empty"),
        ("吃 = *eat", "吃 eat", 4, "cannot read"),
        ("吃 = *eat", "吃<drink> = *eat", 4, "gloss 'drink'"),
        ("吃 = *eat", "吃 / 饭 = *eat", 4, "different numbers of parts"),
        ("吃 = *eat", "吃 = *Eat", 4, "cannot read the English word"),
        ("吃 = *eat", "{a:ACT} 了 = {a}", 3, "never ends"),
        ("吃 = *eat", "吃 = *eat ; w=", 4, "attribute 'w='"),
        ("class ACT", "class WHO", 3, "defined twice"),
        ("class ACT", "class UNUSED\n水 = water\nclass ACT", 3, "used by no slot"),
        ("{a.pres@who}", "{b.pres@who}", 5, "uses slot 'b'"),
        ("{a.pres@who}", "{a.future@who}", 7, "unknown form '.future'"),
        ("{a.pres@who}", "{a/2}", 5, "asks for part 2"),
        ("en {who} {a.pres@who} .\n", "", 5, "has no 'en' line"),
        ("zh {who:WHO} {a:ACT} 。\n", "", 5, "has no 'zh' line"),
        ("{a.pres@who}", "{a.pres}", 5, "'a' needs a subject"),
        ("pattern p w=1", "pattern p\nzh 好 。\nen good .\npattern p", 8, "already at"),
    ],
)
def test_damage_is_reported_with_path_and_line(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    assert old in GOOD
    with pytest.raises(FormatError) as caught:
        load(tmp_path, GOOD.replace(old, new))
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'rules.txt'}:{line}: ")


NEEDY = """class WHO
我 = i ; agr=1s
class ACT
{v:VERB/1} / {v/2} = {v/1*} / {v/2}
class VERB
写 / 作业 = *do / {@.poss} homework
pattern p
zh {who:WHO} {a:ACT/1} 了 {a/2} 。
en {who} {a/1.past@who} {a/2} .
"""


def test_a_subject_that_is_not_handed_down_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"rules\.txt:7: pattern p: 'a' needs a subject"):
        load(tmp_path, NEEDY)
    derivation = load(tmp_path, NEEDY.replace("{a/2} .", "{a/2@who} .")).derive(Random(1))
    assert (
        Realiser(Morphology({"do": ("does", "did", "done", "doing")}, {}), None, flat=True).sentence(derivation)
        == "i did my homework ."
    )
    assert load(tmp_path, NEEDY.replace("pattern p", "pattern p addressed")).patterns


FITTING = """class NAME once
大卫 = david
class DEGREE
有点 = a little ; avoid=good
很 = very
class QUALITY
好 = good ; good
坏 = bad
class WHO
{n:NAME} = {n*}
我 = i ; agr=1s
pattern p
zh {a:WHO} 和 {b:NAME} {d:DEGREE} {q:QUALITY} 。
en {a} and {b} are {d} {q} .
"""


def test_what_does_not_fit_together_is_drawn_anew(tmp_path: Path) -> None:
    tiny = load(tmp_path, FITTING)
    random = Random(1)
    assert {tiny.derive(random).source() for _ in range(200)} == {
        "我 和 大卫 有点 坏 。",
        "我 和 大卫 很 坏 。",
        "我 和 大卫 很 好 。",
    }


def test_bad_irregular_form_is_reported(tmp_path: Path) -> None:
    (tmp_path / "irregular.txt").write_text("verb go goes\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"irregular\.txt:1: cannot read"):
        load(tmp_path, GOOD)


def test_no_pattern_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no 'pattern'"):
        load(tmp_path, "class WHO\n我 = i\n")
