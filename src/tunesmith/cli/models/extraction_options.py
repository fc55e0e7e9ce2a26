"""Options about rules that `tunesmith extract` and `tunesmith train` share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

from tunesmith.cli.declaring import option
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.grammar import ExtractOptions


RULES = "Rules"


class Kind(str, Enum):
    """Kinds of rules."""

    hiero = "hiero"
    phrase = "phrase"


class ModelKind(str, Enum):
    """What rules are extracted for."""

    hiero = "hiero"
    phrase = "phrase"
    left_to_right = "left-to-right"


class SmoothingName(str, Enum):
    """Smoothing of relative frequencies."""

    none = "none"
    good_turing = "good-turing"
    kneser_ney = "kneser-ney"


@dataclass(frozen=True)
class Extraction:
    """Parallel text, and which rules are taken from it."""

    source: Annotated[str, option("--source FILE", "Source text, tokenised.")]
    target: Annotated[str, option("--target FILE", "Its translation, line by line.")]
    kind: Annotated[ModelKind, option(
        "--kind", "Hierarchical rules, phrase pairs, or hierarchical rules for search from left to right."
    )] = ModelKind.hiero  # fmt: skip
    max_span: Annotated[int, option("--max-span", "hiero: words of an initial phrase.", RULES)] = 10
    max_symbols: Annotated[int, option("--max-symbols", "hiero: symbols of a source side.", RULES)] = 5
    raw_counts: Annotated[bool, option("--raw-counts", "hiero: every rule counts 1.", RULES)] = False
    max_length: Annotated[int, option("--max-length", "phrase: words of either side.", RULES)] = 7
    reordering: Annotated[str | None, option(
        "--reordering MODEL",
        "phrase: count orientations, such as msd-bidirectional-fe, hier-mslr-bidirectional-fe, or none.",
        RULES,
    )] = None  # fmt: skip
    loose: Annotated[bool | None, option(
        "--loose/--tight", "Unaligned words at the ends of phrases are taken in too.", RULES,
        show_default="--loose for phrase",
    )] = None  # fmt: skip
    smoothing: Annotated[SmoothingName, option("--smoothing", "Of the probabilities.", RULES)] = SmoothingName.none
    top: Annotated[int, option("--top", "Rules per source side; 0 keeps all.", RULES, min=0)] = 0
    significance: Annotated[float | None, option(
        "--significance", "Least -log p of Fisher's test; 0 only stores it. Counts sentence pairs that contain "
        "the sides (phrase), or that rules with them were extracted from (hiero).", RULES, show_default="off"
    )] = None  # fmt: skip
    labels: Annotated[str | None, option("--labels FILE", "A label, such as a domain, per pair.", RULES)] = None

    def options(
        self, *, moses: bool = False, single_words: bool | None = None, **more_of_hiero: Any
    ) -> ExtractOptions:
        """Options of the extraction; ConfigError if one of the other kind of rules was given."""
        from tunesmith.grammar import ExtractOptions, HieroOptions, PhraseOptions, ReorderingOptions, ScoreOptions

        is_hiero = self.kind is not ModelKind.phrase
        if self.kind is ModelKind.left_to_right:
            more_of_hiero["normal_form"] = True
        tight = (is_hiero and not moses) if self.loose is None else not self.loose
        hiero = HieroOptions(
            self.max_span, self.max_symbols, tight=tight, fractional=not self.raw_counts, **more_of_hiero
        )
        phrase = PhraseOptions(self.max_length, tight)
        if not is_hiero and hiero != HieroOptions(tight=tight):
            raise ConfigError(
                "an option for hierarchical rules was given; phrase pairs take --max-length and --tight"
            )
        if is_hiero and phrase != PhraseOptions(tight=tight):
            raise ConfigError(
                "--max-length is for phrase pairs; hierarchical rules take --max-span and --max-symbols"
            )
        return ExtractOptions(
            hiero if is_hiero else phrase,
            ScoreOptions(
                self.smoothing.value,
                7 if moses else None,
                not moses if single_words is None else single_words,
                self.top,
                self.significance,
            ),
            None if self.reordering in (None, "none") else ReorderingOptions.parse(self.reordering),
        )
