"""Options of `tunesmith translate`: what is printed, and how far the search goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from tunesmith.cli import options
from tunesmith.cli.corpus.tokenize import Language
from tunesmith.cli.declaring import option
from tunesmith.corpus.subwords import check_subwords
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.corpus.text_processing import TextProcessing
    from tunesmith.decoding import Decoder

OUTPUT = "Output"
SEARCH = "Search"


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
    detokenize: Annotated[bool, option("--detokenize", "Write text as people do.")] = False
    language: Language = "en"
    subwords: options.Subwords = None
    tokens: Annotated[bool, option(
        "--tokens", "Of a model that was trained on raw text: print its tokens as they are.", OUTPUT
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
        """From a translation to the text that is printed. text: of a model that was trained on raw text."""
        if self._restores(text):
            assert text is not None
            return text.target.restore
        if self.detokenize:
            from tunesmith.corpus.tokenizers import make_tokenizer

            return make_tokenizer("moses", self.language).detokenize
        return lambda tokens: tokens

    def _restores(self, text: TextProcessing | None) -> bool:
        """Whether the model's processing of raw text is undone."""
        return text is not None and not self.tokens and not self.alignment

    def pieces_of(self, decoder: Decoder, model: TextProcessing, text: TextProcessing | None) -> str:
        """The pieces that are joined in what is printed: those typed, or those of the model.

        Undoing the processing of raw text joins them already; tokens of such a model stay as they are.
        """
        if self._restores(text):
            if self.subwords is not None:
                raise ConfigError("--subwords: this model joins its pieces itself; leave it out, or give --tokens")
            return "none"
        return self.subwords or ("none" if model and not self.detokenize else decoder.subwords)


def _limit(form: str, about: str, least: int, show_default: str = "the model's") -> Any:
    return option(form, about, SEARCH, show_default=show_default, min=least)


@dataclass(frozen=True)
class SearchLimits:
    """Options of the search that take the place of the model's; None where they do not."""

    pop_limit: Annotated[
        int | None, _limit("--pop-limit", "Hypotheses of a span or stack: more is better and slower.", 1)
    ] = None
    table_limit: Annotated[
        int | None, _limit("--table-limit", "Target sides of a source side; 0 takes all.", 0)
    ] = None
    max_span: Annotated[int | None, _limit("--max-span", "Hierarchical: source words a rule may cover.", 1)] = None
    stack_limit: Annotated[
        int | None,
        _limit("--stack-limit", "Phrase-based and left-to-right: hypotheses of a stack that are extended.", 1),
    ] = None
    distortion_limit: Annotated[
        int | None,
        _limit("--distortion-limit", "Phrase-based: words that may be jumped over; -1 is no limit.", -1),
    ] = None
    queue_diversity: Annotated[
        int | None, _limit("--queue-diversity", "Left-to-right: hypotheses that a cube begins with.", 1)
    ] = None
    max_open_spans: Annotated[int | None, _limit(
        "--max-open-spans", "Left-to-right: spans that a hypothesis has still to translate; 0 is no limit.", 0
    )] = None  # fmt: skip
    max_length: Annotated[int | None, _limit("--max-length", "Phrase-based: source words of a phrase.", 1)] = None
    punctuation_walls: Annotated[bool, option(
        "--punctuation-walls", "Phrase-based: nothing after a punctuation mark before all in front of it.", SEARCH
    )] = False  # fmt: skip
    max_words: Annotated[int | None, _limit(
        "--max-words", "Words of a line that are searched; those after them are translated one by one. 0 is no "
        "limit.", 0, "the model's, or 2000"
    )] = None  # fmt: skip
    max_pops: Annotated[int | None, _limit("--max-pops", "Hypotheses scored for one line; 0 is no limit.", 0)] = (
        None
    )
    max_edges: Annotated[int | None, _limit("--max-edges", "Edges kept for one line; 0 is no limit.", 0)] = None
    max_bytes: Annotated[
        int | None, _limit("--max-bytes", "Memory of the search for one line; 0 is no limit.", 0)
    ] = None
    timeout: Annotated[float | None, option(
        "--timeout SECONDS", "For one line; results then depend on the machine.", SEARCH, show_default="off"
    )] = None  # fmt: skip

    def changes(self) -> dict[str, Any]:
        """What the model's options are changed by."""
        return {**asdict(self), "punctuation_walls": self.punctuation_walls or None}
