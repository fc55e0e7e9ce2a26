"""Output of fairseq-generate: `S-`, `T-`, `H-`, `D-`, `P-`, `A-` lines with the number of the sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.dialects.base import NOT_MINE, BadLines, Detection, Dialect, ListFile, dialects
from tunesmith.search.dialects.input import BadLineLog, ListInput
from tunesmith.search.dialects.numbers import number_of, short_values
from tunesmith.search.dialects.rows import BadRowError, RowBuilder

_LINE = re.compile(r"([A-Z])-(\d{1,18})(?:_\d+)?\t(.*)", re.ASCII | re.DOTALL)
_SEPARATOR = "|||"
SCORE, LOGPROB = "score", "logprob"


@dialects.register("fairseq")
class FairseqDialect(Dialect):
    """What `fairseq-generate` and `fairseq-interactive` print (fairseq_cli/generate.py of fairseq).

    Features: `score`, what stands in the H line (the log probability divided by the length, as fairseq was told
    to), and `logprob`, the sum of the P line. The words are those of D, of H where there is no D. Behind the
    score are kept: H where D has other words, P and A. Sentences come in any order; T lines are references.
    """

    name: ClassVar[str] = "fairseq"

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        """A line that begins with H- and a number, or with S- or T-."""
        for line in head:
            found = _LINE.match(line)
            if found and found[1] in "HSTD":
                return Detection(0.95, f"lines such as {found[1]}-{found[2]} of fairseq")
        return NOT_MINE

    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """Lines of other kinds (the log, E- and I- lines) are passed over."""
        bad = BadLineLog(data.name, skip=skip_bad)
        reading = _Reading(bad)
        for number, line in data.lines(bad):
            found = _LINE.match(line)
            if found is None:
                if re.match(r"[HDP]-\d", line):
                    bad.add(number, f"{line[:20]!r}: a number and, behind a tabulator, more was expected")
                continue
            reading.line(number, found[1], int(found[2]), found[3])
        reading.end_candidate()
        candidates = reading.rows.finish()
        return ListFile(
            candidates,
            self.name,
            sources=_by_sentence(reading.sources, candidates.sentences),
            references=_references(reading.references, candidates.sentences),
            bad=BadLines(bad.count, tuple(bad.listed)),
        )

    def write(self, candidates: CandidateSet, first: int = 0, *, lossy: bool = False) -> Iterator[str]:
        """H and D lines, and P and A lines where they were read from such a file."""
        if candidates.words is None:
            raise ConfigError("candidates without words cannot be written as an n-best list")
        names = list(candidates.features)[: candidates.columns]
        others = [name for name in names if name not in (SCORE, LOGPROB)]
        if others:
            self.lost(f"features besides score ({', '.join(others[:3])}, …)", lossy=lossy)
        scores = candidates.model_scores
        if scores is None:
            if SCORE not in names:
                raise ConfigError("lists of fairseq have a score in every line, these have none")
            column = candidates.rows()[:, [names.index(SCORE)]].toarray().reshape(-1)
            scores = np.array(short_values(candidates, column))
        for sentence in range(candidates.sentences):
            yield "".join(
                self._lines(candidates, at, first + sentence, float(scores[at]), lossy)
                for at in candidates.candidates_of(sentence)
            )

    def _lines(self, candidates: CandidateSet, at: int, sentence: int, score: float, lossy: bool) -> str:
        kept: dict[str, str] = {}
        if candidates.rest is not None:
            for piece in candidates.rest.text(at).split(f" {_SEPARATOR} "):
                label, _, text = piece.partition("= ")
                if label in ("H", "P", "A"):
                    kept[label] = text
                elif piece:
                    self.lost(f"what follows the score ({piece[:20]})", lossy=lossy)
        words = candidates.text(at)
        lines = [f"H-{sentence}\t{score!r}\t{kept.get('H', words)}", f"D-{sentence}\t{score!r}\t{words}"]
        lines += [f"{label}-{sentence}\t{kept[label]}" for label in ("P", "A") if label in kept]
        return "\n".join(lines) + "\n"


class _Reading:
    """The candidate whose lines are being read, and all that came before."""

    def __init__(self, bad: BadLineLog) -> None:
        self.bad = bad
        self.rows = RowBuilder()
        self.sources: dict[int, str] = {}
        self.references: dict[int, list[str]] = {}
        self._open: tuple[int, int, float, str] | None = None  # line, sentence, score, words of H
        self._more: dict[str, str] = {}
        self._dropped: int | None = None  # the sentence of an H line that was left out

    def line(self, number: int, kind: str, sentence: int, text: str) -> None:
        if kind == "S":
            self.sources[sentence] = text
        elif kind == "T":
            self.references.setdefault(sentence, []).append(text)
        elif kind == "H":
            self.end_candidate()
            score, _, words = text.partition("\t")
            self._dropped = None
            try:
                self._open = (number, sentence, number_of(score, "the score"), words)
            except BadRowError as error:
                self._dropped = sentence
                self.bad.add(number, str(error))
        elif kind in "DPA":
            self._part(number, kind, sentence, text)

    def _part(self, number: int, kind: str, sentence: int, text: str) -> None:
        """A line that belongs to the H line before it; where that was left out, so is this."""
        if self._open is None or self._open[1] != sentence or kind in self._more:
            if self._open is None and self._dropped == sentence:
                return
            self.bad.add(number, f"{kind}-{sentence} does not follow an H-{sentence}, to which it would belong")
            return
        self._more[kind] = text.partition("\t")[2] if kind == "D" else text

    def end_candidate(self) -> None:
        if self._open is None:
            return
        (number, sentence, score, words), more = self._open, self._more
        self._open, self._more = None, {}
        try:
            features = [(SCORE, score)]
            pieces = []
            text = more.get("D", words)
            if text.split() != words.split():
                pieces.append(f"H= {words}")
            if "P" in more:
                features.append((LOGPROB, sum(number_of(word, "the word score") for word in more["P"].split())))
                pieces.append(f"P= {more['P']}")
            if "A" in more:
                pieces.append(f"A= {more['A']}")
            if _SEPARATOR in words.split():
                raise BadRowError("the word ||| separates fields and cannot be one of a translation")
            self.rows.add(sentence, text, features, score, f" {_SEPARATOR} ".join(pieces))
        except BadRowError as error:
            self.bad.add(number, str(error))


def _by_sentence(found: dict[int, str], sentences: int) -> list[str] | None:
    if not found or not all(sentence in found for sentence in range(sentences)):
        return None
    return [found[sentence] for sentence in range(sentences)]


def _references(found: dict[int, list[str]], sentences: int) -> list[list[str]] | None:
    if not found or not all(any(map(str.strip, found.get(at, []))) for at in range(sentences)):
        return None
    return [list(dict.fromkeys(found[sentence])) for sentence in range(sentences)]
