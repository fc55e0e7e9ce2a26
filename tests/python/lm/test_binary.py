"""The binary file: loads as it was saved, and no damage goes unnoticed."""

import gzip
import random
import struct
import subprocess
import sys

import pytest
from support.models.lm_text import random_lines

from tunesmith._core import LmModel
from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.lm import LmOptions, NgramModel

# Magic, byte order and version, file size, fingerprint, 4 + 3 × 9 sizes, two checksums.
HEADER = 16 + 8 + 8 + 8 + 8 * (4 + 3 * 9) + 16


def mapped(path):
    with path.open("rb") as file:
        return LmModel.map(file.fileno(), str(path), 0)


@pytest.fixture(scope="module", params=[1, 2, 3, 5])
def model(request):
    return NgramModel.train(random_lines(300, 60, seed=request.param), LmOptions(order=request.param))


def test_saved_and_loaded_it_is_the_same(model, tmp_path):
    path = tmp_path / "lm.bin"
    model.save(path)
    loaded = NgramModel.load(path)
    lines = random_lines(100, 70, seed=9)
    assert loaded.score(lines).log10.tolist() == model.score(lines).log10.tolist()
    assert (loaded.order, loaded.ngrams, loaded.vocabulary) == (model.order, model.ngrams, model.vocabulary)
    loaded.save(tmp_path / "again.bin")
    assert (tmp_path / "again.bin").read_bytes() == path.read_bytes()


def test_compressed_by_hand_it_can_still_be_read(model, tmp_path):
    model.save(tmp_path / "lm.bin")
    (tmp_path / "lm.bin.gz").write_bytes(gzip.compress((tmp_path / "lm.bin").read_bytes()))
    assert NgramModel.load(tmp_path / "lm.bin.gz").vocabulary == model.vocabulary
    with pytest.raises(ConfigError, match="cannot be gzip"):
        model.save(tmp_path / "new.bin.gz")


