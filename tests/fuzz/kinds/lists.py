"""n-best lists in every dialect, whole, in parts, with bad lines left out; files of Moses' tuning tools."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

from fuzz.kind import OUT, Files, Kind
from tunesmith.errors import ConfigError
from tunesmith.search import ListStream, read_list, read_moses_run, write_kbest
from tunesmith.search.dialects import dialects
from tunesmith.search.lists.records import from_records

REAL = {
    "moses": "0 ||| das ist gut ||| Lex0= -1.5 0.5 LM0= -12.25 WordPenalty0= -3 sparse_a= 1 ||| -4.5 ||| 0-0 1-1\n"
    "0 ||| es ist gut ||| Lex0= -1.25 0 LM0= -13 WordPenalty0= -3 ||| -4.75 ||| 0-0 1-1\n"
    "1 ||| ja ||| Lex0= 0 0 LM0= -2 WordPenalty0= -1 ||| -0.5 ||| 0-0\n",
    "cdec": "0 ||| das ist gut ||| LanguageModel=-12.25 Phrase_0=1.5 WordPenalty=-1.25 ||| -4.5\n"
    "0 ||| es ist gut ||| LanguageModel=-13 Phrase_0=1.75 WordPenalty=-1.25 ||| -4.75\n"
    "1 ||| ja ||| LanguageModel=-2 WordPenalty=-0.5 ||| -0.5\n",
    "joshua": "0 ||| das ist gut ||| lm_0=-12.25 tm_pt_0=1.5 WordPenalty=-1.25 ||| -4.5\n"
    "0 ||| es ist gut ||| lm_0=-13 tm_pt_0=1.75 WordPenalty=-1.25 ||| -4.75\n"
    "1 ||| ja ||| lm_0=-2 WordPenalty=-0.5 ||| -0.5\n",
    "travatar": "0 ||| das ist gut ||| -4.5 ||| lm=-12.25 egfp=1.5 word=3\n"
    "0 ||| es ist gut ||| -4.75 ||| lm=-13 egfp=1.75 word=3\n1 ||| ja ||| -0.5 ||| lm=-2 word=1\n",
    "marian": "0 ||| das ist gut . ||| 0-0 1-1 ||| F0= -1.775 F1= -1.92 WordScores= -1.5 -0.25 ||| -0.739\n"
    "0 ||| es ist gut . ||| 0-0 1-1 ||| F0= -2.125 F1= -2.03 WordScores= -1.5 -0.25 ||| -0.825\n"
    "1 ||| ja ||| 0-0 ||| F0= -0.5 F1= -0.25 WordScores= -0.5 -0.25 ||| -0.25\n",
    "fairseq": "2020-11-15 10:00:00 | INFO | fairseq_cli.generate | loading model(s)\nS-1\tyes\nT-1\tja\n"
    "H-1\t-0.25\tja\nD-1\t-0.25\tja\nP-1\t-0.2500 -0.2500\nS-0\tthis is good\nT-0\tdas ist gut\n"
    "H-0\t-0.5\tda@@ s ist gut\nD-0\t-0.5\tdas ist gut\nP-0\t-0.5000 -0.2500 -0.5000 -0.7500\n"
    "H-0\t-0.75\tes ist gut\nD-0\t-0.75\tes ist gut\nP-0\t-0.7500 -0.7500 -0.7500\nGenerate test: BLEU4 = 27.00\n",
    "sockeye": '{"score": 0.5, "scores": [0.5, 0.75], "sentence_id": 1, "translation": "das ist gut", '
    '"translations": ["das ist gut", "es ist gut"]}\n{"score": 0.25, "sentence_id": 2, "translation": "ja"}\n',
    "json": '{"id": 0, "hypothesis": "das ist gut", "features": {"lm": -12.25, "rare": 1}, "score": -4.5, '
    '"references": ["gut"]}\n{"id": 0, "hypothesis": "es ist gut", "features": {"lm": -13}, "score": -4.75}\n'
    '{"id": 1, "hypothesis": "ja", "features": {"lm": -2}, "score": -0.5, "references": ["ja"], "more": [1]}\n',
    "huggingface": '{"id": 0, "sequences": ["das ist gut", "es ist gut"], "sequences_scores": [-0.5, -0.75], '
    '"token_logprobs": [[-0.5, -0.25], [-1]], "features": {"lm": [-12.25, -13]}}\n'
    '{"id": 1, "sequences": ["ja"], "sequences_scores": [-0.25]}\n',
    "ctranslate2": '{"hypotheses": [["das", "ist"], ["es"]], "scores": [-0.5, -0.75]}\n'
    '{"hypotheses": [["ja"]], "scores": [-0.25], "attention": [[[0.5]]]}\n',
    "openai": '{"choices": [{"text": "das ist gut", "logprobs": {"token_logprobs": [null, -0.5, -0.25]}}, '
    '{"message": {"content": "es"}, "logprobs": {"content": [{"token": "es", "logprob": -1}]}}]}\n'
    '{"custom_id": "r-1", "response": {"body": {"choices": [{"text": "ja", "cumulative_logprob": -0.5, '
    '"token_ids": [1, 2], "features": {"lm": -2}}]}}}\n',
    "flat": "# n=2\tmodel_score\tlm\tbert\ndas ist gut\t-4.5\t-12.25\t0.5\nes ist gut\t-4.75\t-13\t0.25\n"
    "ja\t-0.5\t-2\t1\nja ja\t-0.75\t-3\t1\n",
}
FEATURES = (
    "FEATURES_TXT_BEGIN_0 0 2 3 LM0_0 TM0_0 TM0_1\n-1.5 0 2\n-2.5 1 2 sparse_a=1 sparse_b=x=0.5\n"
    "FEATURES_TXT_END_0\nFEATURES_TXT_BEGIN_0 2 1 3 LM0_0 TM0_0 TM0_1\n0 0 1\nFEATURES_TXT_END_0\n"
)
SCORES = (
    "SCORES_TXT_BEGIN_0 0 2 9 BLEU\n8 9 5 8 2 7 1 6 10\n1 2 0 1 0 0 0 0 10\nSCORES_TXT_END_0\n"
    "SCORES_TXT_BEGIN_0 2 1 9 BLEU\n3 3 2 2 1 1 0 0 4\nSCORES_TXT_END_0\n"
)
_SEPARATORS = (b" ||| ", b" ", b"=", b"\t", b"-")


def _whole(dialect: str) -> Callable[[Path], None]:
    def read(folder: Path) -> None:
        found = read_list(folder / "input", dialect).candidates
        (folder / OUT).mkdir()
        try:
            write_kbest(found, folder / OUT / "again", dialect, lossy=True)
        except ConfigError:  # what cannot be written in this dialect
            return
        read_list(folder / OUT / "again", dialect)

    return read


def _lenient(dialect: str) -> Callable[[Path], None]:
    def read(folder: Path) -> None:
        for part in ListStream(folder / "input", dialect, skip_bad=True).parts():
            part.candidates.rows()

    return read


def _unordered(folder: Path) -> None:
    for part in ListStream(folder / "input", any_order=True, skip_bad=True).parts():
        part.candidates.rows()


def _recognised(folder: Path) -> None:
    read_list(folder / "input")


def _flat_beside(folder: Path) -> None:
    read_list(folder / "input", f"flat:n=2,scores={folder / 'numbers'}")


def _records(folder: Path) -> None:
    import json

    text = (folder / "input").read_bytes()
    try:
        records = [json.loads(line) for line in text.splitlines()]
    except (ValueError, RecursionError):
        return
    from_records(records)


def _run(folder: Path) -> None:
    read_moses_run(folder / "features.dat", folder / "scores.dat")


def kinds() -> list[Kind]:
    seeds: dict[str, list[Files]] = {
        name: [{"input": text.encode()}, {"input": gzip.compress(text.encode(), mtime=0)}]
        for name, text in REAL.items()
    }
    everything = [each[0] for each in seeds.values()]
    run = {"features.dat": FEATURES.encode(), "scores.dat": SCORES.encode()}
    beside = {"input": b"das ist gut\nes ist gut\nja\nja ja\n", "numbers": b"# lm b\n-1 2\n-3 4\n0 0\n1e-3 .5\n"}
    blocks = (
        b"FEATURES_TXT_BEGIN_0",
        b"FEATURES_TXT_END_0",
        b"SCORES_TXT_BEGIN_0",
        b"SCORES_TXT_END_0",
        b"BLEU",
        b"x=1",
    )
    found = [
        Kind(
            f"list-{name}", (lambda name=name: seeds[name]), _whole(name), separators=_SEPARATORS, words=(b"|||",)
        )  # type: ignore[misc]
        for name in REAL
    ]
    found += [
        Kind(f"list-{name}-parts", (lambda name=name: seeds[name]), _lenient(name), separators=_SEPARATORS)  # type: ignore[misc]
        for name in REAL
    ]
    assert {*REAL, "moses-dat"} >= set(dialects), "a new dialect needs its seeds here"
    return [
        *found,
        Kind("list-any", lambda: everything, _recognised, separators=_SEPARATORS),
        Kind("list-any-order", lambda: everything, _unordered, separators=_SEPARATORS),
        Kind("list-flat-beside", lambda: [beside], _flat_beside, separators=(b"\t", b" ")),
        Kind("list-records", lambda: seeds["json"][:1], _records),
        Kind(
            "moses-features-dat",
            lambda: [run],
            _run,
            damaged=("features.dat",),
            separators=(b" ", b"="),
            words=blocks,
        ),
        Kind("moses-scores-dat", lambda: [run], _run, damaged=("scores.dat",), words=blocks),
    ]
