"""Why a score is close to nothing: what the output and its references have in common tells the likely cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tunesmith.metrics.base import Metric

LOW_BLEU = 2.0
"""Score below which a system does not translate these sentences into the language of these references."""
_SENTENCES = 500
_GRAM = 4
_GENERAL = "swapped languages, other references, texts that are not tokenised alike, or subword marks?"


def low_score_warning(
    metric: Metric,
    score: float,
    when: str,
    texts: Callable[[], Sequence[str]] | None,
    references: Sequence[Sequence[str]] | None,
) -> str | None:
    """Return a warning about BLEU below 2 with its likely cause, or None.

    texts: reads what was chosen for the sentences with these references, None where words are not known.
    """
    if not is_low(metric, score):
        return None
    cause = None if texts is None or references is None else likely_cause(texts(), references)
    return f"{metric.label} is {score:.2f} {when}: {cause or _GENERAL}"


def is_low(metric: Metric, score: float) -> bool:
    """Return whether this is BLEU below 2."""
    return metric.bleu_smoothing is not None and score < LOW_BLEU


def likely_cause(texts: Sequence[str], references: Sequence[Sequence[str]]) -> str | None:
    """Return what makes output and references differ, None where nothing stands out."""
    pairs = [
        (text, list(each)) for text, each in zip(texts, references, strict=False) if text.split() and any(each)
    ][:_SENTENCES]
    if not pairs:
        return None
    everything = {word for _, each in pairs for reference in each for word in reference.split()}
    known = _share(word in everything for text, _ in pairs for word in text.split())
    own = _share_in_own(pairs, str.split)
    letters = _share_in_own(pairs, _grams)
    folded = {word.lower() for word in everything}
    lower = _share(word.lower() in folded for text, _ in pairs for word in text.split())
    if letters > 0.5 > 2 * own:
        return (
            "output and references have the same letters, cut into other words. Tokenise both alike (--tokenize), "
            "or join pieces of words (--subwords)"
        )
    if lower > 0.5 > 2 * known:
        return "output and references differ in case. Prepare both alike, or compare with --lowercase"
    if known < 0.3:
        return (
            f"{100 * known:.0f} % of the words of the output are in any reference. Are languages swapped, or are "
            "the references of another text?"
        )
    if own < 0.25 * known:
        return (
            "the words of the output are in references of other sentences. Are these the references of the same "
            "sentences, in the same order?"
        )
    return None


def _share_in_own(pairs: Sequence[tuple[str, list[str]]], parts_of: Callable[[str], list[str]]) -> float:
    """Return the share of parts of the texts that are parts of their own references."""

    def hits() -> Iterator[bool]:
        for text, mine in pairs:
            there = {part for reference in mine for part in parts_of(reference)}
            yield from (part in there for part in parts_of(text))

    return _share(hits())


def _share(hits: Iterable[bool]) -> float:
    found = list(hits)
    return sum(found) / len(found) if found else 0.0


def _grams(text: str) -> list[str]:
    letters = "".join(text.split()).replace("@@", "").replace("\u2581", "")
    return [letters[at : at + _GRAM] for at in range(len(letters) - _GRAM + 1)]
