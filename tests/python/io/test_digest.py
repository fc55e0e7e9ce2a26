"""Digests: equal for equal content, however it is cut into pieces; different for any change."""

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from tunesmith.io.digest import Digest, file_digest


def of(*parts):
    digest = Digest()
    for part in parts:
        digest.add(part)
    return digest.hex(32)


@given(st.lists(st.binary(max_size=40), max_size=5))
def test_pieces_count_as_one(pieces):
    assert of(*pieces) == of(b"".join(pieces)) == xxhash.xxh3_128(b"".join(pieces)).hexdigest()


@given(st.binary(min_size=1, max_size=60), st.data())
def test_any_flipped_bit_changes_it(content, data):
    bit = data.draw(st.integers(0, 8 * len(content) - 1))
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    assert of(bytes(changed)) != of(content)


def test_text_is_utf_8_and_may_hold_lone_surrogates():
    assert of("müde") == of("müde".encode())
    assert of("\ud800") != of("\ud801")


@pytest.mark.parametrize(
    "array", [np.arange(6.0), np.arange(6.0).reshape(2, 3).T, np.empty(0), np.array(3, np.int64)]
)
def test_an_array_counts_by_its_values_in_order(array):
    digest = Digest()
    digest.add_array(array)
    assert digest.hex(32) == of(np.ascontiguousarray(array).tobytes())


def test_of_a_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x" * (5 << 20))
    assert file_digest(path) == of(b"x" * (5 << 20))
    assert file_digest(path, 8) == of(b"x" * (5 << 20))[:8]
