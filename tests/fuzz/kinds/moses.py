"""Files of Moses: phrase, rule and reordering tables, glue grammar, moses.ini with all that it names."""

from __future__ import annotations

from pathlib import Path

from fuzz.kind import OUT, Files, Kind, one_file
from tunesmith.grammar.moses import read_glue, read_moses
from tunesmith.grammar.moses_ini import read_moses_ini
from tunesmith.grammar.moses_reordering import read_with_reordering
from tunesmith.training.import_moses import import_moses

PHRASES = (
    "haus ||| house ||| 0.5 0.4 0.3 0.2 ||| 0-0 ||| 4 6 2 ||| |||\n"
    "das ||| the ||| 0.5 0.4 0.3 0.2 ||| 0-0 ||| 4 6 2 ||| |||\n"
    "das haus ||| the house ||| 0.5 0.4 1e-3 0.2 ||| 0-0 1-1 ||| 4 6 2 ||| |||\n"
)
RULES = (
    "haus [X] ||| house [X] ||| 0.5 0.4 0.3 0.2 ||| 0-0 ||| 4 6 2 ||| |||\n"
    "das [X][X] [X] ||| the [X][X] [X] ||| 0.5 0.4 0.3 0.2 ||| 0-0 1-1 ||| 4 6 2 ||| |||\n"
    "[X][X] a [X][X] [X] ||| [X][X] b [X][X] [X] ||| 0.5 0.4 0.3 0.2 ||| 0-2 1-1 2-0 ||| 4 6 2 ||| |||\n"
)
GLUE = """\
<s> [X] ||| <s> [S] ||| 1 ||| 0-0 ||| 0 ||| |||
[X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0 1-1 ||| 0 ||| |||
[X][S] [X][X] [X] ||| [X][S] [X][X] [S] ||| 2.718 ||| 0-0 1-1 ||| 0 ||| |||
"""
REORDERING = "haus ||| house ||| 0.1 0.2 0.3 0.4 0.25 0.25 0.25 0.25\ndas ||| the ||| 1 0 0 0 0.5 0 0 0.5\n"
ARPA = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1\t<unk>\n0\t<s>\n-0.5\t</s>\n-0.3\thouse\n\n\\end\\\n"
_HIERO_INI = """\
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
_PHRASE_INI = """\
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
PhraseDictionaryMemory name=TM0 num-features=4 path=phrases table-limit=7
LexicalReordering name=R0 num-features=8 type=hier-mslr-bidirectional-fe-allff path=reordering
Distortion
KENLM name=LM0 factor=0 path=lm.arpa order=1
[weight]
UnknownWordPenalty0= 1
WordPenalty0= -0.5
PhrasePenalty0= 0.25
TM0= 1 2 3 4
R0= 1 2 3 4 5 6 7 8
Distortion0= 0.5
LM0= 6
"""
BARS = (b" ||| ", b" ", b"-")
_SYMBOLS = (b"[X]", b"[S]", b"[X][X]", b"[X][S]", b"[X,1]", b"[X", b"X]", b"[]", b"<s>", b"</s>", b"|||", b"0-0")
_INI_WORDS = (b"[feature]", b"[weight]", b"[mapping]", b"name=TM0", b"path=glue", b"path=..", b"num-features=4")
HIERO: Files = {
    name: text.encode()
    for name, text in {"moses.ini": _HIERO_INI, "rules.txt": RULES, "glue": GLUE, "lm.arpa": ARPA}.items()
}
PHRASE: Files = {
    name: text.encode()
    for name, text in {
        "moses.ini": _PHRASE_INI, "phrases": PHRASES, "reordering": REORDERING, "lm.arpa": ARPA,
    }.items()
}  # fmt: skip


def _table(folder: Path) -> None:
    for rule in read_moses(folder / "input", folder / OUT / "table"):
        str(rule)


def _reordering(folder: Path) -> None:
    read_with_reordering(folder / "phrases", folder / "reordering", folder / OUT / "table", _options())


def _options() -> object:
    from tunesmith.grammar.reordering import ReorderingOptions

    return ReorderingOptions.parse("hier-mslr-bidirectional-fe")


def _import(folder: Path) -> None:
    import_moses(folder / "moses.ini", folder / OUT / "model")


def kinds() -> list[Kind]:
    separators = (b" ", b"=", b" ||| ")
    return [
        Kind("moses-phrase-table", one_file(PHRASES), _table, separators=BARS, words=_SYMBOLS),
        Kind("moses-rule-table", one_file(RULES), _table, separators=BARS, words=_SYMBOLS),
        Kind("moses-reordering-table", lambda: [PHRASE], _reordering, damaged=("reordering",), separators=BARS),
        Kind("moses-glue", one_file(GLUE), lambda f: read_glue(f / "input"), separators=BARS, words=_SYMBOLS),
        Kind(
            "moses-ini",
            lambda: [HIERO, PHRASE],
            lambda f: read_moses_ini(f / "moses.ini"),
            damaged=("moses.ini",),
            separators=separators,
            words=_INI_WORDS,
        ),
        Kind("moses-hiero-model", lambda: [HIERO], _import, separators=separators, words=(*_SYMBOLS, *_INI_WORDS)),
        Kind(
            "moses-phrase-model", lambda: [PHRASE], _import, separators=separators, words=(*_SYMBOLS, *_INI_WORDS)
        ),
    ]
