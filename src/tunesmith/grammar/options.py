"""What is extracted and how it is scored."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from tunesmith.checks import at_least, finite, given, one_of, within
from tunesmith.errors import ConfigError
from tunesmith.grammar.reordering import ReorderingOptions

LONGEST_SIDE = 255
SMOOTHINGS = ("none", "good-turing", "kneser-ney")


class _RuleOptions:
    """What both kinds of rules have in common. kind: the name of what is extracted."""

    kind: ClassVar[str]

    def native(self) -> Any:
        from tunesmith import _core

        native = getattr(_core, type(self).__name__)()
        for key, value in vars(self).items():
            setattr(native, key, value)
        return native


@dataclass(frozen=True)
class PhraseOptions(_RuleOptions):
    """Phrase pairs, as Och et al. (1999) and Koehn et al. (2003) extract them.

    max_length: words of either side.   tight: no unaligned words at the ends.
    """

    kind: ClassVar[str] = "phrase"

    max_length: int = 7
    tight: bool = False

    def __post_init__(self) -> None:
        within(1, LONGEST_SIDE, max_length=self.max_length)

    @property
    def longest_run(self) -> int:
        """No source side has more words in a row."""
        return self.max_length


@dataclass(frozen=True)
class HieroOptions(_RuleOptions):
    """Hierarchical rules (Chiang 2007, section 3.2, with its limits as defaults).

    max_span: words of an initial phrase, either side.   max_symbols: words and gaps of a source side.
    max_gaps: 0, 1 or 2.   min_gap: source words a gap stands for, at least.
    adjacent: gaps may stand side by side in the source side.   aligned: a link between words must be left.
    tight: initial phrases without unaligned words at their ends; Moses takes those in as well.
    normal_form: target sides are words, then gaps (Watanabe et al. 2007).
    fractional: the rules of an initial phrase share its count of 1; otherwise every rule counts 1.
    """

    kind: ClassVar[str] = "hiero"

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
        within(1, LONGEST_SIDE, max_span=self.max_span, max_symbols=self.max_symbols, min_gap=self.min_gap)
        within(0, 2, max_gaps=self.max_gaps)

    @classmethod
    def moses(cls) -> HieroOptions:
        """Return the defaults of Moses' extract-rules."""
        return cls(tight=False)

    @classmethod
    def left_to_right(cls) -> HieroOptions:
        """Return limits for left-to-right search: wider, since few rules are in normal form (left-to-right.md)."""
        return cls(
            max_span=15, max_symbols=7, min_gap=1, adjacent=True, aligned=False, tight=False, normal_form=True
        )

    @property
    def longest_run(self) -> int:
        """No source side has more words in a row."""
        return self.max_symbols


@dataclass(frozen=True)
class ScoreOptions:
    """Options of the scores, and of which rules are kept.

    smoothing: of p(e|f) and p(f|e): none, good-turing or kneser-ney (Foster et al. 2006).
    lexical_decimals: decimals of word translation probabilities, 7 in the files of Moses; None for exact.
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
        one_of(SMOOTHINGS, smoothing=self.smoothing)
        check_selection(self.top, self.significance)
        within(1, 15, **given(lexical_decimals=self.lexical_decimals))


@dataclass(frozen=True)
class ExtractOptions:
    """All of it.

    reordering: which orientations of phrase pairs are counted; None for none.
    counts_of_all: rules in normal form are chosen after all rules have been scored, so that scores are computed
        from the counts of all (Watanabe et al. 2007); otherwise no other rules are extracted.
    """

    rules: PhraseOptions | HieroOptions = field(default_factory=HieroOptions)
    scores: ScoreOptions = field(default_factory=ScoreOptions)
    reordering: ReorderingOptions | None = None
    counts_of_all: bool = False

    def __post_init__(self) -> None:
        if self.reordering is not None and self.rules.kind != "phrase":
            raise ConfigError(
                "lexicalised reordering is for phrase pairs; hierarchical rules carry their own order"
            )
        if self.counts_of_all and not getattr(self.rules, "normal_form", False):
            raise ConfigError(
                "counts of all rules are for rules in normal form, which are chosen among all of them"
            )

    @classmethod
    def moses(cls, kind: str) -> ExtractOptions:
        """Return the defaults of Moses' train-model.perl."""
        scores = ScoreOptions(lexical_decimals=7, single_words=False)
        return cls(HieroOptions.moses() if kind == "hiero" else PhraseOptions(), scores)

    def settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = {"rules": asdict(self.rules), "scores": asdict(self.scores)}
        if self.scores.significance is not None:
            settings["significance_counts"] = "containment" if self.rules.kind == "phrase" else "extraction"
        if self.reordering is not None:
            settings["reordering"] = asdict(self.reordering)
        if self.counts_of_all:
            settings["counts_of_all"] = True
        return settings


def check_selection(top: int, significance: float | None) -> None:
    """Raise ConfigError for what no rules can be chosen by."""
    within(0, 2**31 - 1, top=top)
    at_least(0, **given(significance=significance))
    finite(**given(significance=significance))
