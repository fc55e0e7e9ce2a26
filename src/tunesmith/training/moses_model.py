"""What a `moses.ini` of a hierarchical model says: tables, limits, the glue grammar.

Every constant comes from the file and the tables it names. What is not understood and may change what a
translation scores is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tunesmith.errors import FormatError, cut
from tunesmith.grammar.moses import GlueRule, looks_hierarchical, read_glue, sides_of
from tunesmith.grammar.moses_ini import FeatureFunction, MosesIni
from tunesmith.io import display_name, iter_lines

FLOOR = -100.0  # of a logarithm, in Moses
SEARCH = 3  # [search-algorithm] of hierarchical models
LARGEST_LIMIT = 65535  # of our searches
_DEFAULT_TABLE_LIMIT, _DEFAULT_POP_LIMIT = 20, 1000
_ANY_SENTENCE = 500  # no sentence has more words: this limit is none
_TABLES = ("PhraseDictionaryMemory", "PhraseDictionaryScope3")
# Sections that say how to write or how to run, not what a translation scores.
_NEUTRAL = {"threads", "verbose", "v", "n-best-list", "print-alignment-info", "print-alignment-info-in-n-best",
            "print-all-derivations", "translation-details", "output-factors", "show-weights", "mark-unknown",
            "mira", "time-out", "include-segmentation-in-n-best", "report-segmentation",
            "report-all-factors"}  # fmt: skip
_READ = {"input-factors", "mapping", "cube-pruning-pop-limit", "non-terminals", "search-algorithm", "inputtype",
         "max-chart-span"}  # fmt: skip
_ARGUMENTS = {
    "UnknownWordPenalty": {"tuneable"},
    "WordPenalty": {"tuneable"},
    "PhrasePenalty": {"tuneable"},
    "KENLM": {"factor", "path", "order", "lazyken", "load", "tuneable"},
    **{
        kind: {"num-features", "path", "table-limit", "input-factor", "output-factor", "tuneable"}
        for kind in _TABLES
    },
}


@dataclass(frozen=True)
class Glue:
    """The glue grammar: its one score, as logarithm, for the three rules there can be."""

    begin: float
    end: float
    append: float


@dataclass(frozen=True)
class MosesModel:
    """A hierarchical model as its ini file describes it. notes: remarks for the user."""

    ini: MosesIni
    table: FeatureFunction
    glue: Glue
    glue_table: FeatureFunction
    lms: tuple[FeatureFunction, ...]
    table_limit: int
    max_span: int
    glue_span: int
    pop_limit: int
    label: str
    notes: tuple[str, ...]


def read_moses_model(ini: MosesIni) -> MosesModel:
    """Return what the ini file says, checked as far as it goes without reading the rule table and language models.

    FormatError for everything that is not understood and may change what a translation scores.
    """
    check_ini(ini, _READ, _ARGUMENTS, ("UnknownWordPenalty", "WordPenalty", "PhrasePenalty"))
    tables = [function for function in ini.features if function.kind in _TABLES]
    glue_tables = [function for function in tables if _is_glue(ini, function)]
    rule_tables = [function for function in tables if function not in glue_tables]
    if len(glue_tables) != 1 or len(rule_tables) != 1:
        seen = f"there are {len(rule_tables)} rule tables and {len(glue_tables)} glue grammars"
        raise ini.error(f"{seen}; models with one of each are read")
    spans = _spans(ini, tables)
    notes: list[str] = []
    pop_limit = search_limit(ini, "cube-pruning-pop-limit", _DEFAULT_POP_LIMIT, notes)
    limit = table_limit(ini, rule_tables[0], notes)
    labels = [entry.text for entry in ini.sections.get("non-terminals", ())] or ["X"]
    if len(labels) != 1:
        raise ini.error(f"[non-terminals] are {' '.join(labels)}; models with one are read",
                        ini.section_lines["non-terminals"])  # fmt: skip
    glue = _read_glue(ini, glue_tables[0], labels[0])
    lms = tuple(function for function in ini.features if function.kind == "KENLM")
    span, glue_span = spans[rule_tables[0].name], spans[glue_tables[0].name]
    if glue_span < _ANY_SENTENCE:
        notes.append(
            f"[max-chart-span]: Moses joins parts of up to {glue_span} words; here glue rules join any number"
        )
    return MosesModel(
        ini, rule_tables[0], glue, glue_tables[0], lms, limit, span, glue_span, pop_limit, labels[0], tuple(notes)
    )


def check_ini(ini: MosesIni, read: set[str], arguments: Mapping[str, set[str]], once: Iterable[str]) -> None:
    """Raise FormatError for what is not understood.

    read: sections that are.   arguments: those that each feature function may have.   once: functions that the
    model may have one of.
    """
    for section, allowed in (("input-factors", ([0], [])), ("inputtype", ([0], [3], []))):
        if ini.integers(section) not in allowed:
            raise ini.error(f"[{section}]: only plain text is read, without factors", ini.section_lines[section])
    _refuse_sections(ini, _NEUTRAL | read)
    for function in ini.features:
        _check_arguments(ini, function, arguments)
    for kind in once:
        if sum(function.kind == kind for function in ini.features) > 1:
            raise ini.error(f"there are two feature functions {kind}; models with one are read")


def _refuse_sections(ini: MosesIni, known: set[str]) -> None:
    for section, line in ini.section_lines.items():
        if section in ini.sections and section not in known:
            raise ini.error(
                f"[{section}] is not understood, and may change what translations score; remove it from a copy of "
                "the file if it does not matter",
                line,
            )


def _check_arguments(ini: MosesIni, function: FeatureFunction, allowed: Mapping[str, set[str]]) -> None:
    if function.kind not in allowed:
        known = ", ".join(allowed)
        raise ini.error(f"the feature function {function.kind} is not imported; known: {known}", function.line)
    for key, value in function.arguments.items():
        if key not in allowed[function.kind]:
            raise ini.error(f"{function.name}: {key}={value} is not understood", function.line)
        if key in ("factor", "input-factor", "output-factor") and value != "0":
            raise ini.error(f"{function.name}: {key}={value}; models with factors are not imported", function.line)


def number(ini: MosesIni, function: FeatureFunction, key: str) -> int | None:
    """Return an argument that is a whole number; None if it is not given."""
    text = function.arguments.get(key)
    if text is not None and not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ini.error(f"{function.name}: {key}={text} is not a whole number", function.line)
    return None if text is None else int(text)


def table_limit(ini: MosesIni, table: FeatureFunction, notes: list[str]) -> int:
    """Return the limit of a table; where it is missing the default of Moses, which is noted."""
    limit = number(ini, table, "table-limit")
    if limit is None:
        limit = _DEFAULT_TABLE_LIMIT
        notes.append(f"{table.name} has no table-limit; {limit}, the default of Moses, was taken")
    return limit


def one(ini: MosesIni, section: str, default: int, notes: list[str]) -> int:
    """Return the one number of a section; where it is missing the default of Moses, which is noted."""
    found = ini.integers(section)
    if not found:
        notes.append(f"there is no [{section}]; {default}, the default of Moses, was taken")
        return default
    if len(found) > 1 or found[0] < 1:
        raise ini.error(f"[{section}] must be one number of at least 1", ini.section_lines[section])
    return found[0]


def search_limit(ini: MosesIni, section: str, default: int, notes: list[str]) -> int:
    """Return a limit of the search; where it is larger than ours can be it is lowered, which is noted."""
    found = one(ini, section, default, notes)
    if found > LARGEST_LIMIT:
        notes.append(f"[{section}]: {found} was lowered to {LARGEST_LIMIT}, the most that is searched here")
    return min(found, LARGEST_LIMIT)


def _spans(ini: MosesIni, tables: Sequence[FeatureFunction]) -> Mapping[str, int]:
    """Return the longest span of the rules of each table: `[mapping]` says which path goes through which table."""
    limits = ini.integers("max-chart-span")
    if not limits or min(limits) < 1:
        raise ini.error(
            "there is no [max-chart-span] with a number for every table; versions of Moses differ in what they do "
            "then, so say it: 20 for the rule table and 1000 for the glue grammar is usual",
            ini.section_lines.get("max-chart-span"),
        )
    spans: dict[str, int] = {}
    for entry in ini.sections.get("mapping", ()):
        words = entry.text.split()
        if (
            len(words) != 3
            or words[1] != "T"
            or not all(words[at].isdigit() and len(words[at]) < 9 for at in (0, 2))
        ):
            raise ini.error(f"[mapping]: expected an entry such as 0 T 0, got {entry.text!r}", entry.line)
        path, table = int(words[0]), int(words[2])
        if table >= len(tables) or tables[table].name in spans:
            raise ini.error(f"[mapping]: there is no table {table} that is used once", entry.line)
        if path >= len(limits):
            raise ini.error(f"[max-chart-span] has no number for path {path} of [mapping]", entry.line)
        spans[tables[table].name] = limits[path]
    for table_function in tables:
        if table_function.name not in spans:
            raise ini.error(f"[mapping] does not use {table_function.name}", table_function.line)
    return spans


def _is_glue(ini: MosesIni, function: FeatureFunction) -> bool:
    """Return whether the first rule of a table makes an S."""
    path = ini.file(function)
    first = next(iter_lines(path), None)
    if first is None:
        raise FormatError("is empty; expected a rule table", path=display_name(path))
    if not looks_hierarchical(first):
        raise FormatError("is not a rule table: both sides must end with a label such as [X]",
                          path=display_name(path), line=1)  # fmt: skip
    return sides_of(first)[1][-1] == "[S]"


def _read_glue(ini: MosesIni, function: FeatureFunction, label: str) -> Glue:
    path = ini.file(function)
    whole, part = f"[{label}][S]", f"[{label}][{label}]"
    sides = {("<s>",): "begin", (whole, "</s>"): "end", (whole, part): "append"}
    found: dict[str, float] = {}
    for line, rule in enumerate(read_glue(path), 1):
        kind = sides.get(rule.source)
        if kind is None or rule.source != rule.target or rule.label != "S" or kind in found:
            sides_shown = [cut(" ".join(side)) for side in (rule.source, rule.target)]
            raise FormatError(
                f"the rule {' → '.join(sides_shown)} is not one of the three of a "
                "monotone glue grammar, each once",
                path=display_name(path),
                line=line,
            )
        found[kind] = _glue_score(rule, path, line)
    if missing := [kind for kind in sides.values() if kind not in found]:
        raise FormatError(f"the glue grammar has no rule to {' or '.join(missing)}", path=display_name(path))
    return Glue(**found)


def _glue_score(rule: GlueRule, path: Path, line: int) -> float:
    if len(rule.scores) != 1 or not 0 < rule.scores[0] < math.inf:
        seen = " ".join(f"{score:g}" for score in rule.scores)
        raise FormatError(f"expected one positive score, got {seen}", path=display_name(path), line=line)
    return max(math.log(rule.scores[0]), FLOOR)
