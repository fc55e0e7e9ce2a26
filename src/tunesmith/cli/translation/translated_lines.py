"""What `tunesmith translate` prints of some lines: translations, n-best lists or derivations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tunesmith.cli.console import remark
from tunesmith.cli.printing import visible
from tunesmith.cli.translation.unknown_words import UnknownWords
from tunesmith.corpus.subwords import join_line, word_numbers
from tunesmith.corpus.text_files import labelled

if TYPE_CHECKING:
    from tunesmith.cli.translation.labelled_lines import Labels
    from tunesmith.cli.translation.searching import Searching
    from tunesmith.cli.translation.translate_options import Shown
    from tunesmith.corpus.text_processing import TextProcessing
    from tunesmith.decoding import Decoding
    from tunesmith.decoding.work.kinds import FoundLine
    from tunesmith.decoding.work.spec import OpenDecoder


class Translated:
    """Lines in the order they come, some at a time; remarks count them from the first of all.

    text: from raw text to tokens and back; None where lines are tokens already.
    searching: decodes them.
    subwords: pieces of the model's tokens that are joined to words.
    labels: gives the domain of each line; None for a model without domains.
    """

    def __init__(
        self,
        opened: OpenDecoder,
        shown: Shown,
        text: TextProcessing | None,
        searching: Searching,
        *,
        subwords: str = "none",
        labels: Labels | None = None,
        quiet: bool = False,
    ) -> None:
        self._decoder, self._own = opened.decoder, opened.leave_one_out
        self._shown, self._text, self._searching, self._quiet = shown, text, searching, quiet
        self._change = shown.output(text)
        self._subwords, self._labels = subwords, labels
        self._unknown = UnknownWords(opened.decoder.table.source_vocabulary, raw=text is None)
        self.done = 0
        """Lines whose translations were handed out, that of the last item among them."""

    def __call__(self, lines: Sequence[str]) -> Iterator[str]:
        """Yield the text of these lines, for each line one item."""
        labels = None
        if self._labels is not None:
            labels, lines = self._labels.split(lines)
        tokens = lines if self._text is None else self._text.sources(lines)
        self._unknown.count(tokens)
        if self._own is not None:
            self._own.check_lines(tokens, self.done)  # here, since messages count lines from the first of all
        given = tokens if labels is None else labelled(tokens, labels)
        if self._shown.kbest is not None:
            yield from self._lists(given)
            return
        for line, decoding in zip(tokens, self._searching.decoded(given, self.done), strict=True):
            if decoding.timed_out:
                self._remark("the time was up; its translation depends on the machine")
            elif decoding.limited:
                self._remark(self._cut_short(line))
            text = self._explained(line, decoding) if self._shown.explain else self._best(decoding)
            self.done += 1
            yield text

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
        from tunesmith.decoding.explanation import explained
        from tunesmith.decoding.work.kinds import FoundLine

        found = (
            decoding.explanation
            if isinstance(decoding, FoundLine)
            else explained(line, decoding.best, self._decoder)
        )
        assert found is not None
        lines = explain(self.done + 1, line, found, self._decoder.language_models)
        return "".join(f"{visible(text)}\n" for text in lines)

    def _lists(self, lines: Sequence[str]) -> Iterator[str]:
        """Yield n-best lists; the features named are the dense ones and those that fire.

        Word alignments follow the scores, as Moses prints them.
        """
        from tunesmith.decoding import fired_features
        from tunesmith.search.dialects import MosesDialect
        from tunesmith.search.lists.words import WordLists

        writer = MosesDialect()
        for block, (lists, links) in self._searching.listed(lines, self.done):
            for at in lists.limited.nonzero()[0].tolist():
                self._remark(self._cut_short(block[at]), at)
            fired, dense = fired_features(lists.candidates)
            if links is not None:
                fired = fired.replaced(rest=WordLists.from_texts([_pharaoh(each) for each in links]))
            text = "".join(writer.write(fired, self.done, in_every_line=dense))
            self.done += len(block)
            yield text

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
