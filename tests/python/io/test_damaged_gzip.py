"""Compressed files that are cut off or damaged: every reader raises our error, with file, place and cause."""

import gzip
import io
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.corpora.text_files import written
from support.damage.damage import bits_flipped, cut_off, refused
from support.lists.graph_texts import MOSES_HYPERGRAPH as HYPERGRAPH
from typer.testing import CliRunner

from tunesmith.cli.lists.candidate_files import precomputed_metric
from tunesmith.cli.main import app
from tunesmith.corpus.reference_formats import read_any_references
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.errors import FormatError
from tunesmith.io import iter_blocks, open_bytes, read_lines
from tunesmith.io.toml import read_toml
from tunesmith.jobs.list_files import _check_blocks
from tunesmith.lm import LmOptions, NgramModel
from tunesmith.lm.training import estimate
from tunesmith.metrics import read_scores
from tunesmith.search import CandidateSet, read_list, read_moses_run
from tunesmith.search.graphs.formats import read_graphs
from tunesmith.search.graphs.formats.openfst import read_symbols
from tunesmith.search.list_features import LanguageModel
from tunesmith.weights import Weights

FEATURES = b"FEATURES_TXT_BEGIN_0 0 1 2 LM0_0 TM0_0\n-1.5 0\nFEATURES_TXT_END_0\n"
SCORES = b"SCORES_TXT_BEGIN_0 0 1 9 BLEU\n8 9 5 8 2 7 1 6 10\nSCORES_TXT_END_0\n"
NBEST = b"0 ||| a b ||| lm=-1 tm=2 ||| -3.5\n0 ||| b ||| lm=-2 tm=1 ||| -4\n1 ||| c ||| lm=0 tm=0 ||| 0\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder with whole files that some readers want next to the damaged one."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "features.dat").write_bytes(FEATURES)
    (folder / "flat").write_bytes(b"a b\nc\n")
    estimate(["a b c", "a b b", "c a"] * 3, LmOptions(order=2)).write_arpa(folder / "lm.arpa")
    NgramModel.load(folder / "lm.arpa").save(folder / "lm.bin")
    return folder


def list_feature(path, folder):
    LanguageModel(str(path)).columns(CandidateSet.from_records([{"id": 0, "hypothesis": "a b", "features": {}}]))


# reader: the file that it reads (text, or the name of one in `place`), and the call
READERS = {
    "lines": (b"a b\nc\n", lambda path, folder: read_lines(path)),
    "blocks": (b"a b\nc\n", lambda path, folder: list(iter_blocks(path))),
    "settings": (b'a = 1\nb = "c"\n', lambda path, folder: read_toml(path)),
    "vocabulary": (b"<unk>\t0\n<s>\t0\n</s>\t0\na\t1\n", lambda path, folder: Vocabulary.load(path)),
    "references": (b"a b ||| c\nd ||| e\n", lambda path, folder: read_any_references([path])),
    "weights": (b"# made by hand\nlm\t0.5\ntm\t-1.25\n", lambda path, folder: Weights.read(path)),
    "features.dat": (FEATURES, lambda path, folder: read_moses_run(path)),
    "first bytes": (FEATURES, lambda path, folder: _check_blocks(str(path))),
    "scores.dat": (SCORES, lambda path, folder: read_moses_run(folder / "features.dat", path)),
    "scores": (b"0.5\n0.25\n", lambda path, folder: read_scores(path)),
    "--scores": (
        b"0.5\n0.25\n0.125\n",
        lambda path, folder: precomputed_metric(["list"], [str(path)], None, lower_is_better=False),
    ),
    "n-best list": (NBEST, lambda path, folder: read_list(path)),
    "flat scores": (b"1 2\n3 4\n", lambda path, folder: read_list(folder / "flat", f"flat:n=1,scores={path}")),
    "search graphs": (HYPERGRAPH.encode(), lambda path, folder: read_graphs(path, "moses-hypergraph")),
    "symbols": (
        b"<eps> 0\ntea 1\n",
        lambda path, folder: read_symbols(str(path)),
    ),
    "ARPA": ("lm.arpa", lambda path, folder: NgramModel.load(path)),
    "binary language model": ("lm.bin", lambda path, folder: NgramModel.load(path)),
    "list feature with a language model": ("lm.arpa", list_feature),
}


@pytest.mark.parametrize("kind", READERS)
def test_every_reader_refuses_what_is_cut_off_or_damaged(tmp_path, place, kind):
    content, read = READERS[kind]
    data = (place / content).read_bytes() if isinstance(content, str) else content
    packed = gzip.compress(data, mtime=0)
    path = tmp_path / "packed"
    path.write_bytes(packed)
    read(path, place)
    for cut in [*cut_off(packed[:40]), *cut_off(packed, 60)]:
        path.write_bytes(cut)
        # A text of one byte may begin like gzip, and some look at the beginning alone.
        assert refused(lambda: read(path, place), str(path)) or len(cut) < 2 or kind == "first bytes", len(cut)
    for changed in bits_flipped(packed, 150):
        path.write_bytes(changed)
        refused(lambda: read(path, place), str(path))


