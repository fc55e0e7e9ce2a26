"""Derivations that Moses printed (`-translation-details`), and what an imported model says they are worth."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tunesmith.config import System
from tunesmith.grammar import Rule, RuleTable
from tunesmith.lm import NgramModel

Span = tuple[int, int]
ORDER = ("unknown", "word_penalty", "rule_penalty", "translation:p(f|e)", "translation:lex(f|e)",
         "translation:p(e|f)", "translation:lex(e|f)", "glue_penalty", "lm")  # fmt: skip
"""Our names in the order of the feature functions of `../shared/reference/moses-hiero/moses.ini`."""

_LINE = re.compile(
    r"Trans Opt (\d+) \[(\d+)\.\.(\d+)\]:(.*?) : (\w+) ->\w+  -> (.*?) :[-\d ]*: term=[-\d ]*: "
    r"nonterm=([-\d ]*): c=\S+ core=\((\S*?)\)\s+(\S+?)core=\((\S*?)\)\s*"
)


@dataclass(frozen=True)
class Node:
    """One rule of a derivation. own, total: printed values of the rule and of everything below and with it.

    source: symbols with the words they cover.   target: symbols.   gaps: source position of each target gap.
    """

    label: str
    span: Span
    source: tuple[tuple[str, Span], ...]
    target: tuple[str, ...]
    gaps: Mapping[int, int]
    own: tuple[str, ...]
    total: tuple[str, ...]
    score: str


def parse_trace(lines: Sequence[str]) -> dict[int, dict[tuple[str, Span], Node]]:
    """The nodes of every sentence by label and span."""
    sentences: dict[int, dict[tuple[str, Span], Node]] = {}
    for line in lines:
        found = _LINE.fullmatch(line)
        assert found, line
        span = (int(found[2]), int(found[3]))
        symbols = re.findall(r"\[(\d+)\.\.(\d+)\]=(\S+)", found[4])
        source = tuple((word, (int(begin), int(end))) for begin, end, word in reversed(symbols))
        links = [tuple(map(int, pair.split("-"))) for pair in found[7].split()]
        target = tuple(word.removesuffix("|UNK|UNK|UNK") for word in found[6].split())
        node = Node(found[5], span, source, target, {t: s for s, t in links},
                    tuple(found[8].split(",")), tuple(found[10].split(",")), found[9])  # fmt: skip
        sentences.setdefault(int(found[1]), {})[node.label, span] = node
    return sentences


class Recomputed:
    """The features of derivations from an imported model: its table, language model and settings of templates."""

    def __init__(self, system: System, table: RuleTable, lm: NgramModel) -> None:
        self._table, self._lm = table, lm
        self._settings = {part.template: part.settings for part in system.features}

    def own(self, node: Node) -> dict[str, float]:
        """What the rule of a node is worth, the language model aside."""
        values = dict.fromkeys(ORDER, 0.0)
        glue, borders = self._settings["glue_penalty"], bool(self._settings["word_penalty"]["borders"])
        special = True
        words = 0
        if node.label == "S":
            kind = "begin" if node.target == ("<s>",) else "end" if "</s>" in node.target else "value"
            values["glue_penalty"] = float(str(glue[kind]))
            words = int(borders and kind != "value")
        elif rule := self.rule(node):
            special = False
            words = len(rule.target) - len(node.gaps)
            for name, score in zip(self._table.score_names, rule.scores, strict=True):
                values[f"translation:{name}"] = max(math.log(score), -100.0)
        else:
            words = 1
            values["unknown"] = float(str(self._settings["unknown"]["value"]))
        values["word_penalty"] = -float(words)
        values["rule_penalty"] = float(not special or bool(self._settings["rule_penalty"]["every"]))
        return values

    def rule(self, node: Node) -> Rule | None:
        """The rule of the table that was used; None for an unknown word."""
        gaps = [at for at, (symbol, _) in enumerate(node.source) if is_gap(node, at)]
        name = {at: f"[X,{number}]" for number, at in enumerate(gaps, 1)}
        source = [name.get(at, symbol) for at, (symbol, _) in enumerate(node.source)]
        target = tuple(name[node.gaps[at]] if at in node.gaps else word for at, word in enumerate(node.target))
        found = [rule for rule in self._table.lookup(source) if rule.target == target]
        assert found or len(source) == 1, node
        return found[0] if found else None

    def total(self, nodes: Mapping[tuple[str, Span], Node], top: Node) -> dict[str, float]:
        """What a derivation is worth."""
        values = dict.fromkeys(ORDER, 0.0)
        for node in below(nodes, top):
            for name, value in self.own(node).items():
                values[name] += value
        words = sentence(nodes, top)
        begin, end = words[:1] == ["<s>"], words[-1:] == ["</s>"]
        line = " ".join(words[int(begin) : len(words) - int(end)])
        scores = self._lm.score([line], begin=begin, end=end)
        values["lm"] = float(scores.log10[0]) * math.log(10)
        return values


def is_gap(node: Node, at: int) -> bool:
    """Whether a source symbol is a gap: those have links to gaps of the target side."""
    return at in node.gaps.values()


def below(nodes: Mapping[tuple[str, Span], Node], top: Node) -> Iterator[Node]:
    """The nodes of a derivation."""
    yield top
    for at, (symbol, span) in enumerate(top.source):
        if is_gap(top, at):
            yield from below(nodes, nodes[symbol, span])


def sentence(nodes: Mapping[tuple[str, Span], Node], top: Node) -> list[str]:
    """The translation of a derivation."""
    words: list[str] = []
    for at, word in enumerate(top.target):
        words += sentence(nodes, nodes[top.source[top.gaps[at]]]) if at in top.gaps else [word]
    return words
