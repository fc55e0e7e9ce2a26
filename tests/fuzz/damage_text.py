"""Damage of text by lines and fields."""

from __future__ import annotations

from random import Random

from fuzz.damage_bytes import MAGIC, NUMBERS
from fuzz.damage_json import damage_tree, dump, parse


def damage_lines(data: bytes, separators: tuple[bytes, ...], words: tuple[bytes, ...], random: Random) -> bytes:
    """One line, or a field of one, damaged."""
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    line = lines[at]
    how = random.random()
    if how < 0.08:
        del lines[at]
    elif how < 0.16:
        lines.insert(at, random.choice(lines))
    elif how < 0.22:
        other = random.randrange(len(lines))
        lines[at], lines[other] = lines[other], line
    elif how < 0.26:
        lines.insert(at, b"")
    elif how < 0.45 and line[:1] in b"{[" and line:
        try:
            lines[at] = dump(damage_tree(parse(line), random))
        except (ValueError, RecursionError):
            lines[at] = line[1:]
    else:
        lines[at] = _damage_fields(line, separators, words, random)
    return b"\n".join(lines)


def _damage_fields(line: bytes, separators: tuple[bytes, ...], words: tuple[bytes, ...], random: Random) -> bytes:
    present = [each for each in separators if each in line]
    separator = random.choice(present or list(separators))
    fields = line.split(separator)
    at = random.randrange(len(fields))
    how = random.random()
    if how < 0.12:
        del fields[at]
    elif how < 0.24:
        fields.insert(at, random.choice(fields))
    elif how < 0.5:
        fields[at] = random.choice(NUMBERS)
    elif how < 0.6:
        fields[at] += random.choice(MAGIC)
    elif how < 0.66:
        fields[at] = b""
    elif how < 0.74 and words:
        fields[at] = random.choice(words)
    elif how < 0.8:
        other = random.randrange(len(fields))
        fields[at], fields[other] = fields[other], fields[at]
    elif how < 0.9:
        fields[at] = _number_changed(fields[at], random)
    else:
        return line.replace(separator, random.choice((*separators, b"", b" ")), random.choice((1, -1)))
    return separator.join(fields)


def _number_changed(field: bytes, random: Random) -> bytes:
    """A digit changed, a sign or an exponent added."""
    digits = [at for at, byte in enumerate(field) if 48 <= byte <= 57]
    if not digits:
        return field + random.choice(NUMBERS)
    at = random.choice(digits)
    new = random.choice((b"", b"0", b"9", b"-", b".", b"e", b"99999999999", b"1e400"))
    return field[:at] + new + field[at + random.choice((0, 1)) :]
