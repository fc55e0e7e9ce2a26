"""Plain texts, pairs of them, vocabularies, labels, numbers."""

from __future__ import annotations

import gzip
from pathlib import Path

from fuzz.kind import Files, Kind, one_file
from tunesmith.corpus.bitext import read_bitext
from tunesmith.corpus.selection import FeatureDecay
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.experiments.corpus import CorpusFiles
from tunesmith.io import iter_blocks, read_lines
from tunesmith.io.texts import Texts
from tunesmith.metrics.precomputed import read_scores
from tunesmith.tuning.losses.documents import Documents

TEXT = "the cat sat\n我 爱 茶 。\n\ta\u3000b\n\nlast line without end"
VOCABULARY = "<unk>\t0\n<s>\t0\n</s>\t0\nthe\t12\n猫\t7\ninternationalisation\t1\n"


def _packed(text: str, name: str = "input") -> Files:
    return {name: gzip.compress(text.encode(), mtime=0)}


def _texts(folder: Path) -> None:
    texts = Texts([str(folder / "one"), str(folder / "two")])
    with texts.located():
        list(texts)


def _corpus(folder: Path) -> None:
    files = CorpusFiles.find(folder / "corpus-zh-en")
    files.bitext()
    files.digest  # noqa: B018


def _corpus_seed() -> list[Files]:
    names = {"train.zh": "我 爱 茶\n茶\n", "train.en": "i love tea\ntea\n"}
    for name in ("dev", "devtest", "test"):
        names |= {f"{name}.zh": "茶\n我\n", f"{name}.en.0": "tea\ni\n", f"{name}.en.1": "the tea\nme\n"}
    return [{f"corpus-zh-en/{name}": text.encode() for name, text in names.items()}]


def kinds() -> list[Kind]:
    pair = {"one": b"a b\nc\n", "two": b"A B\nC\n"}
    return [
        Kind("text", one_file(TEXT, "\ufeff" + TEXT.replace("\n", "\r\n")), lambda f: read_lines(f / "input")),
        Kind("text-gzip", lambda: [_packed(TEXT), _packed(TEXT * 300)], lambda f: read_lines(f / "input")),
        Kind(
            "blocks", lambda: [_packed(TEXT), {"input": TEXT.encode()}], lambda f: list(iter_blocks(f / "input"))
        ),
        Kind("texts", lambda: [pair], _texts),
        Kind(
            "bitext",
            lambda: [pair, {**pair, **_packed("A B\nC\n", "two")}],
            lambda f: read_bitext(f / "one", f / "two"),
        ),
        Kind(
            "vocabulary",
            lambda: [{"input": VOCABULARY.encode()}, _packed(VOCABULARY)],
            lambda f: Vocabulary.load(f / "input"),
            words=(b"<unk>", b"<s>", b"the"),
        ),
        Kind("documents", one_file("a\na\nb\n茶\n", "1\n"), lambda f: Documents.read(f / "input")),
        Kind("selection", lambda: [pair], lambda f: FeatureDecay().select(f / "one", f / "two", 2)),
        Kind("scores", one_file("0.5\n-1e-3\n12\n.5\n", "1\n"), lambda f: read_scores(f / "input", expected=None)),
        Kind("corpus-folder", _corpus_seed, _corpus),
    ]
