"""The file of a class language model: two lines, the words, and a binary model of the classes.

tunesmith-class-lm 1
3 5f1c02aa                    number of words, and the checksum (crc32) of their lines
tea<TAB>7<TAB>12              word, class, count
…
tunesmith-lm …                a binary language model, which has checksums of its own
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping

from tunesmith import _core
from tunesmith.errors import ConfigError, FormatError, core_errors
from tunesmith.io import StrPath, display_name, open_bytes, output_bytes
from tunesmith.lm.model import NgramModel

CLASS_MAGIC = b"tunesmith-class-lm "
SPECIAL = ("<s>", "</s>", "<unk>")
"""Words of n-gram models, which no class may be called."""
_HEAD = CLASS_MAGIC + b"1\n"
_LARGEST = 2**63 - 1
Found = tuple[NgramModel, dict[str, str], dict[str, int]]


def write_class_model(
    path: StrPath, ngrams: NgramModel, classes: Mapping[str, str], counts: Mapping[str, int]
) -> None:
    """Write the file, all or nothing."""
    if str(path).endswith(".gz"):
        raise ConfigError(f"{path}: a class language model cannot be gzip")
    block = "".join(f"{word}\t{label}\t{counts[word]}\n" for word, label in classes.items()).encode()
    ngrams.confirm()
    with output_bytes(path) as out:
        out.write(_HEAD)
        out.write(f"{len(classes)} {zlib.crc32(block):08x}\n".encode())
        out.write(block)
        out.write(ngrams.native.image)


def read_class_model(path: StrPath) -> Found:
    """Read n-grams, classes and counts of a file; FormatError names what is wrong with it."""
    name = display_name(path)
    with open_bytes(path) as stream:
        content = stream.read()
    if not content.startswith(_HEAD):
        raise FormatError("expected a class language model, as tunesmith lm train --classes writes it", path=name)
    head, _, rest = content[len(_HEAD) :].partition(b"\n")
    size, checksum = _sizes(head, name)
    end = _end_of_lines(rest, size)
    block = rest[:end]
    if zlib.crc32(block) != checksum:
        raise FormatError("the words do not have the checksum of the file; it is damaged", path=name, line=2)
    classes: dict[str, str] = {}
    counts: dict[str, int] = {}
    for number, line in enumerate(block.splitlines(), 3):
        try:
            word, label, count = line.decode().split("\t")
            if word.split() != [word] or label.split() != [label] or label in SPECIAL or word in classes:
                raise ValueError
            counts[word] = _count(count)
            classes[word] = label
        except ValueError:
            raise FormatError(
                "expected word<TAB>class<TAB>count, each word once", path=name, line=number
            ) from None
    with core_errors(name):
        return NgramModel(_core.LmModel.from_bytes(rest[end:])), classes, counts


def _sizes(head: bytes, name: str) -> tuple[int, int]:
    fields = head.split(b" ")
    if len(fields) == 2 and fields[0].isdigit() and len(fields[0]) <= 12 and len(fields[1]) == 8:
        try:
            return int(fields[0]), int(fields[1], 16)
        except ValueError:
            pass
    raise FormatError("expected the number of words and a checksum of eight digits", path=name, line=2)


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 19 and 1 <= int(text) <= _LARGEST:
        return int(text)
    raise ValueError


def _end_of_lines(text: bytes, size: int) -> int:
    """Return where the first `size` lines end; 0 if there are fewer."""
    end = 0
    for _ in range(size):
        end = text.find(b"\n", end) + 1
        if end == 0:
            break
    return end
