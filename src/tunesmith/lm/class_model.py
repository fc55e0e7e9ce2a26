"""A language model of word classes: n-grams of classes, times the probability of each word in its class.

p(words) = Π p(class of w | classes before) · p(w | class of w)          (Brown et al. 1992)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from tunesmith import _core
from tunesmith.corpus.given_text import GivenLines, line_stream
from tunesmith.errors import ConfigError
from tunesmith.io import StrPath
from tunesmith.lm.class_file import SPECIAL, read_class_model, write_class_model
from tunesmith.lm.model import NgramModel
from tunesmith.lm.options import LmOptions
from tunesmith.lm.scores import SentenceScores, WordScores
from tunesmith.lm.scores import perplexity as perplexity_of
from tunesmith.lm.training import Progress, estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNKNOWN = "<unk>"
_DIGIT = re.compile("[0-9]")


class ClassModel:
    """N-grams of classes and counts of words in them. Read-only; threads may share it.

    A word that the map lacks is read with 0 for its digits, and if that is not there either, as `<unk>`. Where the
    map has no class for `<unk>`, such words are `<unk>` of the n-grams, and their probability in it is 1.

    classes: of the words.   counts: how often each occurred, at least 1.
    """

    def __init__(self, ngrams: NgramModel, classes: Mapping[str, str], counts: Mapping[str, int]) -> None:
        self.ngram_model, self.classes, self.counts = ngrams, dict(classes), dict(counts)
        for name in SPECIAL:
            if name in self.classes.values():
                raise ConfigError(f"a class cannot be called {name!r} in a language model of classes; rename it")
        self.order, self.notes = ngrams.order, ngrams.notes
        totals: Counter[str] = Counter()
        for word, label in self.classes.items():
            totals[label] += self.counts[word]
        self._shares = {word: self.counts[word] / totals[label] for word, label in self.classes.items()}

    @classmethod
    def train(
        cls,
        lines: GivenLines,
        classes: Mapping[str, str],
        options: LmOptions | None = None,
        *,
        progress: Progress | None = None,
    ) -> ClassModel:
        """Estimate n-grams of the classes of the text, and count its words. Lines are read once.

        Words of the map that the text lacks count as if they were there once.
        """
        seen: Counter[str] = Counter()
        known = dict(classes)

        def labels() -> Iterator[str]:
            for line in line_stream(lines):
                words = [found_word(word, known) for word in line.split()]
                seen.update(words)
                yield " ".join(known.get(word, UNKNOWN) for word in words)

        # `<unk>` is what words without a class are; no class is called so.
        settings = replace(options or LmOptions(), special="unknown")
        ngrams = estimate(labels(), settings, progress=progress).model()
        return cls(ngrams, known, {word: max(1, seen[word]) for word in known})

    @classmethod
    def load(cls, path: StrPath) -> ClassModel:
        """Read a file that `save` wrote; FormatError if it is damaged."""
        return cls(*read_class_model(path))

    def save(self, path: StrPath) -> None:
        """Write one file with words and n-grams, all or nothing."""
        write_class_model(path, self.ngram_model, self.classes, self.counts)

    def retrained(self, lines: GivenLines) -> ClassModel:
        """Return a model of other text with the same classes and order."""
        return self.train(lines, self.classes, LmOptions(order=self.order))

    def confirm(self) -> None:
        """Wait until every byte is verified; a class model is verified when it is read."""
        self.ngram_model.confirm()

    @property
    def ngrams(self) -> tuple[int, ...]:
        """How many n-grams of classes of order 1, 2, … there are."""
        return self.ngram_model.ngrams

    @cached_property
    def words(self) -> _core.ClassWords:
        """The words as the search looks them up."""
        import numpy as np

        words = list(self.classes)
        numbers = self.ngram_model.ids([self.classes[word] for word in words])
        shares = np.log10([self._shares[word] for word in words]).astype(np.float32)
        unknown, share = 0, 0.0
        if UNKNOWN in self.classes:
            at = words.index(UNKNOWN)
            unknown, share = int(numbers[at]), float(shares[at])
        return _core.ClassWords(words, numbers, shares, unknown, share)

    def inputs(self) -> dict[str, object]:
        """Return what a search makes its feature from."""
        return {"model": self.ngram_model.native, "classes": self.words}

    def known_words(self, words: Sequence[str]) -> int:
        """Return how many of the words have a class; all if `<unk>` has one, since rare words are left to it."""
        return sum(found_word(word, self.classes) in self.classes for word in words)

    def __repr__(self) -> str:
        return f"ClassModel of order {self.order} with {len(self.classes)} words"

    def score(
        self, lines: Sequence[str], *, begin: bool = True, end: bool = True, threads: int = 1
    ) -> SentenceScores:
        """Score whole lines, as `NgramModel.score`; words that the map lacks are unknown."""
        import numpy as np

        each = self.score_words(lines, begin=begin, end=end)
        starts = each.offsets
        known = np.where(each.ids == 0, 0.0, each.log10)

        def sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
            running = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
            return np.asarray(running[starts[1:]] - running[starts[:-1]])

        words = np.array([len(line.split()) for line in lines], dtype=np.int64)
        unknown = sums((each.ids == 0).astype(np.float64)).astype(np.int64)
        return SentenceScores(sums(each.log10.astype(np.float64)), sums(known.astype(np.float64)), words, unknown)

    def score_words(self, lines: Sequence[str], *, begin: bool = True, end: bool = True) -> WordScores:
        """Score as `NgramModel.score_words`: probabilities of words, lengths of the matched n-grams of classes."""
        import numpy as np

        texts, shares, unknown = [], [], []
        for line in lines:
            found = [found_word(word, self.classes) for word in line.split()]
            texts.append(" ".join(self.classes.get(word, UNKNOWN) for word in found))
            shares += [self._shares.get(word, 1.0) for word in found] + ([1.0] if end else [])
            unknown += [word == UNKNOWN for word in found] + ([False] if end else [])
        each = self.ngram_model.score_words(texts, begin=begin, end=end)
        log10 = (each.log10 + np.log10(np.array(shares))).astype(np.float32)
        ids = np.where(np.array(unknown, dtype=bool), 0, np.maximum(each.ids, 1)).astype(np.int32)
        return WordScores(each.offsets, log10, each.length, ids)

    def perplexity(self, lines: Sequence[str]) -> float | None:
        scores = self.score(lines)
        return perplexity_of(float(scores.log10.sum()), scores.tokens)


def found_word(word: str, classes: Mapping[str, str]) -> str:
    """Return the word of the map that a word is read as; `<unk>` if there is none."""
    if word in classes:
        return word
    zeros = _DIGIT.sub("0", word)
    return zeros if zeros in classes else UNKNOWN
