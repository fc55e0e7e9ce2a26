"""Options about rules that `tunesmith extract` and `tunesmith train` share."""

from __future__ import annotations

import dataclasses
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
        "--kind KIND", "hiero, phrase or left-to-right."
    )] = ModelKind.hiero  # fmt: skip
    max_span: Annotated[int | None, option(
        "--max-span", "hiero: words of an initial phrase.", RULES, show_default="10, left-to-right: 15"
    )] = None  # fmt: skip
    max_symbols: Annotated[int | None, option(
        "--max-symbols", "hiero: symbols of a source side.", RULES, show_default="5, left-to-right: 7"
    )] = None  # fmt: skip
    raw_counts: Annotated[bool, option("--raw-counts", "hiero: every rule counts 1.", RULES)] = False
    counts_of_all: Annotated[
        bool,
        option(
            "--counts-of-all", "left-to-right: extract and score all rules, then keep those in normal form.", RULES
        ),
    ] = False
    max_length: Annotated[int, option("--max-length", "phrase: words of either side.", RULES)] = 7
    reordering: Annotated[str | None, option(
        "--reordering MODEL",
        "phrase: count orientations, such as msd-bidirectional-fe, hier-mslr-bidirectional-fe, or none.",
        RULES,
    )] = None  # fmt: skip
    loose: Annotated[bool | None, option(
        "--loose/--tight", "Unaligned words at the ends of phrases are taken in too.", RULES,
        show_default="--tight for hiero",
    )] = None  # fmt: skip
    smoothing: Annotated[SmoothingName, option("--smoothing", "Smoothing of the probabilities.", RULES)] = (
        SmoothingName.none
    )
    top: Annotated[int, option("--top", "Rules per source side; 0 keeps all.", RULES, min=0)] = 0
    significance: Annotated[float | None, option(
        "--significance", "Least -log p of Fisher's test; 0 only stores it. Counts sentence pairs that contain "
        "the sides (phrase), or that rules with them were extracted from (hiero).", RULES, show_default="off"
    )] = None  # fmt: skip
    labels: Annotated[str | None, option("--labels FILE", "A label, such as a domain, per pair.", RULES)] = None

    def options(
        self, *, moses: bool = False, single_words: bool | None = None, **more_of_hiero: Any
    ) -> ExtractOptions:
        """Return options of the extraction; ConfigError if one of the other kind of rules was given."""
        from tunesmith.grammar import ExtractOptions, HieroOptions, PhraseOptions, ReorderingOptions, ScoreOptions

        is_hiero, left_to_right = self.kind is not ModelKind.phrase, self.kind is ModelKind.left_to_right
        usual = HieroOptions.left_to_right() if left_to_right else HieroOptions()
        tight = (is_hiero and usual.tight and not moses) if self.loose is None else not self.loose
        typed = {"max_span": self.max_span, "max_symbols": self.max_symbols, **more_of_hiero}
        if left_to_right and typed.get("normal_form") is False:
            raise ConfigError("--kind left-to-right takes rules in normal form; leave out --no-normal-form")
        changes = {key: value for key, value in typed.items() if value is not None}
        hiero = dataclasses.replace(usual, tight=tight, fractional=not self.raw_counts, **changes)
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
            self.counts_of_all,
        )
