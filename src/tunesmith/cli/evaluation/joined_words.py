"""Outputs and references in pieces of words, joined as `--subwords` says or their marks show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tunesmith.cli.console import note

if TYPE_CHECKING:
    from tunesmith.corpus.bitext import References
    from tunesmith.signature import Signature


class JoinedTexts(NamedTuple):
    """Outputs and references as words, and what they were: `bpe`, `sentencepiece`, both with a +, or `none`."""

    outputs: Mapping[str, list[str]]
    references: References
    subwords: str

    def signed(self, signature: Signature) -> Signature:
        """Return the signature with the choice in it, where there was something to join."""
        return signature if self.subwords == "none" else signature.extended(subwords=self.subwords)


def tell_subwords(what: str, subwords: str | None, *, quiet: bool) -> None:
    """Say that pieces were found."""
    from tunesmith.corpus.subwords import NAMES

    if subwords in NAMES:
        note(f"{what}: pieces of {NAMES[subwords]}, joined to words (--subwords)", quiet=quiet)


def _asked(lines: Sequence[str], subwords: str) -> str:
    """Return the kind of pieces asked for; `none` for a text without ▁, whose words would all become one."""
    from tunesmith.corpus.subwords import WORD_MARK

    words = subwords == "sentencepiece" and not any(WORD_MARK in line for line in lines)
    return "none" if words else subwords


def joined_texts(
    outputs: Mapping[str, Sequence[str]], references: References, subwords: str | None, *, quiet: bool
) -> JoinedTexts:
    """Join the words of each output by its own marks, and those of the references by theirs."""
    from tunesmith.corpus.subwords import check_subwords, detect_subwords, join_lines, join_references

    check_subwords(subwords)
    kinds = {
        name: detect_subwords(lines, name) if subwords is None else _asked(lines, subwords)
        for name, lines in outputs.items()
    }
    for name, kind in kinds.items():
        if subwords is None:
            tell_subwords(name, kind, quiet=quiet)
    joined = {name: join_lines(lines, kinds[name]) for name, lines in outputs.items()}
    path = references.paths[0] if references.paths else None
    sentences, own = join_references(references.sentences, subwords, path)
    if subwords is None:
        tell_subwords("references", own, quiet=quiet)
    if own != "none":
        columns = tuple([line for (line,) in join_references([(line,) for line in column], subwords)[0]]
                        for column in references.columns)  # fmt: skip
        references = replace(references, sentences=[tuple(each) for each in sentences], columns=columns)
    different = sorted({kind for kind in (*kinds.values(), own) if kind != "none"})
    return JoinedTexts(joined, references, "+".join(different) or "none")
