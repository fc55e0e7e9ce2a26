"""Mix-ups of system outputs and references, and texts that do not look as they should.

What cannot be meant is raised; what may be meant is returned as a note for the user.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tunesmith.corpus.bitext import References
from tunesmith.errors import ConfigError, FormatError

# A system that equals one reference file on this share of lines is taken for that file.
COPY = 0.95
_NUMBERED = re.compile(r"(?P<stem>.+)\.\d+(\.gz)?")


def check_reference_group(paths: Sequence[str]) -> None:
    """Refuse, next to `test.en.0` of one `--refs`, a file that is not `test.en.N`: it is probably a system."""
    stems = [found["stem"] if (found := _NUMBERED.fullmatch(path)) else None for path in paths]
    numbered = Counter(stem for stem in stems if stem is not None)
    if not numbered:
        return
    stem = numbered.most_common(1)[0][0]
    for path, own in zip(paths, stems, strict=True):
        if own != stem:
            raise ConfigError(
                f"{path} was given as a reference, but next to it stands {stem}.N; is it a system? --refs takes "
                f"all words up to the next option, so put system files before it. If {path} is a reference, give "
                f"it with its own option: --refs {path}"
            )


def path_notes(systems: Sequence[str], references: Sequence[str]) -> Iterator[str]:
    """Yield names that may be mixed up but need not: references that are not numbered alike, a system that is."""
    if len(references) > 1 and not all(_NUMBERED.fullmatch(path) for path in references):
        yield f"references: {', '.join(references)}"
    if any(_NUMBERED.fullmatch(path) for path in references):
        return
    for system in systems:
        if (found := _NUMBERED.fullmatch(system)) and (others := _brothers(found["stem"], systems)):
            yield f"{system} may be a reference: {', '.join(others)} next to it are numbered like a set of them"


def _brothers(stem: str, given: Sequence[str]) -> list[str]:
    """Return files `stem.N` that were not given."""
    folder, name = Path(stem).parent, Path(stem).name
    found = sorted(str(path) for path in folder.glob(f"{name}.[0-9]*") if _NUMBERED.fullmatch(str(path)))
    return [path for path in found if path not in given][:3]


def check_paths(systems: Sequence[str], references: Sequence[str]) -> None:
    """Refuse a file that is named twice, as two systems, or as system and reference."""
    for at, system in enumerate(systems):
        for earlier in systems[:at]:
            if _same_file(system, earlier):
                raise ConfigError(f"the system {_both(system, earlier)} was given twice; name each output once")
        for reference in references:
            if _same_file(system, reference):
                raise ConfigError(
                    f"{_both(system, reference)} was given both as a system and as a reference. "
                    "A reference is not an output: take it out of the systems, or out of --refs to score it "
                    "against the others"
                )


def check_line_count(name: str, lines: Sequence[str], references: References) -> None:
    """Check that there are as many lines as the references have, and at least one."""
    expected = len(references.sentences)
    if len(lines) != expected:
        raise FormatError(
            f"{len(lines)} lines, but the references have {expected} ({references.paths[0]}); line i must be the "
            "translation of sentence i",
            path=name,
        )
    if not lines:
        raise FormatError("no lines; at least one sentence is needed for a score", path=name)


def copied_reference(lines: Sequence[str], references: References) -> tuple[str, int] | None:
    """Return the reference file that equals the output on nearly all lines, with the number of these lines."""
    size = len(lines)
    for path, column in zip(references.paths, references.columns, strict=True):
        # Padded sentences make files equal to each other, but then they are equal to the first one too.
        equal = sum(line.split() == reference.split() for line, reference in zip(lines, column, strict=True))
        if size and equal >= COPY * size:
            return path, equal
    return None


def check_not_copied(name: str, lines: Sequence[str], references: References) -> None:
    """Refuse a system whose text is that of a reference."""
    if found := copied_reference(lines, references):
        path, equal = found
        raise FormatError(
            f"equals the reference {path} on {equal} of {len(lines)} lines; is it a reference taken for a system, "
            f"or the reverse? Take {name} out of the systems or {path} out of --refs; if the output really is "
            "that good, say so with --allow-copies",
            path=name,
        )


def text_notes(
    name: str, lines: Sequence[str], references: References, *, tokenize: str = "none"
) -> Iterator[str]:
    """Yield what a careful colleague would remark on looking at an output and its references."""
    if found := copied_reference(lines, references):
        yield f"{name}: equals the reference {found[0]} on {found[1]} of {len(lines)} lines; is it an output?"
    if empty := sum(not line.strip() for line in lines):
        yield f"{name}: {empty} of {len(lines)} lines {'is' if empty == 1 else 'are'} empty"
    if tokenize == "none":
        output = _tokenised_share(lines)
        model = _tokenised_share([reference for sentence in references.sentences for reference in sentence[:1]])
        if output is not None and model is not None and abs(output - model) > 0.8:
            which, other = ("detokenised", "tokenised") if output < model else ("tokenised", "detokenised")
            yield (
                f"{name}: looks {which} while the references look {other} (final punctuation stands apart on one "
                "side only); scores will be too low. Tokenise both alike, or choose a tokeniser with --tokenize"
            )


def _tokenised_share(lines: Sequence[str]) -> float | None:
    """Return the share of lines ending in . ? or ! where it stands apart; None where there are too few lines."""
    ended = [line.rstrip() for line in lines if line.rstrip()[-1:] in (".", "?", "!") and len(line.split()) > 1]
    if len(ended) < 10 or 10 * len(ended) < len(lines):
        return None
    return sum(line[-2:-1] == " " for line in ended) / len(ended)


def _same_file(one: str, other: str) -> bool:
    if one == "-" or other == "-":
        return one == other
    return one == other or (Path(one).exists() and Path(other).exists() and Path(one).samefile(other))


def _both(one: str, other: str) -> str:
    name = "<stdin>" if one == "-" else one
    return name if one == other else f"{name} (the same file as {other})"
