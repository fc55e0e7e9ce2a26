"""From raw text to the tokens of a model, and back: what `train` does to its text, `translate` to its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tunesmith.corpus.text_files import Text
from tunesmith.corpus.tokenizers import Tokenizer, tokenizers
from tunesmith.corpus.tokenizers.sentencepiece import SentencePieceTraining
from tunesmith.corpus.truecase import Truecaser, capitalized
from tunesmith.errors import ConfigError
from tunesmith.settings import parse_named, read_settings, settings_of
from tunesmith.text_part import TextPart

SENTENCEPIECE = "sentencepiece"


@dataclass(frozen=True)
class SideProcessing:
    """One side of a model. folder: where the files are that its description names."""

    part: TextPart
    folder: Path

    def process(self, line: str) -> str:
        """Return raw text as tokens, joined by one space."""
        if not self.part:
            return line
        if self.part.tokenizer == SENTENCEPIECE:
            return self.tokenizer.tokenize(line.lower() if self.part.case == "lower" else line)
        words = self.tokenizer.split(line)
        if self.part.case == "lower":
            words = [word.lower() for word in words]
        elif self.part.case == "true":
            words = self.truecaser.apply(words)
        return " ".join(words)

    def restore(self, line: str) -> str:
        """Return tokens as people write them; sentences begin with a capital letter where case was changed."""
        if not self.part:
            return line
        if self.part.case == "keep":
            return self.tokenizer.detokenize(line)
        if self.part.tokenizer == SENTENCEPIECE:
            return " ".join(capitalized(self.tokenizer.detokenize(line).split()))
        return self.tokenizer.detokenize(" ".join(capitalized(line.split())))

    @cached_property
    def tokenizer(self) -> Tokenizer:
        model = {"model": self.folder / self.part.model} if self.part.model else {}
        return tokenizers.make(self.part.tokenizer, language=self.part.language, **model, **self.part.settings)

    @cached_property
    def truecaser(self) -> Truecaser:
        return Truecaser.load(self.folder / self.part.truecase)

    @property
    def signature(self) -> str:
        """Tokeniser and case, such as `moses[lang=en,sacremoses=0.1.1]+lower`."""
        case = "" if self.part.case == "keep" else f"+{self.part.case}case"
        return f"{self.tokenizer.signature}{case}" if self.part else "none"


@dataclass(frozen=True)
class TextProcessing:
    """Both sides of a model."""

    source: SideProcessing
    target: SideProcessing

    @classmethod
    def of(cls, source: TextPart, target: TextPart, folder: Path) -> TextProcessing:
        return cls(SideProcessing(source, folder), SideProcessing(target, folder))

    def __bool__(self) -> bool:
        return bool(self.source.part) or bool(self.target.part)

    def sources(self, lines: Iterable[str]) -> list[str]:
        return [self.source.process(line) for line in lines]

    def references(self, sentences: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
        return [tuple(self.target.process(line) for line in each) for each in sentences]

    def text(self, given: Text) -> Text:
        """Return source text and references as tokens."""
        if not self:
            return given
        return Text(self.sources(given.lines), self.references(given.references), given.labels)

    def settings(self) -> dict[str, str]:
        """Return fields of a signature: what was done to each side; nothing for text that is taken as it is."""
        return {"source": self.source.signature, "target": self.target.signature} if self else {}


@dataclass(frozen=True)
class SideOptions:
    """What is asked of one side before there is a model: a tokeniser by name, and case.

    tokenize: `moses`, `13a`, `zh`, `char`, `none`, or `sentencepiece` with settings (`sentencepiece:vocab=8000`).
    """

    tokenize: str = "none"
    language: str = "en"
    case: str = "keep"

    def __post_init__(self) -> None:
        name, values = parse_named(self.tokenize)
        tokenizers.get(name)
        if name == SENTENCEPIECE:
            _ = self.training
        elif values:
            raise ConfigError(
                f"the tokeniser {name} has no settings; only sentencepiece has: sentencepiece:vocab=8000"
            )
        if self.case == "true" and name in (SENTENCEPIECE, "char"):
            raise ConfigError(f"--truecase is about words, and {name} has none; take moses or 13a, or --lowercase")
        if name not in (SENTENCEPIECE, "none"):
            tokenizers.make(name, language=self.language)

    @property
    def training(self) -> SentencePieceTraining | None:
        """Settings of a tokeniser that is trained on the text."""
        name, values = parse_named(self.tokenize)
        if name != SENTENCEPIECE:
            return None
        return SentencePieceTraining(**read_settings(SentencePieceTraining, values, name))

    def part(self, side: str) -> TextPart:
        """Return the description for system.toml, with the names of its files."""
        name, _ = parse_named(self.tokenize)
        return TextPart(
            name, self.language, self.case,
            f"truecase.{side}.tsv" if self.case == "true" else "",
            f"sentencepiece.{side}.model" if self.training is not None else "",
        )  # fmt: skip

    def settings(self) -> dict[str, Any]:
        """Return what the processed text depends on."""
        found: dict[str, Any] = {"tokenize": self.tokenize, "language": self.language, "case": self.case}
        if self.training is not None:
            found["training"] = settings_of(self.training)
        elif self.part("x"):
            found["signature"] = SideProcessing(
                replace(self.part("x"), case="keep", truecase=""), Path()
            ).signature
        return found

    def learn(self, lines: Sequence[str], side: str, folder: Path) -> SideProcessing:
        """Write the files that the side needs, learnt from its text, into a model directory."""
        from tunesmith.io.writing import atomic_bytes

        part = self.part(side)
        if self.training is not None:
            text = [line.lower() for line in lines] if self.case == "lower" else list(lines)
            with atomic_bytes(folder / part.model) as out:
                out.write(self.training.train(text))
        if self.case == "true":
            words = SideProcessing(replace(part, case="keep", truecase=""), folder)
            Truecaser.learn(words.process(line) for line in lines).save(folder / part.truecase)
        return SideProcessing(part, folder)
