"""Rule tables and own rules for `tunesmith check`."""

from __future__ import annotations

from pathlib import Path

from tunesmith.grammar.own_rules import OWN_RULES
from tunesmith.grammar.storage import TABLE, VOCABULARIES
from tunesmith.grammar.table import RuleTable
from tunesmith.io.checks import Report, formats, is_folder_of, verify_arrays


@formats.register("rule table")
class TableCheck:
    """The folder of a rule table."""

    noun = TABLE.noun

    def recognises(self, path: Path) -> bool:
        """By its manifest or its vocabularies."""
        return is_folder_of(path, TABLE, *VOCABULARIES)

    def verify(self, path: Path, report: Report) -> None:
        """All files that the manifest names."""
        verify_arrays(path, TABLE, report, RuleTable.open)


@formats.register("own rules")
class OwnRulesCheck:
    """The folder of what each sentence pair gave to a table."""

    noun = OWN_RULES.noun

    def recognises(self, path: Path) -> bool:
        """By its manifest or its arrays."""
        return is_folder_of(path, OWN_RULES, "made_offsets", "target_numbers")

    def verify(self, path: Path, report: Report) -> None:
        """All files that the manifest names."""
        verify_arrays(path, OWN_RULES, report)
