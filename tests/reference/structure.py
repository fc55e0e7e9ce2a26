"""Structural features of Watanabe et al. (2007) in plain Python: whole derivations, by definition."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reference.exhaustive_hiero import GAPS, Tree
from reference.features import spelled
from tunesmith.grammar import Rule, RuleTable

SPECIAL = ("<unk>", "<s>", "</s>")
Link = tuple[str, str]


@dataclass(frozen=True)
class Tokens:
    """kinds: of forms.   classes: the class of each word of a side."""

    kinds: Sequence[str]
    paired: bool
    classes: Mapping[str, Mapping[str, str]]

    def forms(self, word: str, side: str) -> list[str]:
        """One form of each kind; some may be equal."""
        if word in SPECIAL:
            return [word] * len(self.kinds)
        long = len(word) > 4
        of_kind = {
            "surface": word,
            "class": f"[{self.classes.get(side, {}).get(word)}]",
            "prefix": f"{word[:4]}+" if long else word,
            "suffix": f"+{word[-4:]}" if long else word,
            "digits": "".join("@" if letter in "0123456789" else letter for letter in word),
        }
        return [of_kind[kind] for kind in self.kinds]

    def pairs(self, one: Sequence[str], two: Sequence[str], separator: str) -> set[str]:
        """Names of the combinations of two words' forms."""
        chosen = zip(one, two, strict=True) if self.paired else itertools.product(one, two)
        return {f"{a}{separator}{b}" for a, b in chosen}


@dataclass(frozen=True)
class Structure:
    """What derivations fire that use rules of this table."""

    table: RuleTable
    tokens: Tokens

    def fired(self, trees: Sequence[Tree], sentence: Sequence[str], translation: Sequence[str]) -> Counter[str]:
        """All features of a derivation."""
        links = [link for tree in trees for link in self._links(tree)]
        out: Counter[str] = Counter()
        for link in links:
            out.update(f"link_pairs:{name}" for name in self._pair_names(link))
        for one, two in itertools.pairwise(links):
            out.update(f"link_bigrams:{name}" for name in self._bigram_names(one, two))
        for tree in trees:
            for node in _nodes(tree):
                out.update(self._inserted(node, sentence))
                out.update(self._parent_child(node))
                out.update(self._backtrack(node))
        out.update(self._target_bigrams(translation))
        return out

    def _rule(self, tree: Tree) -> Rule | None:
        return self.table[tree.rule] if tree.rule < len(self.table) else None

    def _links(self, tree: Tree) -> Iterator[Link]:
        rule = self._rule(tree)
        if rule is None:
            yield "<unk>", "<unk>"
            return
        for at, symbol in enumerate(rule.target):
            if symbol in GAPS:
                yield from self._links(tree.parts[GAPS.index(symbol)])
            yield from ((rule.source[i], symbol) for i, j in sorted(rule.links) if j == at)

    def _forms(self, word: str, side: str) -> list[str]:
        return [spelled(form) for form in self.tokens.forms(word, side)]

    def _pair_names(self, link: Link) -> set[str]:
        return self.tokens.pairs(self._forms(link[0], "source"), self._forms(link[1], "target"), "|")

    def _bigram_names(self, one: Link, two: Link) -> set[str]:
        if not self.tokens.paired:
            return {f"{a}_{b}" for a in self._pair_names(one) for b in self._pair_names(two)}
        sides = [self._forms(word, side) for link in (one, two) for word, side in zip(link, ("source", "target"))]  # noqa: B905
        return {f"{a}|{b}_{c}|{d}" for a, b, c, d in zip(*sides, strict=True)}

    def _inserted(self, tree: Tree, sentence: Sequence[str]) -> Iterator[str]:
        rule = self._rule(tree)
        if rule is None:
            return
        linked = {j for _, j in rule.links}
        known = set(self.table.source_vocabulary.words)
        for at, word in enumerate(rule.target):
            if word in GAPS or at in linked:
                continue
            for source in sentence:
                of_source = self._forms(source if source in known else "<unk>", "source")
                for name in self.tokens.pairs(of_source, self._forms(word, "target"), "|"):
                    yield f"insertion:{name}"

    def _linked_source(self, tree: Tree) -> list[str]:
        rule = self._rule(tree)
        if rule is None:
            return ["<unk>"]
        return [rule.source[i] for i in sorted({i for i, _ in rule.links})]

    def _parent_child(self, tree: Tree) -> Iterator[str]:
        for part in tree.parts:
            for one, two in itertools.product(self._linked_source(tree), self._linked_source(part)):
                for name in self.tokens.pairs(self._forms(one, "source"), self._forms(two, "source"), "|"):
                    yield f"parent_child:{name}"

    def _backtrack(self, tree: Tree) -> Counter[str]:
        rule = self._rule(tree)
        if rule is None or len(tree.parts) < 2:
            return Counter()
        order = [GAPS.index(symbol) for symbol in rule.target if symbol in GAPS]
        left = tree.parts[order[0]]
        return Counter({"backtrack:height": _height(left), "backtrack:width": left.end - left.begin})

    def _target_bigrams(self, translation: Sequence[str]) -> Iterator[str]:
        known = set(self.table.target_vocabulary.words)
        words = ["<s>", *(word if word in known else "<unk>" for word in translation), "</s>"]
        for one, two in itertools.pairwise(words):
            for name in self.tokens.pairs(self._forms(one, "target"), self._forms(two, "target"), "_"):
                yield f"target_bigrams:{name}"


def _nodes(tree: Tree) -> Iterator[Tree]:
    yield tree
    for part in tree.parts:
        yield from _nodes(part)


def _height(tree: Tree) -> int:
    return 1 + max(map(_height, tree.parts), default=0)
