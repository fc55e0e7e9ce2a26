"""`sentencepiece`: pieces of words by a model of the SentencePiece library (an extra), and its training."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from tunesmith.checks import at_least, one_of
from tunesmith.corpus.tokenizers.base import Tokenizer
from tunesmith.errors import ConfigError, FormatError, MissingExtraError
from tunesmith.io import StrPath

MARK = "▁"


class SentencePieceTokenizer(Tokenizer):
    """Pieces as the model splits them; `▁` stands for the space before a word. Detokenising joins them.

    model: the file that SentencePiece wrote.
    """

    def __init__(self, language: str = "en", model: StrPath | None = None) -> None:
        super().__init__(language)
        if model is None:
            raise ConfigError(
                "sentencepiece needs a model of it: tunesmith train --tokenize sentencepiece:vocab=8000 makes one"
            )
        self.model = Path(model)
        try:
            self._pieces = _library().SentencePieceProcessor(model_proto=self.model.read_bytes())
        except (RuntimeError, OSError) as error:
            raise FormatError("is not a model of SentencePiece", path=str(self.model)) from error

    @property
    def signature(self) -> str:
        from tunesmith.io.digest import file_digest

        return f"sentencepiece[model={file_digest(self.model, 8)},version={version('sentencepiece')}]"

    def split(self, line: str) -> list[str]:
        pieces: list[str] = self._pieces.encode(line, out_type=str)
        return [part for piece in pieces for part in piece.split()]

    def detokenize(self, line: str) -> str:
        return "".join(line.split()).replace(MARK, " ").strip()


@dataclass(frozen=True)
class SentencePieceTraining:
    """vocab: pieces of the model, at most; fewer where the text has fewer.   type: unigram or bpe.

    coverage: share of the characters of the text that get a piece each.
    """

    vocab: int = 8000
    type: Literal["unigram", "bpe"] = "unigram"
    coverage: float = 0.9995

    def __post_init__(self) -> None:
        at_least(8, vocab=self.vocab)
        one_of(("unigram", "bpe"), type=self.type)
        if not 0.5 <= self.coverage <= 1:
            raise ConfigError(f"coverage must be between 0.5 and 1, got {self.coverage:g}")

    def train(self, lines: Iterable[str]) -> bytes:
        """Return the model of these lines, as bytes. The same lines give the same model, on every machine."""
        model = io.BytesIO()
        try:
            _library().SentencePieceTrainer.train(
                sentence_iterator=iter(lines),
                model_writer=model,
                vocab_size=self.vocab,
                model_type=self.type,
                character_coverage=self.coverage,
                hard_vocab_limit=False,
                num_threads=4,  # the sums of its threads have an order: a fixed number, not that of the machine
                input_sentence_size=1_000_000,
                shuffle_input_sentence=False,
                minloglevel=2,
            )
        except (RuntimeError, OSError) as error:
            reason = str(error).strip().splitlines()[-1:] or ["no reason given"]
            raise FormatError(f"SentencePiece cannot be trained on this text: {reason[0]}") from None
        return model.getvalue()


def _library() -> Any:
    try:
        import sentencepiece
    except ImportError:
        raise MissingExtraError("the tokeniser sentencepiece", "sentencepiece", "sentencepiece") from None
    return sentencepiece
