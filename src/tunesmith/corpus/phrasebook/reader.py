"""Read the data files into a `Phrasebook`; every complaint says `path:line`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from tunesmith.corpus.phrasebook.check import check_classes, check_glosses, check_rule, check_subjects
from tunesmith.corpus.phrasebook.english import Morphology, regular_ing
from tunesmith.corpus.phrasebook.grammar import SENTENCE, Rule, SymbolClass
from tunesmith.corpus.phrasebook.phrasebook import Phrasebook
from tunesmith.corpus.phrasebook.template import parse_english, parse_source
from tunesmith.errors import FormatError
from tunesmith.io import read_lines

IRREGULAR = "irregular.txt"
ZIPF_EXPONENT = 1.0
"""Weight of the k-th rule of a class: (k + 2) ** -exponent, times its `w=`."""
PATTERN_EXPONENT = 0.8
"""Exponent for patterns within their file; a little flatter, since `w=` falls as well."""


@dataclass
class _Draft:
    """A class or pattern while its lines are still being read."""

    name: str
    attributes: dict[str, str]
    path: str
    line: int
    rules: list[Rule] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)


def load_phrasebook(directory: Path | None = None) -> Phrasebook:
    """Return the grammar in `directory`'s *.txt files; the built-in one when None."""
    if directory is not None:
        return read_phrasebook(sorted(directory.glob("*.txt")))
    with resources.as_file(resources.files(__package__) / "data") as data:
        return read_phrasebook(sorted(data.glob("*.txt")))


def read_phrasebook(paths: Iterable[Path]) -> Phrasebook:
    """Read and check the files; `irregular.txt` holds morphology, all others rules."""
    reader = _Reader()
    verbs: dict[str, tuple[str, str, str, str]] = {}
    nouns: dict[str, str] = {}
    for path in paths:
        if path.name == IRREGULAR:
            _read_irregular(path, verbs, nouns)
        else:
            reader.read(path)
    classes = reader.finish()
    morphology = Morphology(verbs, nouns)
    check_classes(classes)
    check_subjects(classes)
    check_glosses(classes, morphology)
    return Phrasebook(classes, morphology)


