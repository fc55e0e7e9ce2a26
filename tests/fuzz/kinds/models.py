"""Model directories, opened and decoded with."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fuzz.judge import put
from fuzz.kind import Files, Kind, files_of
from fuzz.kinds.moses import HIERO, PHRASE
from fuzz.memory import scratch
from fuzz.reseal import reseal_all
from tunesmith.config import read_system
from tunesmith.decoding import load_decoder
from tunesmith.decoding.model import TranslationModel
from tunesmith.training.import_moses import import_moses


@cache
def _model(phrase: bool) -> Files:
    with scratch("tunesmith-seed-") as name:
        folder = Path(name)
        put(folder / "moses", PHRASE if phrase else HIERO)
        import_moses(folder / "moses/moses.ini", folder / "model")
        return {f"model/{path}": data for path, data in files_of(folder / "model").items()}


def seeds() -> list[Files]:
    return [dict(_model(True)), dict(_model(False))]


def _decode(folder: Path) -> None:
    decoder = load_decoder(folder / "model", pop_limit=10)
    decoder.k_best(["das haus", "a"], 2)


def _open(folder: Path) -> None:
    model = TranslationModel.open(folder / "model")
    model.doubts()
    model.options()
    str(model.signature(model.options()))


def kinds() -> list[Kind]:
    words = (b"true", b"[[lm]]", b"[decoder]", b'"../x"', b'"/etc/passwd"', b"[rules]", b'"id"', b'"reordering"')
    return [
        Kind(
            "system-toml",
            seeds,
            lambda f: read_system(f / "model"),
            damaged=("model/system.toml",),
            separators=(b" = ", b"=", b'"'),
            words=words,
        ),
        Kind("model", seeds, _open, reseal=reseal_all, separators=(b" = ", b"\t", b" ")),
        Kind("model-decode", seeds, _decode, reseal=reseal_all, separators=(b" = ", b"\t", b" ")),
        Kind("model-weights", seeds, _decode, damaged=("model/weights.tsv",)),
    ]