WAYS = {
    "read": lambda stream: stream.read(),
    "read so many": lambda stream: [stream.read(7) for _ in range(6000)],
    "read1": lambda stream: list(iter(lambda: stream.read1(100), b"")),
    "readinto": lambda stream: [stream.readinto(bytearray(1000)) for _ in range(100)],
    "readinto1": lambda stream: [stream.readinto1(bytearray(1000)) for _ in range(1000)],
    "readline": lambda stream: list(iter(stream.readline, b"")),
    "readlines": lambda stream: stream.readlines(),
    "iteration": lambda stream: list(stream),
    "peek": lambda stream: [(stream.peek(1), stream.read(5000)) for _ in range(20)],
    "text": lambda stream: io.TextIOWrapper(stream).read(),
}
TEXT = "".join(f"line {i}\n" for i in range(4000)).encode()
PACKED = gzip.compress(TEXT)
DAMAGE = {
    "cut off": (PACKED[:5000], "its end is missing", "byte 5000 "),
    "without its trailer": (PACKED[:-8], "its end is missing", f"byte {len(PACKED) - 8} "),
    "wrong checksum": (PACKED[:-8] + bytes(8), "its checksum is wrong", f"byte {len(PACKED) - 8} "),
    "wrong length": (PACKED[:-4] + bytes(4), "its length is wrong", f"byte {len(PACKED) - 8} "),
    "rubbish after it": (PACKED + b"rubbish of a few bytes", "what follows is not gzip", f"byte {len(PACKED)} "),
    "other method": (PACKED[:2] + b"\7" + PACKED[3:], "method 7 is not known", "byte 0 "),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", DAMAGE)
def test_every_way_of_reading_names_file_place_and_cause(tmp_path, kind, way):
    data, cause, offset = DAMAGE[kind]
    path = written(tmp_path / "text", data)
    with pytest.raises(FormatError) as caught, open_bytes(path) as stream:
        WAYS[way](stream)
    for part in (f"{path}:", "gzip data is damaged or cut off", cause, offset, "get the file again"):
        assert part in str(caught.value)


MEMBERS = {
    "one": [TEXT],
    "several": [b"a\n", b"", TEXT, b"b"],
    "none but an empty one": [b""],
    "larger than a buffer": [bytes(3_000_000) + b"end"],
}


@pytest.mark.parametrize("way", ["read", "read1", "iteration"])
@pytest.mark.parametrize("members", MEMBERS)
@pytest.mark.parametrize("padding", [0, 1, 512])
def test_members_are_joined_and_padding_is_passed_over(tmp_path, members, padding, way):
    path = written(tmp_path / "text", b"".join(map(gzip.compress, MEMBERS[members])) + bytes(padding))
    with open_bytes(path) as stream:
        found = WAYS[way](stream)
    assert (found if isinstance(found, bytes) else b"".join(found)) == b"".join(MEMBERS[members])


def test_headers_with_everything_in_them(tmp_path):
    body = gzip.compress(TEXT, mtime=0)[10:]
    header = b"\x1f\x8b\x08\x1f" + bytes(6) + b"\x03\x00abc" + b"name\0" + b"comment\0" + b"\x12\x34"
    path = written(tmp_path / "text", header + body)
    with open_bytes(path) as stream:
        assert stream.read() == TEXT
    for cut in range(2, len(header)):
        path.write_bytes(header[:cut])
        assert refused(lambda: read_lines(path), str(path))


def test_a_device_that_fails_while_reading_is_named(tmp_path, monkeypatch):
    class Failing(io.BytesIO):
        def seekable(self):
            return False

        def read1(self, size=-1):
            if self.tell():
                raise OSError(5, "Input/output error")
            return super().read1(16)

        def read(self, size=-1):
            if self.tell() and size != 0:
                raise OSError(5, "Input/output error")
            return super().read(size)

    for data in (TEXT, PACKED):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=Failing(data)))
        for way in ("read", "read1", "readline"):
            monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=Failing(data)))
            with (
                pytest.raises(FormatError, match=r"<stdin>: cannot be read any further \(Input/output error\)"),
                open_bytes("-") as stream,
            ):
                WAYS[way](stream)


@pytest.mark.parametrize("file", ["scores", "features.dat", "weights"])
def test_the_command_says_more_than_aborted(tmp_path, place, file):
    """Click turns an EOFError into `Aborted.`, which hides the file and the reason."""
    path = tmp_path / "packed.gz"
    content = {"scores": b"0.5\n", "features.dat": FEATURES, "weights": b"lm\t0.5\n"}[file]
    words = {
        "scores": ["tune", "--candidates", place / "features.dat", "--scores", path, "-o", tmp_path / "run"],
        "features.dat": ["tune", "--candidates", path, "--scores", path, "-o", tmp_path / "run"],
        "weights": ["rerank", place / "features.dat", "-W", path],
    }[file]
    for size in (4, 15, 22, len(gzip.compress(content)) - 1):
        path.write_bytes(gzip.compress(content)[:size])
        ended = CliRunner().invoke(app, [str(word) for word in words])
        assert ended.exit_code == 1
        assert len(ended.stderr.splitlines()) == 1
        assert f"{path}:" in ended.stderr
        assert "gzip data is damaged or cut off" in ended.stderr
