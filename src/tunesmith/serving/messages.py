"""Requests and answers of the server, as JSON. The OpenAPI document is made from these classes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

Score = float
MOST_NBEST = 1000


class TranslateRequest(Struct, forbid_unknown_fields=True, frozen=True):
    """Sentences to translate, one translation or an n-best list of each."""

    sentences: list[str]
    nbest: Annotated[int, Meta(ge=1, le=MOST_NBEST, description="Translations of each sentence.")] = 1
    distinct: Annotated[bool, Meta(description="Only different translations in n-best lists.")] = False
    features: Annotated[bool, Meta(description="Feature values of each translation.")] = False
    alignment: Annotated[bool, Meta(description="Word alignment of each translation, of tokens.")] = False
    explain: Annotated[bool, Meta(description="Derivation of the best translation, with feature scores.")] = False
    tokenized: Annotated[bool, Meta(description="Take and return tokens, though the model has a tokeniser.")] = (
        False
    )
    weights: Annotated[str, Meta(description="Name of served weights; the first ones by default.")] = ""
    label: Annotated[str, Meta(description="Domain of the sentences, where the model has domains.")] = ""
    changes: Annotated[dict[str, float], Meta(description="Weights that replace the served ones, by name.")] = {}


class Candidate(Struct, omit_defaults=True, frozen=True):
    """One translation of an n-best list."""

    text: str
    score: Score
    features: dict[str, float] | None = None
    alignment: list[tuple[int, int]] | None = None


class RuleStep(Struct, frozen=True):
    """A rule of a derivation: the source words it covers and its own score. parent: the rule it is put into.

    Rules stand before the rules that fill their gaps; the first one has the parent -1.
    """

    rule: str
    begin: int
    end: int
    score: Score
    parent: int


class Contribution(Struct, frozen=True):
    """What a feature adds to the score of a translation."""

    feature: str
    value: float
    weight: float
    score: Score


class Explanation(Struct, frozen=True):
    """Where a translation and its score come from."""

    source: list[str]
    target: list[str]
    alignment: list[tuple[int, int]]
    derivation: list[RuleStep]
    contributions: list[Contribution]


class Translated(Struct, omit_defaults=True, frozen=True):
    """The translation of a sentence. limited: a limit of the search was reached."""

    text: str
    score: Score
    limited: bool = False
    nbest: list[Candidate] | None = None
    explanation: Explanation | None = None


class TranslateAnswer(Struct, frozen=True):
    """Translations in the order of the sentences."""

    translations: list[Translated]


class Item(Struct, frozen=True):
    """A translation to be ranked, with its features."""

    text: str
    features: dict[str, float]


class RerankRequest(Struct, forbid_unknown_fields=True, frozen=True):
    """N-best lists to rank, by served weights or by weights of the request."""

    lists: list[list[Item]]
    weights: dict[str, float] | str = ""


class Ranked(Struct, frozen=True):
    """A translation with its score and its rank in the posted list, from 0."""

    text: str
    score: Score
    rank: int


class RerankAnswer(Struct, frozen=True):
    """The lists, best translation first."""

    lists: list[list[Ranked]]


class WeightsAnswer(Struct, frozen=True):
    """Served weights: their name, their signature, and the values of dense features."""

    name: str
    signature: str
    active: int
    dense: dict[str, float]


class ModelAnswer(Struct, omit_defaults=True, frozen=True):
    """The served model and its weights.   domains: what a label may be, where the model has domains."""

    model: str
    kind: str
    signature: str
    raw_text: bool
    weights: list[WeightsAnswer]
    domains: list[str] | None = None


class HealthAnswer(Struct, frozen=True):
    """Whether the server takes requests, and what it is doing."""

    status: str
    version: str
    waiting: int


class ReloadRequest(Struct, forbid_unknown_fields=True, frozen=True):
    """Nothing to say: all files of weights are read again."""


class ReloadAnswer(Struct, frozen=True):
    """Names of the weights that were read again."""

    reloaded: list[str]


class ErrorAnswer(Struct, frozen=True):
    """Why a request was refused, in one sentence."""

    error: str


class RunRow(Struct, frozen=True):
    """A tuning run or an experiment of the folder that is shown. best: of the metric, None before round 1.

    done: stages of a running experiment that are done.   working: a stage that has begun.
    written: when the report of an experiment was written, in seconds since 1970.
    """

    name: str
    kind: str
    state: str
    recipe: str = ""
    round: int = 0
    rounds: int = 0
    best_round: int | None = None
    best: float | None = None
    metric: str = ""
    seconds: float = 0.0
    report: bool = False
    done: int = 0
    working: str = ""
    written: float = 0.0


class RunsAnswer(Struct, frozen=True):
    """Runs and experiments below the folder, in order of their names."""

    runs: list[RunRow]


class RoundRow(Struct, frozen=True):
    """A round of a run: its score where it is tuned, and the length of the output by that of the references."""

    round: int
    score: float
    length: float | None = None


class HistoryAnswer(Struct, frozen=True):
    """Rounds of a run so far."""

    name: str
    state: str
    metric: str
    rounds: list[RoundRow]
