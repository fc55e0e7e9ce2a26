"""Tokenisers: the tokens a reader expects, a signature that says who made them, and the way back."""

import builtins
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from tunesmith.corpus.tokenizers import Tokenizer, make_tokenizer, tokenizers
from tunesmith.errors import ConfigError, MissingExtraError

NAMES = ["none", "13a", "moses", "zh", "char"]
MADE = {name: make_tokenizer(name) for name in NAMES}


def test_the_known_names():
    assert tokenizers.names()[:5] == NAMES
    with pytest.raises(ConfigError, match=r"unknown tokenizer 'mose'\. Did you mean 'moses'"):
        make_tokenizer("mose")


TOKENS = [
    ("none", " a\u3000b,  c. ", "a b, c."),
    ("13a", "Hello, world! It's 3.5%.", "Hello , world ! It's 3.5 % ."),
    ("13a", "&quot;x&quot; &amp; y", '" x " & y'),
    ("moses", "Hello, world! It's Mr. Smith's 3.5%.", "Hello , world ! It 's Mr. Smith 's 3.5 % ."),
    ("moses", '<b> & "x" | [y] it\'s', '< b > & " x " | [ y ] it \'s'),
    ("moses", "well-known state-of-the-art", "well-known state-of-the-art"),
    ("moses", "and so on...", "and so on ..."),
    ("zh", "我爱北京天安门。", "我 爱 北京 天安门 。"),
    ("zh", "我用Python 3写程序", "我用 Python 3 写 程序"),
    ("char", "我爱 Py3", "我 爱 P y 3"),
    ("char", "😀é", "😀 é"),
]


@pytest.mark.parametrize(("name", "line", "tokens"), TOKENS)
def test_tokens(name, line, tokens):
    assert MADE[name].tokenize(line) == tokens
    assert MADE[name].split(line) == tokens.split()


BACK = [
    ("none", "a b , c", "a b , c"),
    ("moses", "Hello , world ! It 's Mr. Smith 's .", "Hello, world! It's Mr. Smith's."),
    ("moses", 'He said " yes " ( twice ) .', 'He said "yes" (twice).'),
    ("moses", "&amp; stays", "&amp; stays"),
    ("13a", "Hello , world ! ( twice )", "Hello, world! (twice)"),
    ("zh", "我 爱 北京 。", "我爱北京。"),
    ("zh", "我 用 Python 3 写 程序 , 你 呢 ?", "我用Python 3写程序,你呢?"),
    ("zh", "machine translation 很 难", "machine translation很难"),
    ("zh", "Hello , world ! ( twice )", "Hello, world! (twice)"),
    ("zh", "3 . 5", "3. 5"),
    ("char", "我 爱 你", "我爱你"),
    ("char", "P y 3", "Py3"),
]


@pytest.mark.parametrize(("name", "tokens", "line"), BACK)
def test_detokenised(name, tokens, line):
    assert MADE[name].detokenize(tokens) == line


@pytest.mark.parametrize("line", ["我爱北京天安门。", "今天是2024年5月1日,天气很好!", "他说:“你好吗?”"])
@pytest.mark.parametrize("name", ["zh", "char"])
def test_chinese_comes_back_exactly(name, line):
    assert MADE[name].detokenize(MADE[name].tokenize(line)) == line


@pytest.mark.parametrize(
    "line", ["It's Mr. Lee's (new) house, isn't it?", 'He said "yes", twice...', "A 5% rise."]
)
def test_english_comes_back_exactly(line):
    assert MADE["moses"].detokenize(MADE["moses"].tokenize(line)) == line


def test_13a_is_that_of_sacrebleu():
    judge = sacrebleu.metrics.BLEU(tokenize="13a").tokenizer
    for line in ["a.b,c 1.5 1,000 -x- <skipped> 'tis U.S.A. &lt;", "ﬁ “x” 3-4 a-b", ""]:
        assert MADE["13a"].tokenize(line) == judge(line)