class _Reader:
    def __init__(self) -> None:
        self._classes: dict[str, _Draft] = {}
        self._patterns: list[Rule] = []
        self._pattern_ids: dict[str, str] = {}
        self._open: _Draft | None = None
        self._open_pattern: _Draft | None = None
        self._rank = 0

    def read(self, path: Path) -> None:
        """Read one file; class and pattern names are shared by all files."""
        self._rank = 0
        for number, raw in enumerate(read_lines(path), start=1):
            line = raw.split("#", 1)[0].strip()
            if not line:
                continue
            try:
                self._line(line, str(path), number)
            except ValueError as error:
                if isinstance(error, FormatError):
                    raise
                raise FormatError(str(error), path=str(path), line=number) from error
            except RecursionError:
                raise FormatError("brackets are nested too deeply", path=str(path), line=number) from None
        self._close()

    def finish(self) -> Mapping[str, SymbolClass]:
        """Return the classes read, the patterns as class `SENTENCE` among them."""
        if not self._patterns:
            raise FormatError("no 'pattern' in any file; a phrasebook needs sentence patterns")
        first = self._patterns[0]
        classes = {SENTENCE: SymbolClass(SENTENCE, {}, tuple(self._patterns), first.path, first.line)}
        for name, draft in self._classes.items():
            if not draft.rules:
                raise FormatError(f"class {name} is empty", path=draft.path, line=draft.line)
            classes[name] = SymbolClass(name, draft.attributes, tuple(draft.rules), draft.path, draft.line)
        return classes

    def _line(self, line: str, path: str, number: int) -> None:
        keyword, _, rest = line.partition(" ")
        if keyword == "class":
            self._close()
            name, *pairs = rest.split()
            if name in self._classes or name == SENTENCE:
                raise ValueError(f"class {name} is defined twice")
            self._open = self._classes[name] = _Draft(name, _attributes(pairs), path, number)
        elif keyword == "pattern":
            self._close()
            name, *pairs = rest.split()
            if name in self._pattern_ids:
                raise ValueError(f"pattern {name} is already at {self._pattern_ids[name]}")
            self._pattern_ids[name] = f"{path}:{number}"
            self._open_pattern = _Draft(name, _attributes(pairs), path, number)
        elif keyword in ("zh", "en") and self._open_pattern is not None:
            if keyword == "zh":
                parse_source(rest)  # for an error at this line; parsed again as a whole
                self._open_pattern.sources.append(rest)
            else:
                parse_english(rest)
                self._open_pattern.targets.append(rest)
        elif "=" in line and self._open is not None:
            self._open.rules.append(self._entry(self._open, line, path, number))
        else:
            raise ValueError(
                f"cannot read '{line}': expected 'class', 'pattern', 'zh', 'en' or an entry"
                " 'chinese = english ; attributes'"
            )

    def _entry(self, draft: _Draft, line: str, path: str, number: int) -> Rule:
        body, _, tail = line.partition(";")
        source, equals, target = body.partition("=")
        if not equals or not source.strip() or not target.strip():
            raise ValueError(f"'{line}' lacks a side; write 'chinese = english'")
        rank = len(draft.rules)
        exponent = float(draft.attributes.get("zipf", ZIPF_EXPONENT))
        name = f"{draft.name}.{rank + 1}"
        falling = (rank + 2) ** -exponent
        return _rule(name, draft.name, source, target, _attributes(tail.split()), falling, path, number)

    def _close(self) -> None:
        pattern, self._open_pattern, self._open = self._open_pattern, None, None
        if pattern is None:
            return
        for side, lines in (("zh", pattern.sources), ("en", pattern.targets)):
            if not lines:
                raise FormatError(
                    f"pattern {pattern.name} has no '{side}' line", path=pattern.path, line=pattern.line
                )
        falling = (self._rank + 2) ** -PATTERN_EXPONENT
        self._rank += 1
        try:
            rule = _rule(
                pattern.name,
                SENTENCE,
                " | ".join(pattern.sources),
                " | ".join(pattern.targets),
                pattern.attributes,
                falling,
                pattern.path,
                pattern.line,
            )
        except ValueError as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"pattern {pattern.name}: {error}", path=pattern.path, line=pattern.line) from error
        self._patterns.append(rule)


def _rule(
    name: str,
    class_name: str,
    source: str,
    target: str,
    attributes: dict[str, str],
    falling: float,
    path: str,
    line: int,
) -> Rule:
    sources, slots = parse_source(source)
    rule = Rule(
        id=name,
        class_name=class_name,
        slots=slots,
        sources=sources,
        alternatives=parse_english(target),
        weight=float(attributes.pop("w", "1")) * falling,
        held_out=attributes.pop("held", "") == "yes",
        attributes=attributes,
        path=path,
        line=line,
    )
    check_rule(rule)
    return rule


def _attributes(pairs: Iterable[str]) -> dict[str, str]:
    """Parse `key=value` pairs; a bare `key` is a flag. An underscore in a value stands for a space."""
    found: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not key or (equals and not value):
            raise ValueError(f"cannot read the attribute '{pair}'; write key=value")
        found[key] = value.replace("_", " ") if equals else "yes"
    return found


def _read_irregular(path: Path, verbs: dict[str, tuple[str, str, str, str]], nouns: dict[str, str]) -> None:
    for number, raw in enumerate(read_lines(path), start=1):
        fields = raw.split("#", 1)[0].split()
        if not fields:
            continue
        kind, *forms = fields
        if kind == "verb" and len(forms) in (4, 5):
            base, third, past, participle = forms[:4]
            gerund = forms[4] if len(forms) == 5 else regular_ing(base)
            verbs[base] = (third, past, participle, gerund)
        elif kind == "noun" and len(forms) == 2:
            nouns[forms[0]] = forms[1]
        else:
            raise FormatError(
                f"cannot read '{raw.strip()}': write 'verb base third past participle [ing]'"
                " or 'noun singular plural'",
                path=str(path),
                line=number,
            )
