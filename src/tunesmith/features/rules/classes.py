"""Templates over word classes of Green et al. (2014), sections 3.1 and 3.2. A word passing through is `<unk>`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tunesmith import _core
from tunesmith.features.base import NativeFeature, SpecialRule, register
from tunesmith.features.names import escape
from tunesmith.features.word_classes import needed_classes
from tunesmith.grammar import RuleTable

_Special = Mapping[SpecialRule, Sequence[tuple[str, float]]]


def _labels(table: RuleTable, side: str, template: str) -> _core.WordLabels:
    classes = needed_classes(table, side, template)
    return _core.WordLabels(list(classes.names), classes.numbers)


def _unknown(table: RuleTable, side: str, template: str) -> str:
    classes = needed_classes(table, side, template)
    return escape(classes.names[classes.unknown])


def _unknown_pair(table: RuleTable, template: str) -> _Special:
    source, target = (_unknown(table, side, template) for side in ("source", "target"))
    return {SpecialRule.unknown: [(f"{source}|{target}", 1.0)]}


@register("class_rule")
@dataclass(frozen=True)
class ClassRule(NativeFeature):
    """The rule with classes for words: `class_rule:492|59_59`."""

    needs_classes: ClassVar[tuple[str, ...]] = ("source", "target")

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        source, target = (_labels(table, side, "class_rule") for side in ("source", "target"))
        return _core.class_rule_template(source, target)

    def special_of(self, table: RuleTable) -> _Special:
        return _unknown_pair(table, "class_rule")


@register("class_alignment")
@dataclass(frozen=True)
class ClassAlignment(NativeFeature):
    """The classes of each connected part of the links: `class_alignment:12|7_31`."""

    needs_classes: ClassVar[tuple[str, ...]] = ("source", "target")

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        source, target = (_labels(table, side, "class_alignment") for side in ("source", "target"))
        return _core.class_alignment_template(source, target)

    def special_of(self, table: RuleTable) -> _Special:
        return _unknown_pair(table, "class_alignment")


@register("target_class")
@dataclass(frozen=True)
class TargetClass(NativeFeature):
    """How many target words of each class there are: `target_class:59`."""

    needs_classes: ClassVar[tuple[str, ...]] = ("target",)

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        return _core.target_class_template(_labels(table, "target", "target_class"))

    def special_of(self, table: RuleTable) -> _Special:
        return {SpecialRule.unknown: [(_unknown(table, "target", "target_class"), 1.0)]}


@register("source_class_deletion")
@dataclass(frozen=True)
class SourceClassDeletion(NativeFeature):
    """How many source words of each class have no link: `source_class_deletion:12`."""

    needs_classes: ClassVar[tuple[str, ...]] = ("source",)

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        return _core.source_class_deletion_template(_labels(table, "source", "source_class_deletion"))
