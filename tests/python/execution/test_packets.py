"""Packets: what is packed comes back, and anything else is refused."""

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tunesmith.errors import FormatError
from tunesmith.execution import Kept, Packet, pack, unpack

KINDS = st.sampled_from(["<u4", "<i8", "<f8", "<f4", "|u1", "|b1", "<u2"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
ARRAYS = KINDS.flatmap(lambda kind: arrays.arrays(kind, arrays.array_shapes(max_dims=3, min_side=0)))


@given(VALUES, st.dictionaries(st.text(max_size=5), ARRAYS, max_size=3))
def test_what_is_packed_comes_back(values, given_arrays):
    found = unpack(pack(Packet(values, given_arrays)))
    assert found.values == values
    assert found.arrays.keys() == given_arrays.keys()
    for name, array in given_arrays.items():
        assert found.arrays[name].dtype == array.dtype
        assert found.arrays[name].shape == array.shape
        assert found.arrays[name].tobytes() == array.tobytes()


@given(st.data())
def test_damaged_packets_are_read_or_refused(data):
    whole = pack(Packet({"a": 1}, {"x": np.arange(4.0), "y": np.zeros((0, 2), np.uint32)}))
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(FormatError):
        unpack(whole[:cut])
    damaged = bytearray(whole)
    damaged[cut] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(FormatError):
        unpack(bytes(damaged))


@pytest.mark.parametrize(
    "header",
    [b'{"values": 1, "arrays": {"x": ["<f8", [-1]]}}', b'{"values": 1, "arrays": {"x": ["O", [1]]}}', b"[]",
     b'{"values": 1, "arrays": {"x": ["<f8", [99]]}}', b'{"values": 1, "arrays": {}, "more": 2}', b"[" * 2000],
)  # fmt: skip
def test_headers_that_cannot_be_are_refused(header):
    data = b"TSpacket" + len(header).to_bytes(8, "little") + header + bytes(-len(header) % 8)
    with pytest.raises(FormatError):
        unpack(data)


def test_what_was_not_used_for_longest_goes_first():
    kept, made = Kept(2), []

    def get(key):
        return kept.get(key, lambda: made.append(key) or key)

    for key in ("a", "b", "a", "c", "a", "b"):
        assert get(key) == key
    assert made == ["a", "b", "c", "b"]
