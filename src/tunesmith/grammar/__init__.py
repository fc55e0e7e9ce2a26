"""Translation rules: extraction, scoring, rule tables on disk, import and export of Moses' text tables."""

from typing import TYPE_CHECKING

from tunesmith.lazy import names_of

if TYPE_CHECKING:
    from tunesmith.grammar.extract import extract_rules
    from tunesmith.grammar.leave_one_out import LeaveOneOutCounts
    from tunesmith.grammar.leave_one_out_finder import find_leave_one_out_counts
    from tunesmith.grammar.options import ExtractOptions, HieroOptions, PhraseOptions, ScoreOptions
    from tunesmith.grammar.reordering import ReorderingOptions
    from tunesmith.grammar.rule import Rule
    from tunesmith.grammar.select import select_rules
    from tunesmith.grammar.table import RuleTable

__all__ = [
    "ExtractOptions",
    "HieroOptions",
    "LeaveOneOutCounts",
    "PhraseOptions",
    "ReorderingOptions",
    "Rule",
    "RuleTable",
    "ScoreOptions",
    "extract_rules",
    "find_leave_one_out_counts",
    "select_rules",
]

__getattr__ = names_of(__name__, {"OwnRules": "LeaveOneOutCounts", "find_own_rules": "find_leave_one_out_counts"})
