"""Distance of reordering, measured on sampled expansions of a pattern.

The aligned items of a pattern are its slots (or their parts) and its glossed words. Two items
cross when their order differs between the Chinese side and the first English alternative. The
jump of an item is the number of Chinese words in all items it crosses; the jump of a pattern is
the median, over expansions, of its farthest-jumping item.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from random import Random

from tunesmith.corpus.phrasebook.derivation import Derivation, first_way
from tunesmith.corpus.phrasebook.english import Morphology
from tunesmith.corpus.phrasebook.grammar import Rule, SourceSlot, Word
from tunesmith.corpus.phrasebook.phrasebook import Phrasebook

LONG_JUMP = 4
"""Words; a pattern with at least this jump has long reordering."""
EXPANSIONS = 15
"""Sampled expansions of a pattern; odd, so that the median is one of them."""


def has_long_reordering(rule: Rule, grammar: Phrasebook) -> bool:
    """Return whether a typical expansion moves an item over at least `LONG_JUMP` words."""
    random = Random(0)
    jumps = [farthest_jump(grammar.derive(random, rule), grammar.morphology) for _ in range(EXPANSIONS)]
    return statistics.median(jumps) >= LONG_JUMP


def farthest_jump(sentence: Derivation, morphology: Morphology) -> int:
    """Return words in the items crossed by the item that crosses most of them."""
    lengths = dict(_source_items(sentence))
    lemmas = {form: key for key in lengths for form in reversed(morphology.forms(key))}
    target = [lemmas[key] for key in _target_items(sentence) if key in lemmas]
    place = {key: index for index, key in reversed(list(enumerate(target)))}
    order = [key for key in lengths if key in place]
    farthest = 0
    for here, key in enumerate(order):
        crossed = sum(
            lengths[other]
            for there, other in enumerate(order)
            if (here < there) != (place[key] < place[other]) and here != there
        )
        farthest = max(farthest, crossed)
    return farthest


def _source_items(sentence: Derivation) -> Iterator[tuple[str, int]]:
    """Yield (key, words) of every aligned item in Chinese order."""
    for part in sentence.rule.sources[sentence.variant]:
        for item in part:
            if isinstance(item, SourceSlot):
                if not item.attribute:
                    child = sentence.children[item.name]
                    for number in _parts(child, item.part):
                        tokens = child.source_tokens(number)
                        yield f"{{{item.name}/{number}}}", len(tokens) - 2 * tokens.count("_")
            elif item.gloss:
                yield item.gloss.split()[0], 1


def _target_items(sentence: Derivation) -> Iterator[str]:
    """Yield keys of slots and words of the first English alternative, in order."""
    for template in sentence.rule.alternatives[0]:
        for item in first_way(template):
            if isinstance(item, Word):
                yield item.text
            elif item.name in sentence.children:
                for number in _parts(sentence.children[item.name], item.part):
                    yield f"{{{item.name}/{number}}}"


def _parts(child: Derivation, part: int) -> list[int]:
    return [part] if part else list(range(1, len(child.rule.alternatives[0]) + 1))