def test_cut_gzip_is_an_error_of_ours(model, tmp_path):
    model.save(tmp_path / "lm.bin")
    path = tmp_path / "lm.bin.gz"
    data = gzip.compress((tmp_path / "lm.bin").read_bytes())
    for size in (len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        with pytest.raises(FormatError, match=r"lm\.bin\.gz: the gzip data is damaged or cut off"):
            NgramModel.load(path)


def test_samples_of_a_file_without_a_block_for_them(model, tmp_path):
    # Small n-gram tables end in the block of the unigrams, those of order 1 always do.
    path = tmp_path / "lm.bin"
    model.save(path)
    assert len(mapped(path)) == len(model)


def test_it_can_come_from_a_pipe(model, tmp_path):
    model.save(tmp_path / "lm.bin")
    code = "import sys; from tunesmith.lm import NgramModel; print(NgramModel.load(sys.argv[1]).ngrams)"
    command = f"{sys.executable} -c '{code}' <(cat {tmp_path}/lm.bin)"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert ran.stdout.decode().strip() == str(model.ngrams)


def test_every_flipped_byte_is_noticed(model, tmp_path):
    path = tmp_path / "lm.bin"
    model.save(path)
    good = path.read_bytes()
    rng = random.Random(1)
    places = {*range(0, 600), *range(len(good) - 200, len(good)), *rng.sample(range(len(good)), 400)}
    for at in sorted(places):
        bad = bytearray(good)
        bad[at] ^= 1 << rng.randrange(8)
        path.write_bytes(bad)
        with pytest.raises(FormatError) as caught:
            NgramModel.load(path)
        assert caught.value.path == str(path)


def test_every_cut_is_noticed(model, tmp_path):
    path = tmp_path / "lm.bin"
    model.save(path)
    good = path.read_bytes()
    rng = random.Random(1)
    for size in [0, 1, 13, 16, 20, 100, 400, *rng.sample(range(len(good)), 100), len(good) - 1]:
        path.write_bytes(good[:size])
        with pytest.raises(FormatError):
            NgramModel.load(path)
    path.write_bytes(good + b"\0")
    with pytest.raises(FormatError, match="damaged"):
        NgramModel.load(path)


def checksum(data: bytes) -> bytes:
    """A twin of cpp/base/files/checksum.hpp."""
    turn = lambda x: (x << 29 | x >> 35) & (2**64 - 1)  # noqa: E731
    lanes = [len(data), 1, 2, 3]
    padded = data + bytes(-len(data) % 8)
    words = struct.unpack(f"<{len(padded) // 8}Q", padded)
    whole = len(words) // 4 * 4
    for at, word in enumerate(words):
        lane = at % 4 if at < whole else at - whole
        lanes[lane] = turn(((lanes[lane] ^ word) * 0x9E3779B97F4A7C15) & (2**64 - 1))
    total = 0
    for lane in lanes:
        total = turn(((total ^ lane) * 0x9E3779B97F4A7C15) & (2**64 - 1))
        total ^= total >> 32
    return struct.pack("<Q", total)


def resealed(data: bytes) -> bytes:
    """The header with a checksum that fits it."""
    return data[: HEADER - 8] + checksum(data[: HEADER - 8]) + data[HEADER:]


@pytest.mark.parametrize("words", [b"\xff\xfezz", b"q\xc3(z", b"q\xc3\xa9z"])
def test_words_that_are_not_text_are_noticed_with_right_checksums(tmp_path, words):
    """The file was made on purpose: all checksums fit. In the last one, words are cut inside of a character."""
    path = tmp_path / "lm.bin"
    NgramModel.train(["qq zz"]).save(path)
    good = path.read_bytes()
    sums = -(-HEADER // 64) * 64  # one block of data, so one checksum, then the data
    assert good.count(b"qqzz") == 1
    data = good.replace(b"qqzz", words)
    assert good[sums : sums + 8] == checksum(good[sums + 64 :])
    data = data[:sums] + checksum(data[sums + 64 :]) + data[sums + 8 :]
    data = resealed(data[: HEADER - 16] + checksum(data[sums : sums + 8]) + data[HEADER - 8 :])
    path.write_bytes(data)
    with pytest.raises(FormatError, match="its words are not UTF-8"):
        NgramModel.load(path)


def test_messages_say_what_is_wrong(tmp_path):
    path = tmp_path / "lm.bin"
    NgramModel.train(["a b"]).save(path)
    good = path.read_bytes()

    def message(data: bytes) -> str:
        path.write_bytes(data)
        with pytest.raises(FormatError) as caught:
            NgramModel.load(path)
        return str(caught.value)

    assert "the other byte order" in message(good[:16] + good[16:20][::-1] + good[20:])
    assert "has version 7, this program reads version 1" in message(good[:20] + struct.pack("=I", 7) + good[24:])
    assert "was it cut off?" in message(good[:-64])
    assert "makes other keys" in message(resealed(good[:32] + b"\x01" * 8 + good[40:]))
    assert "the checksum of its header is wrong" in message(good[:48] + b"\xff" + good[49:])
    assert "wrong checksum behind byte" in message(good[:-100] + b"\xff\xfe" + good[-98:])
    assert "not a binary model" in message(good[:13] + b"9" + good[14:])
    assert "lm convert" in message(good[:-64])


def test_random_bytes_behind_the_magic_never_crash(tmp_path):
    path = tmp_path / "lm.bin"
    rng = random.Random(1)
    for _ in range(300):
        path.write_bytes(b"tunesmith-lm 1\n\0" + rng.randbytes(rng.randrange(2000)))
        with pytest.raises(FormatError):
            NgramModel.load(path)


def test_a_folder_and_a_missing_file(tmp_path):
    with pytest.raises(MissingFileError, match="is a folder"):
        NgramModel.load(tmp_path)
    with pytest.raises(MissingFileError, match="no such file"):
        NgramModel.load(tmp_path / "lm.bin")


def test_it_can_come_from_standard_input(tmp_path):
    NgramModel.train(["a b"]).save(tmp_path / "lm.bin")
    code = "from tunesmith.lm import NgramModel; print(NgramModel.load('-').ngrams)"
    with (tmp_path / "lm.bin").open("rb") as stream:
        ran = subprocess.run([sys.executable, "-c", code], stdin=stream, capture_output=True, check=True)
    assert ran.stdout.decode().strip() == str(NgramModel.train(["a b"]).ngrams)


def test_large_files_are_checked_in_samples(tmp_path):
    path = tmp_path / "lm.bin"
    NgramModel.train(random_lines(40_000, 30_000, seed=1), LmOptions(order=5)).save(path)
    assert path.stat().st_size > 5 * 2**20
    assert len(mapped(path)) == len(NgramModel.load(path))  # no block is beyond the samples here
    for at in (100, 2**20, path.stat().st_size - 1000):  # header, words, the last n-grams
        data = bytearray(path.read_bytes())
        data[at] ^= 4
        (tmp_path / "bad.bin").write_bytes(data)
        with pytest.raises(ValueError, match="damaged"):
            mapped(tmp_path / "bad.bin")
