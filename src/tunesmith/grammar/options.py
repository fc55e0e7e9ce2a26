"""What is extracted and how it is scored."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from tunesmith.errors import ConfigError
from tunesmith.grammar.reordering import ReorderingOptions

LONGEST_SIDE = 255
SMOOTHINGS = ("none", "good-turing", "kneser-ney")


@dataclass(frozen=True)
class PhraseOptions:
    """Phrase pairs, as Och et al. (1999) and Koehn et al. (2003) extract them.

    max_length: words of either side.   tight: no unaligned words at the ends.
    """

    max_length: int = 7
    tight: bool = False

    def __post_init__(self) -> None:
        _check_range("max_length", self.max_length, 1, LONGEST_SIDE)

    @property
    def kind(self) -> str:
        """The name of what these options extract."""
        return "phrase"

    @property
    def longest_run(self) -> int:
        """No source side has more words in a row."""
        return self.max_length

    def native(self) -> Any:
        """The same for the core."""
        return _native("PhraseOptions", self)


@dataclass(frozen=True)
class HieroOptions:
    """Hierarchical rules (Chiang 2007, section 3.2, with its limits as defaults).

    max_span: words of an initial phrase, either side.   max_symbols: words and gaps of a source side.
    max_gaps: 0, 1 or 2.   min_gap: source words a gap stands for, at least.
    adjacent: gaps may stand side by side in the source side.   aligned: a link between words must be left.
    tight: initial phrases without unaligned words at their ends; Moses takes those in as well.
    normal_form: target sides are words, then gaps (Watanabe et al. 2007).
    fractional: the rules of an initial phrase share its count of 1; otherwise every rule counts 1.
    """

    max_span: int = 10
    max_symbols: int = 5
    max_gaps: int = 2
    min_gap: int = 2
    adjacent: bool = False
    aligned: bool = True
    tight: bool = True
    normal_form: bool = False
    fractional: bool = True

    def __post_init__(self) -> None:
        _check_range("max_span", self.max_span, 1, LONGEST_SIDE)
        _check_range("max_symbols", self.max_symbols, 1, LONGEST_SIDE)
        _check_range("max_gaps", self.max_gaps, 0, 2)
        _check_range("min_gap", self.min_gap, 1, LONGEST_SIDE)

    @classmethod
    def moses(cls) -> HieroOptions:
        """The defaults of Moses' extract-rules."""
        return cls(tight=False)

    @property
    def kind(self) -> str:
        """The name of what these options extract."""
        return "hiero"

    @property
    def longest_run(self) -> int:
        """No source side has more words in a row."""
        return self.max_symbols

    def native(self) -> Any:
        """The same for the core."""
        return _native("HieroOptions", self)


@dataclass(frozen=True)
class ScoreOptions:
    """Scores and what is kept.

    smoothing: of p(e|f) and p(f|e): none, good-turing or kneser-ney (Foster et al. 2006).
    lexical_decimals: word translation probabilities are rounded to so many, in Moses' files 7; None for exact.
    single_words: make a rule for each word that occurs inside longer rules only.
    top: rules kept per source side, by joint count; 0 for all.
    significance: drop rules whose -log p of Fisher's exact test is below this; None for all. Phrase pairs are
    tested on the sentence pairs that contain the sides (Johnson et al. 2007), hierarchical rules on those they
    were extracted from.
    """

    smoothing: str = "none"
    lexical_decimals: int | None = None
    single_words: bool = True
    top: int = 0
    significance: float | None = None

    def __post_init__(self) -> None:
        if self.smoothing not in SMOOTHINGS:
            raise ConfigError(f"smoothing {self.smoothing!r} is not known; choose one of {', '.join(SMOOTHINGS)}")
        check_selection(self.top, self.significance)
        if self.lexical_decimals is not None:
            _check_range("lexical_decimals", self.lexical_decimals, 1, 15)


@dataclass(frozen=True)
class ExtractOptions:
    """All of it. reordering: which orientations of phrase pairs are counted; None for none."""

    rules: PhraseOptions | HieroOptions = field(default_factory=HieroOptions)
    scores: ScoreOptions = field(default_factory=ScoreOptions)
    reordering: ReorderingOptions | None = None

    def __post_init__(self) -> None:
        if self.reordering is not None and self.rules.kind != "phrase":
            raise ConfigError(
                "lexicalised reordering is for phrase pairs; hierarchical rules carry their own order"
            )

    @classmethod
    def moses(cls, kind: str) -> ExtractOptions:
        """As Moses' train-model.perl does by default."""
        scores = ScoreOptions(lexical_decimals=7, single_words=False)
        return cls(HieroOptions.moses() if kind == "hiero" else PhraseOptions(), scores)

    def settings(self) -> dict[str, Any]:
        """For the manifest."""
        settings: dict[str, Any] = {"rules": asdict(self.rules), "scores": asdict(self.scores)}
        if self.scores.significance is not None:
            settings["significance_counts"] = "containment" if self.rules.kind == "phrase" else "extraction"
        if self.reordering is not None:
            settings["reordering"] = asdict(self.reordering)
        return settings


def check_selection(top: int, significance: float | None) -> None:
    """Raise ConfigError for what no rules can be chosen by."""
    if not 0 <= top < 2**31:
        raise ConfigError(f"top must be from 0 to {2**31 - 1}, not {top}")
    if significance is not None and not 0 <= significance < math.inf:
        raise ConfigError(f"significance must be a number from 0, not {significance}")


def _check_range(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise ConfigError(f"{name} must be from {low} to {high}, not {value}")


def _native(name: str, options: PhraseOptions | HieroOptions) -> Any:
    from tunesmith import _core

    native = getattr(_core, name)()
    for key, value in asdict(options).items():
        setattr(native, key, value)
    return native