def test_signatures():
    moses, jieba = version("sacremoses"), version("jieba")
    assert [MADE[name].signature for name in NAMES] == [
        "none",
        "13a",
        f"moses[lang=en,sacremoses={moses}]",
        f"zh[jieba={jieba}]",
        "char",
    ]
    assert make_tokenizer("13a", lowercase=True).signature == "13a[case=lower]"
    lower = make_tokenizer("moses", "de", lowercase=True)
    assert lower.signature == f"moses[case=lower,lang=de,sacremoses={moses}]"
    normalizing = make_tokenizer("moses", normalize=True)
    assert normalizing.signature == f"moses[lang=en,normalize=yes,sacremoses={moses}]"


def test_lower_case_is_made_behind_the_rules_that_look_at_case():
    assert make_tokenizer("moses", lowercase=True).tokenize("Mr. Smith left.") == "mr. smith left ."
    assert make_tokenizer("13a", lowercase=True).tokenize("ÄÖ, ΣΑΣ!") == "äö , σας !"
    assert make_tokenizer("moses", lowercase=True).detokenize("Hi , you .") == "Hi, you."


def test_punctuation_is_normalised_on_request_only():
    assert make_tokenizer("moses").tokenize("“x”") == "“ x ”"
    assert make_tokenizer("moses", normalize=True).tokenize("“x”") == '" x "'


def test_languages():
    assert make_tokenizer("moses", "fr").tokenize("l'homme qu'il voit") == "l' homme qu' il voit"
    for bad in ("English", "", "../en", "EN"):
        with pytest.raises(ConfigError, match="not a language code"):
            make_tokenizer("moses", bad)


def test_settings_of_another_tokeniser_are_refused():
    with pytest.raises(ConfigError, match="'13a' does not take these settings"):
        make_tokenizer("13a", normalize=True)


PLAIN = st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0")
TEXT = st.text(PLAIN | st.sampled_from(" .,'\"我\u2028"))


@pytest.mark.parametrize("name", NAMES)
@given(line=TEXT)
@settings(max_examples=150, deadline=None)
def test_tokens_of_any_line_are_words_on_one_line(name, line):
    tokens = MADE[name].split(line)
    joined = MADE[name].tokenize(line)
    assert joined.split() == tokens
    assert all(tokens)
    assert "\n" not in joined
    assert "\n" not in MADE[name].detokenize(joined)


@pytest.mark.parametrize("name", ["none", "zh", "char"])
@given(line=TEXT)
@settings(max_examples=150, deadline=None)
def test_no_character_is_lost(name, line):
    assert "".join(MADE[name].split(line)) == "".join(line.split())
    assert "".join(MADE[name].detokenize(line).split()) == "".join(line.split())


def test_a_missing_jieba_is_said_when_words_are_wanted(monkeypatch):
    real = builtins.__import__

    def without(name: str, *args: object, **kwargs: object) -> object:
        if name == "jieba":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    tokenizer = make_tokenizer("zh")
    assert tokenizer.detokenize("我 爱") == "我爱"
    with pytest.raises(MissingExtraError, match=r"pip install 'tunesmith\[zh\]'"):
        tokenizer.tokenize("我爱")


def test_jieba_is_quiet_and_leaves_no_cache(tmp_path):
    code = "from tunesmith.corpus.tokenizers import make_tokenizer as m; m('zh').tokenize('我爱北京')"
    command = [sys.executable, "-W", "error", "-c", code]
    run = subprocess.run(command, capture_output=True, check=True, env={"TMPDIR": str(tmp_path)})
    assert (run.stdout, run.stderr) == (b"", b"")
    assert list(Path(tmp_path).iterdir()) == []


def test_a_tokeniser_without_way_back_says_so():
    class Vowels(Tokenizer):
        signature = "vowels"

        def split(self, line: str) -> list[str]:
            return [character for character in line if character in "aeiou"]

    assert Vowels().tokenize("moses") == "o e"
    with pytest.raises(ConfigError, match="vowels knows no way back"):
        Vowels().detokenize("o e")
