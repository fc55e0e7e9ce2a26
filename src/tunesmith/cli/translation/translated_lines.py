"""What `tunesmith translate` prints of some lines: translations, n-best lists or derivations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from tunesmith.cli.console import remark
from tunesmith.cli.printing import visible
from tunesmith.cli.translation.unknown_words import UnknownWords
from tunesmith.corpus.subwords import join_line, word_numbers
from tunesmith.corpus.text_files import labelled

if TYPE_CHECKING:
    from tunesmith.cli.translation.labelled_lines import Labels
    from tunesmith.cli.translation.translate_options import Shown
    from tunesmith.corpus.text_processing import TextProcessing
    from tunesmith.decoding import Decoder, Decoding
    from tunesmith.decoding.work.kinds import FoundLine
    from tunesmith.grammar import LeaveOneOutCounts
    from tunesmith.search import CandidateSet
    from tunesmith.search.graphs.graph_bayes_risk import GraphBayesRisk

    Elsewhere = Callable[[Sequence[str], int], Iterator[FoundLine]]
    """Decodes lines elsewhere; the second argument is the number of the first of them."""


class Translated:
    """Lines in the order they come, some at a time; remarks count them from the first of all.

    text: from raw text to tokens and back; None where lines are tokens already.
    subwords: pieces of the model's tokens that are joined to words.
    risk: minimum Bayes risk instead of the best score.
    elsewhere: decodes blocks of lines in place of the threads here.
    labels: gives the domain of each line; None for a model without domains.
    """

    def __init__(
        self,
        decoder: Decoder,
        shown: Shown,
        text: TextProcessing | None,
        threads: int = 1,
        leave_one_out: LeaveOneOutCounts | None = None,
        *,
        elsewhere: Elsewhere | None = None,
        subwords: str = "none",
        risk: GraphBayesRisk | None = None,
        labels: Labels | None = None,
        quiet: bool = False,
    ) -> None:
        self._decoder, self._shown, self._text, self._own = decoder, shown, text, leave_one_out
        self._threads, self._quiet, self._elsewhere = threads, quiet, elsewhere
        self._change = shown.output(text)
        self._subwords, self._risk, self._labels = subwords, risk, labels
        self._unknown = UnknownWords(decoder.table.source_vocabulary, raw=text is None)
        self.done = 0
        """Lines whose translations were handed out, that of the last item among them."""

    def __call__(self, lines: Sequence[str]) -> Iterator[str]:
        """Yield the text of these lines, for each line one item."""
        labels = None
        if self._labels is not None:
            labels, lines = self._labels.split(lines)
        tokens = lines if self._text is None else self._text.sources(lines)
        self._unknown.count(tokens)
        leave_one_out = self._own_of(tokens)
        given = tokens if labels is None else labelled(tokens, labels)
        if self._shown.kbest is not None:
            yield from self._lists(given, self._shown.kbest, leave_one_out)
            return
        for line, decoding in zip(tokens, self._decoded(given, leave_one_out), strict=True):
            if decoding.timed_out:
                self._remark("the time was up; its translation depends on the machine")
            elif decoding.limited:
                self._remark(self._cut_short(line))
            text = self._explained(line, decoding) if self._shown.explain else self._best(decoding)
            self.done += 1
            yield text

    def _decoded(
        self, lines: Sequence[str], leave_one_out: LeaveOneOutCounts | None
    ) -> Iterator[Decoding | FoundLine]:
        """Decode lines through the one interface of execution, here on threads."""
        from tunesmith import execution

        if self._elsewhere is not None:
            return self._elsewhere(lines, self.done)

        def decode(block: Sequence[str], threads: int) -> list[Decoding]:
            if self._risk is None:
                return self._decoder.k_best(block, 1, threads=threads, leave_one_out=leave_one_out)
            from tunesmith.decoding.bayes_risk import least_risk

            return list(least_risk(self._decoder, block, self._risk, threads=threads, leave_one_out=leave_one_out))

        work: execution.Opened[Sequence[str], list[Decoding]] = execution.Opened(
            lambda threads: lambda block: decode(block, threads)
        )
        [found] = execution.map(work, [lines], execution.Here(self._threads))
        return iter(found)

    def finish(self) -> None:
        """Say what is only known at the end."""
        self._unknown.report()

    def _best(self, decoding: Decoding | FoundLine) -> str:
        """Return words, not their pieces; links go from words of the given line to words of the translation."""
        pieces = decoding.best.text
        text = self._change(join_line(pieces, self._subwords))
        if not self._shown.alignment:
            return f"{text}\n"
        word = word_numbers(pieces, self._subwords)
        links = sorted({(source, word[target]) for source, target in decoding.best.alignment})
        return f"{text} ||| {_pharaoh(links)}\n"

    def _explained(self, line: str, decoding: Decoding | FoundLine) -> str:
        """Return the derivation of the best translation, and where its score comes from."""
        from tunesmith.cli.translation.explain import explain

        decoded = cast("Decoding", decoding)  # lines of a cluster are not explained: `translate` refuses that
        lines = explain(self.done + 1, line, decoded.best, self._decoder)
        return "".join(f"{visible(text)}\n" for text in lines)

    def _lists(self, lines: Sequence[str], k: int, leave_one_out: LeaveOneOutCounts | None) -> Iterator[str]:
        """Yield n-best lists; the features named are the dense ones and those that fire."""
        from tunesmith.decoding import ListDecoder, fired_features
        from tunesmith.search.dialects import MosesDialect

        distinct, writer = self._shown.distinct, MosesDialect()
        arrays = self._decoder.candidate_arrays(
            lines, k, distinct=distinct, threads=self._threads, leave_one_out=leave_one_out
        )
        for at in arrays.limited.nonzero()[0].tolist():
            self._remark(self._cut_short(lines[at]), at)
        fired, dense = fired_features(ListDecoder(self._decoder).candidate_set(arrays))
        if self._shown.alignment:
            fired = self._aligned(fired, lines, k, leave_one_out)
        text = "".join(writer.write(fired, self.done, in_every_line=dense))
        self.done += len(lines)
        yield text

    def _aligned(
        self, lists: CandidateSet, lines: Sequence[str], k: int, leave_one_out: LeaveOneOutCounts | None
    ) -> CandidateSet:
        """Return the lists with the word alignment of each derivation after its score, as Moses prints it.

        Lists are flat arrays, which know no alignment: the same search is done again for it.
        """
        from tunesmith.search.lists.words import WordLists

        found = self._decoder.stream(
            lines, k, distinct=self._shown.distinct, threads=self._threads, leave_one_out=leave_one_out
        )
        links = [_pharaoh(each.alignment) for decoding in found for each in decoding]
        return lists.replaced(rest=WordLists.from_texts(links))

    def _own_of(self, lines: Sequence[str]) -> LeaveOneOutCounts | None:
        """Return leave-one-out counts of these lines; checked here, messages count lines from the first of all."""
        if self._own is None:
            return None
        self._own.check_lines(lines, self.done)
        return self._own.select(range(self.done, self.done + len(lines)))

    def _cut_short(self, line: str) -> str:
        most = self._decoder.options.max_words
        if not 0 < most < len(line.split()):
            return "a limit of the search was reached"
        return (
            f"a limit of the search was reached: words after the first {most} are translated one by one. "
            "Split the line, or set --max-words"
        )

    def _remark(self, message: str, at: int = 0) -> None:
        remark(f"line {self.done + at + 1}: {message}", quiet=self._quiet)


def _pharaoh(links: Sequence[tuple[int, int]]) -> str:
    return " ".join(f"{s}-{t}" for s, t in links)
