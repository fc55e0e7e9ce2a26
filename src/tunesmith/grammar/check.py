"""Verification of rule tables and leave-one-out counts for `tunesmith check`."""

from __future__ import annotations

from tunesmith.grammar.leave_one_out import LEAVE_ONE_OUT
from tunesmith.grammar.storage import TABLE, VOCABULARIES
from tunesmith.grammar.table import RuleTable
from tunesmith.io.checks import ArraysFormat, formats

formats.register("rule table")(lambda: ArraysFormat(TABLE, VOCABULARIES, RuleTable.open))
formats.register("leave-one-out counts")(lambda: ArraysFormat(LEAVE_ONE_OUT, ("made_offsets", "target_numbers")))
