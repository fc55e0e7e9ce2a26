"""Translation rules: extraction, scoring, rule tables on disk, import and export of Moses' text tables."""

from typing import TYPE_CHECKING

from tunesmith.lazy import names_of

if TYPE_CHECKING:
    from tunesmith.grammar.extract import extract_rules
    from tunesmith.grammar.options import ExtractOptions, HieroOptions, PhraseOptions, ScoreOptions
    from tunesmith.grammar.own_rule_finder import find_own_rules
    from tunesmith.grammar.own_rules import OwnRules
    from tunesmith.grammar.reordering import ReorderingOptions
    from tunesmith.grammar.rule import Rule
    from tunesmith.grammar.select import select_rules
    from tunesmith.grammar.table import RuleTable

__all__ = [
    "ExtractOptions",
    "HieroOptions",
    "OwnRules",
    "PhraseOptions",
    "ReorderingOptions",
    "Rule",
    "RuleTable",
    "ScoreOptions",
    "extract_rules",
    "find_own_rules",
    "select_rules",
]

__getattr__ = names_of(__name__)
