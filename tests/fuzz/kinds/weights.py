"""Weights: ours, those of moses.ini and of cdec; scores of sentences that are kept."""

from __future__ import annotations

import gzip
from pathlib import Path

from fuzz.kind import OUT, Kind, one_file
from tunesmith.metrics.score_cache import ScoreCache, key_of
from tunesmith.weight_formats import read_weights, weights_format, write_weights
from tunesmith.weights import Weights, compare_weights

_TSV = "# tune mira|seed:1|version:1.0\nlm\t0.5\nid:茶|tea\t-1.25e-07\nlong name\t0\nx\t1e300\n"
_CDEC = "LM0 0.5\nTM0_0 0.1 # more\n\nTM0_1 -2\n"
_MOSES = "[feature]\nKENLM name=LM0\n[weight]\nLM0= 0.5\nTM0= 0.1 0.2\n\n[x]\n1\n"


def _own(folder: Path) -> None:
    found = Weights.read(folder / "input")
    (folder / OUT).mkdir()
    found.write(folder / OUT / "again")
    if len(found) < 1000:
        compare_weights(found, Weights.read(folder / OUT / "again"))


def _other(folder: Path) -> None:
    from tunesmith.io import read_lines

    text = "\n".join([*read_lines(folder / "input"), ""])
    kind = weights_format(text)
    found = read_weights(text, kind, "input")
    write_weights(found, text, kind, "sparse")


def _scores(folder: Path) -> None:
    found = ScoreCache("mine", folder / "input")
    (folder / OUT).mkdir()
    (folder / OUT / "again").write_bytes((folder / "input").read_bytes())
    ScoreCache("mine", folder / OUT / "again").add([(key_of("new"), 1.0)])
    assert len(ScoreCache("mine", folder / OUT / "again")) >= len(found)


def kinds() -> list[Kind]:
    scores = "".join(f"{key_of(text)}\t{score}\n" for text, score in (("a", 0.5), ("茶", -1e-07)))
    packed = gzip.compress(_TSV.encode(), mtime=0)
    return [
        Kind("weights", one_file(_TSV, _TSV.split("\n", 1)[1], packed), _own),
        Kind("kept-scores", one_file(f"# scores of mine\n{scores}"), _scores),
        Kind("weights-cdec", one_file(_CDEC), _other),
        Kind("weights-moses", one_file(_MOSES), _other, separators=(b" ", b"="), words=(b"[weight]", b"LM0=")),
    ]
