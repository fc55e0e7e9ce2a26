"""Verification of rule tables and leave-one-out counts for `tunesmith check`."""

from __future__ import annotations

from tunesmith.grammar.own_rules import OWN_RULES
from tunesmith.grammar.storage import TABLE, VOCABULARIES
from tunesmith.grammar.table import RuleTable
from tunesmith.io.checks import ArraysFormat, formats

formats.register("rule table")(lambda: ArraysFormat(TABLE, VOCABULARIES, RuleTable.open))
formats.register("own rules")(lambda: ArraysFormat(OWN_RULES, ("made_offsets", "target_numbers")))
