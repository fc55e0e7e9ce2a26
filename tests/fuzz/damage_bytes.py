"""Damage that knows nothing of the format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

MAGIC = (
    *(b"\x1f\x8b\x08\x00", b"\xef\xbb\xbf", b"\xff\xfe", b"BZh91AY&SY", b"PK\x03\x04", b"\xfd7zXZ\x00"),
    *(b"\x93NUMPY\x01\x00", b"tunesmith-lm ", b"tunesmith-graphs ", b"#", b"\\data\\", b"\\end\\"),
    *(b"\r", b"\n", b"\r\n", b"\0", b"\x1b[31m", b"\x1b]0;x\x07", b"\x7f", b"\x85", b"\x1e", b"\x1c", b"\x0b"),
    *("\u2028".encode(), "\u202e".encode(), "\u3000".encode(), "\u00a0".encode(), "１２".encode(), "²".encode()),
    *(
        b"\xed\xa0\x80",
        b"\xc0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe6\x88",
        b"\xff",
        b"\\ud800",
        b"|||",
        b"\t",
        b"=",
        b":",
    ),
)
NUMBERS = (
    *(b"0", b"-0", b"-1", b"1", b"255", b"256", b"65535", b"65536", b"2147483647", b"2147483648", b"-2147483649"),
    *(b"4294967295", b"4294967296", b"9223372036854775807", b"9223372036854775808", b"18446744073709551615"),
    *(b"18446744073709551616", b"1e9", b"1e308", b"1e309", b"-1e309", b"1e-320", b"1e-400", b"nan", b"inf"),
    *(b"-inf", b"Infinity", b"NaN", b"1_000", b"0x10", b"1.", b".5", b"+1", b"1e", b"9" * 400, b"9" * 5000),
    *(b"0." + b"0" * 400 + b"1", "١٢".encode(), b"1e3\x1e", b"1,5", b"--1", b"", b" "),
)
WORDS = tuple(
    value.to_bytes(size, "little")
    for size in (4, 8)
    for value in (
        *(0, 1, 2, 3, 7, 255, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 2),
        *((2**32, 2**61, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**60) if size == 8 else (0x7F800000, 0x7FC00000)),
    )
)  # of 32 and 64 bits

Damage = Callable[[bytearray, Random], None]


def flip_bits(data: bytearray, random: Random) -> None:
    for _ in range(random.choice((1, 1, 1, 2, 8))):
        if data:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def set_bytes(data: bytearray, random: Random) -> None:
    for _ in range(random.choice((1, 1, 2, 5))):
        if data:
            data[random.randrange(len(data))] = random.choice((0, 10, 32, 127, 255, random.randrange(256)))


def insert_bytes(data: bytearray, random: Random) -> None:
    at = random.randint(0, len(data))
    data[at:at] = random.choice(MAGIC) if random.random() < 0.7 else random.randbytes(random.randint(1, 9))


def delete_bytes(data: bytearray, random: Random) -> None:
    at = random.randint(0, len(data))
    del data[at : at + random.choice((1, 1, 2, 4, 8, 64))]


def cut_off(data: bytearray, random: Random) -> None:
    del data[random.randint(0, len(data)) :]


def cut_front(data: bytearray, random: Random) -> None:
    del data[: random.randint(0, min(len(data), 64))]


def double_block(data: bytearray, random: Random) -> None:
    begin = random.randint(0, len(data))
    block = data[begin : begin + random.choice((1, 8, 40, 200))]
    at = random.randint(0, len(data))
    data[at:at] = block * random.choice((1, 1, 2, 9))


def move_block(data: bytearray, random: Random) -> None:
    begin = random.randint(0, len(data))
    block = data[begin : begin + random.choice((1, 8, 40))]
    del data[begin : begin + len(block)]
    at = random.randint(0, len(data))
    data[at:at] = block


def zero_block(data: bytearray, random: Random) -> None:
    begin = random.randint(0, len(data))
    end = min(len(data), begin + random.choice((4, 8, 64)))
    data[begin:end] = bytes(end - begin)


def put_number(data: bytearray, random: Random) -> None:
    """A number of 32 or 64 bits at a place where one may be."""
    word = random.choice(WORDS)
    if len(data) >= len(word):
        at = random.randrange((len(data) - len(word)) // len(word) + 1) * len(word)
        data[at : at + len(word)] = word


def lengthen(data: bytearray, random: Random) -> None:
    """A very long word or line, or deep nesting."""
    at = random.randint(0, len(data))
    piece, times = random.choice(
        ((b"x", 70_000), (b"a ", 9_000), (b"[", 3_000), (b'{"a":', 2_000), (b"\n", 3_000))
    )
    data[at:at] = piece * times


_ALL: Sequence[Damage] = (
    *(flip_bits, set_bytes, insert_bytes, delete_bytes, cut_off, double_block, move_block, put_number) * 3,
    *(cut_front, zero_block, put_number),
)
_RARE = 1 / 150


def damage(data: bytearray, random: Random) -> None:
    """One damage of any sort."""
    if random.random() < _RARE:
        lengthen(data, random)
    else:
        random.choice(_ALL)(data, random)


def splice(data: bytearray, other: bytes, random: Random) -> None:
    """The front of one and the end of another."""
    del data[random.randint(0, len(data)) :]
    data += other[random.randint(0, len(other)) :]
