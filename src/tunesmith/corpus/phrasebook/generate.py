"""Draw a corpus: training pairs with noise, and evaluation sets with many references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tunesmith.checks import whole_number, within
from tunesmith.corpus.phrasebook.corpus import EvalSentence, Pair, PhrasebookCorpus
from tunesmith.corpus.phrasebook.phrasebook import Phrasebook
from tunesmith.corpus.phrasebook.realise import realise, references
from tunesmith.errors import ConfigError

Progress = Callable[[int, int], None]
"""Called with (sentences done, sentences in all)."""

UNSEEN_TARGET = 0.042
"""Share of source tokens of an evaluation set that training does not have: within 2-5 %."""
HELD_OUT_RATE = 0.6
"""Chance of a held-out entry in a class that has some, while a set is below the target."""
UNSEEN_SLACK = 1.1
"""A sentence that takes a set above target x slack is not kept (if it has unseen words)."""
PROGRESS_EVERY = 500
PATIENCE = 60
"""Draws after which any share of unseen words is accepted: a small training set has no better."""
ATTEMPTS = 400
"""Draws made for one evaluation sentence before giving up."""


@dataclass(frozen=True)
class PhrasebookOptions:
    """Size and seed of a corpus. Equal options give equal bytes on every Python version.

    noise: share of training pairs with another one's English. references: most per sentence.
    """

    pairs: int = 20000
    seed: int = 1
    noise: float = 0.02
    eval_sentences: int = 500
    references: int = 16

    def __post_init__(self) -> None:
        whole_number(1, 10_000_000, pairs=self.pairs)
        whole_number(0, 2**63 - 1, seed=self.seed)
        whole_number(1, 5000, eval_sentences=self.eval_sentences)
        whole_number(1, 64, references=self.references)
        within(0, 1, noise=self.noise)


def generate(
    options: PhrasebookOptions | None = None, grammar: Phrasebook | None = None, progress: Progress | None = None
) -> PhrasebookCorpus:
    """Return the corpus of `options`, from the built-in grammar unless another is given.

    Training is drawn first; evaluation sentences are then drawn until neither source nor any
    reference is a training line and no source repeats.
    """
    options = options or PhrasebookOptions()
    grammar = grammar or Phrasebook.load()
    total = options.pairs + 3 * options.eval_sentences
    random = Random(options.seed)
    train: list[Pair] = []
    for index in range(options.pairs):
        derivation = grammar.derive(random)
        train.append(Pair(derivation.source(), realise(derivation, grammar.morphology, random)))
        if progress is not None and index % PROGRESS_EVERY == 0:
            progress(index, total)
    mixed, noisy = _noisy(train, options.noise, random)
    drawer = _EvaluationDrawer(grammar, options, random, train)
    sets = []
    for number in range(3):
        sets.append(drawer.draw())
        if progress is not None:
            progress(options.pairs + (number + 1) * options.eval_sentences, total)
    return PhrasebookCorpus(options.references, mixed, sets[0], sets[1], sets[2], noisy)


def _noisy(train: list[Pair], share: float, random: Random) -> tuple[list[Pair], list[int]]:
    """Rotate the targets of a random share of the pairs, so that none keeps its own; returns which, too.

    Pairs are chosen with different targets; else a rotation could hand over an equal sentence.
    """
    wanted = round(share * len(train))
    if wanted == 1:
        wanted = 2
    order = sorted((random.random(), index) for index in range(len(train)))
    chosen: list[int] = []
    targets: set[str] = set()
    for _, index in order:
        if len(chosen) == wanted:
            break
        if train[index].target not in targets:
            targets.add(train[index].target)
            chosen.append(index)
    if len(chosen) < 2:
        return train, []
    mixed = list(train)
    for index, donor in zip(chosen, chosen[1:] + chosen[:1], strict=True):
        mixed[index] = Pair(train[index].source, train[donor].target)
    return mixed, sorted(chosen)


class _EvaluationDrawer:
    """Generator of evaluation sets that share nothing with training or with each other."""

    def __init__(self, grammar: Phrasebook, options: PhrasebookOptions, random: Random, train: list[Pair]) -> None:
        self._grammar = grammar
        self._options = options
        self._random = random
        self._sources = {pair.source for pair in train}
        self._targets = {pair.target for pair in train}
        self._vocabulary = {word for pair in train for word in pair.source.split()}

    def draw(self) -> list[EvalSentence]:
        """Return one set. Held-out entries are drawn whenever its unseen share is below the target."""
        chosen: list[EvalSentence] = []
        tokens = unseen = 0
        for _ in range(self._options.eval_sentences):
            rate = HELD_OUT_RATE if unseen <= UNSEEN_TARGET * tokens else 0.0
            sentence = self._next(rate, tokens, unseen)
            words = sentence.source.split()
            tokens += len(words)
            unseen += self._unseen(words)
            self._sources.add(sentence.source)
            chosen.append(sentence)
        return chosen

    def _next(self, rate: float, tokens: int, unseen: int) -> EvalSentence:
        """Draw until a sentence is new and does not lift the unseen share too far."""
        for attempt in range(ATTEMPTS):
            derivation = self._grammar.derive(self._random, held_out_rate=rate)
            source = derivation.source()
            words = source.split()
            strange = self._unseen(words)
            limit = UNSEEN_TARGET * UNSEEN_SLACK * (tokens + len(words)) + 1
            too_strange = strange > 0 and tokens > 0 and unseen + strange > limit
            if source in self._sources or (too_strange and attempt < PATIENCE):
                continue
            found = references(derivation, self._grammar.morphology, self._random, self._options.references)
            if self._targets.isdisjoint(found):
                return EvalSentence(source, tuple(found))
        raise ConfigError(
            f"no evaluation sentence apart from training in {ATTEMPTS} draws with"
            f" pairs={self._options.pairs}; ask for fewer pairs or evaluation sentences"
        )

    def _unseen(self, words: list[str]) -> int:
        return sum(word not in self._vocabulary for word in words)
