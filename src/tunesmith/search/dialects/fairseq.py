"""Output of fairseq-generate: `S-`, `T-`, `H-`, `D-`, `P-`, `A-` lines (cpp/search/lists/fairseq_lists.hpp)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.search.dialects.base import NOT_MINE, Detection, Dialect, ListFile, dialects
from tunesmith.search.dialects.input import ListInput
from tunesmith.search.dialects.numbers import short_values
from tunesmith.search.dialects.parts import by_sentence, read_whole
from tunesmith.search.lists.candidates import CandidateSet

_LINE = re.compile(r"([A-Z])-(\d{1,18})(?:_\d+)?\t(.*)", re.ASCII | re.DOTALL)
_SEPARATOR = "|||"
SCORE, LOGPROB = "score", "logprob"


@dialects.register("fairseq")
class FairseqDialect(Dialect):
    """What `fairseq-generate` and `fairseq-interactive` print (fairseq_cli/generate.py of fairseq).

    Features: `score`, what stands in the H line (the log probability divided by the length, as fairseq was
    set up), and `logprob`, the sum of the P line. The words are those of D, of H where there is no D. After the
    score are kept: H where D has other words, P and A. Sentences come in any order; T lines are references.
    """

    name: ClassVar[str] = "fairseq"

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        for line in head:
            found = _LINE.match(line)
            if found and found[1] in "HSTD":
                return Detection(0.95, f"lines such as {found[1]}-{found[2]} of fairseq")
        return NOT_MINE

    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """Read lists; lines of other kinds (the log, E- and I- lines) are passed over."""
        reader = _core.FairseqReader(skip_bad)
        found = read_whole(reader, data, self.name)
        sources: dict[int, str] = {}
        references: dict[int, list[str]] = {}
        for sentence, is_reference, text in reader.texts():
            if is_reference:
                references.setdefault(sentence, []).append(text)
            else:
                sources[sentence] = text
        size = found.candidates.sentences
        return replace(found, sources=by_sentence(sources, size), references=_references(references, size))

    def write(self, candidates: CandidateSet, first: int = 0, *, lossy: bool = False) -> Iterator[str]:
        """Yield H and D lines, and P and A lines where they were read from such a file."""
        self.words(candidates)
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


def _references(found: dict[int, list[str]], sentences: int) -> list[list[str]] | None:
    present = {at: list(dict.fromkeys(texts)) for at, texts in found.items() if any(map(str.strip, texts))}
    return by_sentence(present, sentences)
