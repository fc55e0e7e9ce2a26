"""What a `moses.ini` of a phrase-based model says: tables, limits, reordering.

Every constant comes from the file and the tables it names. What is not understood and may change what a
translation scores is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tunesmith.errors import ConfigError
from tunesmith.grammar.moses_ini import FeatureFunction, MosesIni
from tunesmith.grammar.reordering import ReorderingOptions
from tunesmith.training.moses_model import check_ini, number, one, search_limit, table_limit

SEARCHES = (0, 1, 2, 4)  # [search-algorithm] of phrase-based models
_CUBE_PRUNING = 1
_TABLE = "PhraseDictionaryMemory"
_DISTORTION_LIMIT = 6
# Sections that say how to search, which our decoder does in its own way.
_SEARCH = {"search-algorithm", "cube-pruning-pop-limit", "cube-pruning-diversity", "cube-pruning-lazy-scoring",
           "stack", "stack-diversity", "beam-threshold", "max-trans-opt-per-coverage"}  # fmt: skip
_READ = {"input-factors", "mapping", "inputtype", "distortion-limit", "max-phrase-length"}
_ONCE = ("UnknownWordPenalty", "WordPenalty", "PhrasePenalty", "Distortion", "LexicalReordering")
_ARGUMENTS = {
    "UnknownWordPenalty": {"tuneable"},
    "WordPenalty": {"tuneable"},
    "PhrasePenalty": {"tuneable"},
    "Distortion": {"tuneable"},
    "KENLM": {"factor", "path", "order", "lazyken", "load", "tuneable"},
    _TABLE: {"num-features", "path", "table-limit", "input-factor", "output-factor", "tuneable"},
    "LexicalReordering": {"num-features", "path", "type", "input-factor", "output-factor", "tuneable"},
}


@dataclass(frozen=True)
class MosesPhraseModel:
    """A phrase-based model as its ini file describes it.

    reordering: the feature function and what its columns are, if there is one.
    distortion_limit: source words that a jump may skip, -1 for any number.
    notes: remarks for the user.
    """

    ini: MosesIni
    table: FeatureFunction
    reordering: tuple[FeatureFunction, ReorderingOptions] | None
    lms: tuple[FeatureFunction, ...]
    table_limit: int
    distortion_limit: int
    pop_limit: int
    stack_limit: int
    max_length: int
    notes: tuple[str, ...]

    def function(self, kind: str) -> FeatureFunction | None:
        """Return the one feature function of a kind, if there is one."""
        return next((function for function in self.ini.features if function.kind == kind), None)


def read_moses_phrase_model(ini: MosesIni) -> MosesPhraseModel:
    """Return what the ini file says, checked as far as it goes without reading tables and language models.

    FormatError for everything that is not understood and may change what a translation scores.
    """
    check_ini(ini, _READ | _SEARCH, _ARGUMENTS, _ONCE)
    tables = [function for function in ini.features if function.kind == _TABLE]
    if len(tables) != 1:
        raise ini.error(
            f"there are {len(tables)} phrase tables; models with one are read. Of two tables Moses takes a phrase "
            "from the one or from the other; tunesmith rules join makes one table in which a phrase has the "
            "scores of both",
            tables[1].line if tables else None,
        )
    for entry in ini.sections.get("mapping", ()):
        if entry.text.split() != ["0", "T", "0"]:
            raise ini.error(f"[mapping]: expected 0 T 0, got {entry.text!r}", entry.line)
    notes: list[str] = []
    pop_limit = search_limit(ini, "cube-pruning-pop-limit", 1000, notes)
    stack = search_limit(ini, "stack", 200, notes)
    longest = one(ini, "max-phrase-length", 20, [])
    limit = table_limit(ini, tables[0], notes)
    algorithm = (ini.integers("search-algorithm") or [0])[0]
    if algorithm != _CUBE_PRUNING:
        notes.append(
            f"search algorithm {algorithm} of Moses is not cube pruning, by which models are searched here; "
            "the limits of the search may need another value"
        )
    return MosesPhraseModel(
        ini,
        tables[0],
        _reordering(ini),
        tuple(function for function in ini.features if function.kind == "KENLM"),
        limit,
        _distortion_limit(ini, notes),
        pop_limit,
        stack,
        longest,
        tuple(notes),
    )


def _reordering(ini: MosesIni) -> tuple[FeatureFunction, ReorderingOptions] | None:
    function = next((function for function in ini.features if function.kind == "LexicalReordering"), None)
    if function is None:
        return None
    if "type" not in function.arguments:
        raise ini.error(f"{function.name} has no type=, such as wbe-msd-bidirectional-fe-allff", function.line)
    try:
        options = ReorderingOptions.parse(function.arguments["type"])
    except ConfigError as error:
        raise ini.error(f"{function.name}: {error}", function.line) from None
    expected = number(ini, function, "num-features")
    if expected is not None and expected != len(options.columns):
        raise ini.error(
            f"{function.name}: num-features={expected}, but {options.name} has {len(options.columns)}",
            function.line,
        )
    return function, options


def _distortion_limit(ini: MosesIni, notes: list[str]) -> int:
    entries = ini.sections.get("distortion-limit", ())
    if not entries:
        notes.append(f"there is no [distortion-limit]; {_DISTORTION_LIMIT}, the default of Moses, was taken")
        return _DISTORTION_LIMIT
    if len(entries) > 1 or not re.fullmatch(r"-?\d{1,9}", entries[0].text, re.ASCII):
        raise ini.error("[distortion-limit] must be one whole number, -1 for no limit", entries[0].line)
    return max(int(entries[0].text), -1)
