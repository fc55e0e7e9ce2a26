"""Options of `tunesmith translate`: what is printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli import options
from tunesmith.cli.corpus.tokenize import Language
from tunesmith.cli.declaring import option
from tunesmith.corpus.subwords import check_subwords
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.corpus.text_processing import TextProcessing
    from tunesmith.decoding import Decoder

OUTPUT = "Output"


@dataclass(frozen=True)
class Shown:
    """What is printed of each translation."""

    kbest: Annotated[int | None, option(
        "--kbest N", "Print n-best lists of Moses' format with features and scores.", min=1
    )] = None  # fmt: skip
    distinct: Annotated[bool, option("--distinct", "With --kbest: different translations only.", OUTPUT)] = False
    explain: Annotated[
        bool, option("--explain", "Print the derivation: rules, spans, score of every feature.")
    ] = False
    alignment: Annotated[bool, option(
        "--alignment", "Print ' ||| ' and the word alignment (0-0 1-2) after each translation, of tokens.", OUTPUT
    )] = False  # fmt: skip
    detokenize: Annotated[bool, option("--detokenize", "Write running text instead of tokens.")] = False
    language: Language = "en"
    subwords: options.Subwords = None
    tokens: Annotated[bool, option(
        "--tokens", "Print tokens where the model was trained on raw text.", OUTPUT
    )] = False  # fmt: skip

    def check(self) -> None:
        """Refuse what cannot be printed together."""
        check_subwords(self.subwords)
        lists = [name for name, on in (("--kbest", self.kbest is not None), ("--explain", self.explain)) if on]
        changes = (("--alignment", self.alignment and self.explain), ("--detokenize", self.detokenize))
        chosen = lists + [name for name, on in changes if on and lists]
        if len(chosen) > 1:
            raise ConfigError(f"{' and '.join(chosen)} cannot be used together")
        if self.alignment and self.detokenize:
            raise ConfigError("--alignment counts the words of tokenised text, so it takes no --detokenize")
        if self.tokens and self.detokenize:
            raise ConfigError("--tokens and --detokenize cannot be used together")
        if self.distinct and self.kbest is None:
            raise ConfigError("--distinct belongs to --kbest N")

    def output(self, text: TextProcessing | None) -> Callable[[str], str]:
        """Return the function from a translation to printed text. text: of a model trained on raw text."""
        if self._restores(text):
            assert text is not None
            return text.target.restore
        if self.detokenize:
            from tunesmith.corpus.tokenizers import make_tokenizer

            return make_tokenizer("moses", self.language).detokenize
        return lambda tokens: tokens

    def _restores(self, text: TextProcessing | None) -> bool:
        """Return whether the model's processing of raw text is undone."""
        return text is not None and not self.tokens and not self.alignment

    def pieces_of(self, decoder: Decoder, model: TextProcessing, text: TextProcessing | None) -> str:
        """Return the pieces that are joined in what is printed: those typed, or those of the model.

        Undoing the processing of raw text joins them already; tokens of such a model stay as they are.
        """
        if self._restores(text):
            if self.subwords is not None:
                raise ConfigError("--subwords: this model joins its pieces itself; leave it out, or give --tokens")
            return "none"
        return self.subwords or ("none" if model and not self.detokenize else decoder.subwords)
