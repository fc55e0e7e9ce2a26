"""Options of `tunesmith train` about raw text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.declaring import option
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.corpus.text_processing import SideOptions

RAW = "Raw text"
TOKENIZERS = "none, moses, 13a, zh, char, or sentencepiece:vocab=8000 (type=bpe, coverage=0.9995)"

Tokenized = Annotated[
    bool, option("--tokenized", "Text is the model's tokens already; nothing is done to it.", RAW)
]


@dataclass(frozen=True)
class RawText:
    """How text becomes tokens; the model keeps it, and translate does the same and undoes it."""

    tokenize: Annotated[str, option("--tokenize NAME", f"Tokeniser of both sides: {TOKENIZERS}.", RAW)] = "none"
    tokenize_source: Annotated[
        str | None,
        option("--tokenize-source NAME", "Tokeniser of the source side alone.", RAW, show_default="--tokenize"),
    ] = None
    tokenize_target: Annotated[
        str | None,
        option("--tokenize-target NAME", "Tokeniser of the target side alone.", RAW, show_default="--tokenize"),
    ] = None
    source_language: Annotated[
        str, option("--source-language CODE", "For rules of the tokeniser, such as de.", RAW)
    ] = "en"
    target_language: Annotated[
        str, option("--target-language CODE", "For rules of the tokeniser, such as en.", RAW)
    ] = "en"
    lowercase: Annotated[
        bool, option("--lowercase", "Lower-case both sides; translations begin with a capital letter.", RAW)
    ] = False
    truecase: Annotated[bool, option(
        "--truecase", "Write the first word of a sentence as it is written elsewhere; undone in translations.", RAW
    )] = False  # fmt: skip

    def sides(self) -> tuple[SideOptions, SideOptions]:
        """Return options of the source and of the target side."""
        from tunesmith.corpus.text_processing import SideOptions

        if self.lowercase and self.truecase:
            raise ConfigError("--lowercase and --truecase cannot be used together")
        case = "lower" if self.lowercase else "true" if self.truecase else "keep"
        return (
            SideOptions(self.tokenize if self.tokenize_source is None else self.tokenize_source,
                        self.source_language, case),
            SideOptions(self.tokenize if self.tokenize_target is None else self.tokenize_target,
                        self.target_language, case),
        )  # fmt: skip
