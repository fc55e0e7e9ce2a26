"""A server under load: connections that send requests for some minutes, against `tunesmith translate`.

Prints one JSON line: sentences per processor second of the server and of `translate` (mean of one run before and
one after), waits, refusals (429), errors (anything else), memory at ten moments. A client that is refused waits
for the time that the server names. In addition to the connections that count, some clients send bodies that are no
JSON, stop in the middle of a request, close one direction, or speak another protocol.
Only loopback is used; the number of connections and the time are bounded, and it stops by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        model, lines = _model(options.folder or Path(folder), options)
        before = _translate(model, lines * options.repeat, options.threads)
        found = _load(model, lines, options)
        speed = (before + _translate(model, lines * options.repeat, options.threads)) / 2
        found["translate_sentences_per_cpu_second"] = speed
        found["ratio"] = found["sentences_per_cpu_second"] / speed
        print(json.dumps({"benchmark": "load_server", **found}))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--sentences", type=int, default=10, help="of a request")
    parser.add_argument("--disturbers", type=int, default=8, help="clients that misbehave")
    parser.add_argument("--kind", default="hiero")
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--folder", type=Path, help="of corpus and model, made where they are not there")
    parser.add_argument("--request-seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=10, help="of the text, for translate")
    return parser.parse_args()


def _model(folder: Path, options: argparse.Namespace) -> tuple[Path, list[str]]:
    if not (folder / "corpus").exists():
        _tunesmith("phrasebook", "--pairs", str(options.pairs), "-q", "-o", str(folder / "corpus"))
    pair = ("--source", str(folder / "corpus/train.zh"), "--target", str(folder / "corpus/train.en"))
    _tunesmith("train", *pair, "--kind", options.kind, "--aligner", "hmm", "-q", "-o", str(folder / "model"))
    return folder / "model", (folder / "corpus/test.zh").read_text(encoding="utf-8").splitlines()


def _tunesmith(*words: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "tunesmith", *words], check=True, **options)  # type: ignore[call-overload, no-any-return]


def _translate(model: Path, lines: list[str], threads: int) -> float:
    """Sentences per processor second of `tunesmith translate`, without what it needs to start."""

    def seconds(text: list[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        data = "".join(f"{line}\n" for line in text).encode()
        _tunesmith("translate", "-m", str(model), "-j", str(threads), "-q", input=data, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return (len(lines) - 1) / (seconds(lines) - seconds(lines[:1]))


def _load(model: Path, lines: list[str], options: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, "-m", "tunesmith", "serve", "-m", str(model), "--port", "0"]
    command += ["-j", str(options.threads), "--request-seconds", str(options.request_seconds)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    try:
        said = server.stderr.readline()
        threading.Thread(target=server.stderr.read, daemon=True).start()  # a full pipe would stop the server
        place = re.search(r"http://([\d.]+):(\d+)/", said)
        assert place is not None
        host, port = place[1], int(place[2])
        asyncio.run(
            _clients(host, port, lines, options, seconds=min(20.0, options.seconds / 2))
        )  # caches, threads
        cpu, *_ = _used(server.pid)
        begin = time.perf_counter()
        counted = asyncio.run(_clients(host, port, lines, options, seconds=options.seconds, server=server.pid))
        wall = time.perf_counter() - begin
        cpu_after, *_ = _used(server.pid)
    finally:
        server.terminate()
        server.wait()
    waits = sorted(counted.waits)
    return {
        "connections": options.connections, "sentences_of_a_request": options.sentences, "seconds": round(wall, 1),
        "answered": len(waits), "refused": counted.refused, "errors": counted.errors, "seen": dict(counted.seen),
        "sentences": counted.sentences, "disturbances": counted.disturbances,
        "sentences_per_cpu_second": counted.sentences / (cpu_after - cpu),
        "sentences_per_second": counted.sentences / wall,
        "median_ms": 1000 * waits[len(waits) // 2], "p99_ms": 1000 * waits[int(len(waits) * 0.99)],
        "memory_mb": [round(each, 1) for each, _ in counted.memory],
        "memory_without_files_mb": [round(each, 1) for _, each in counted.memory],
    }  # fmt: skip


def _used(process: int) -> tuple[float, float, float]:
    """Processor seconds of a process so far, its memory, and its memory without the files of the model (MB)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    status = Path(f"/proc/{process}/status").read_text()
    sizes = dict(re.findall(r"(\w+):\s+(\d+) kB", status))
    whole, own = (int(sizes[name]) / 1024 for name in ("VmRSS", "RssAnon"))
    return (int(fields[11]) + int(fields[12])) / TICKS, whole, own


@dataclass
class Counted:
    """What the clients saw: seconds of each answer, refusals, errors, sentences, memory of the server at times."""

    waits: list[float] = field(default_factory=list)
    refused: int = 0
    errors: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    sentences: int = 0
    disturbances: int = 0
    memory: list[tuple[float, float]] = field(default_factory=list)


async def _clients(
    host: str,
    port: int,
    lines: list[str],
    options: argparse.Namespace,
    *,
    seconds: float,
    server: int | None = None,
) -> Counted:
    """Requests on each connection, one after the other, for some time. server: process whose memory is read."""
    counted = Counted()
    end = time.perf_counter() + seconds

    async def watch(process: int) -> None:
        for _ in range(10):
            await asyncio.sleep(seconds / 10)
            counted.memory.append(_used(process)[1:])

    work = [_client(host, port, lines, options.sentences, number, end, counted)
            for number in range(options.connections)]  # fmt: skip
    work += [_disturb(host, port, number, end, counted) for number in range(options.disturbers)]
    work += [watch(server)] if server is not None else []
    await asyncio.wait_for(asyncio.gather(*work), seconds + 120)
    return counted


async def _client(
    host: str, port: int, lines: list[str], sentences: int, number: int, end: float, counted: Counted
) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    at = number * 7
    while time.perf_counter() < end:
        chosen = [lines[(at + each) % len(lines)] for each in range(sentences)]
        at += sentences
        begin = time.perf_counter()
        writer.write(_request(json.dumps({"sentences": chosen}).encode()))
        status, retry_after, answer = await _answer(reader)
        if b" 200 " in status and answer.count(b'"text"') == sentences:
            counted.waits.append(time.perf_counter() - begin)
            counted.sentences += sentences
        elif b" 429 " in status and retry_after and b"try again" in answer:
            counted.refused += 1
            writer.close()  # the server closes connections that say nothing for some seconds
            await asyncio.sleep(min(retry_after, max(0.0, end - time.perf_counter())))
            reader, writer = await asyncio.open_connection(host, port)
        else:
            counted.errors += 1
            counted.seen[status.decode("latin-1").strip() or "no answer"] += 1
            writer.close()
            reader, writer = await asyncio.open_connection(host, port)
    writer.close()


def _request(body: bytes, length: int | None = None) -> bytes:
    head = f"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length or len(body)}\r\n"
    return head.encode() + b"Content-Type: application/json\r\n\r\n" + body


async def _answer(reader: asyncio.StreamReader) -> tuple[bytes, int, bytes]:
    """Status line, seconds of Retry-After (0 without), body."""
    status = await reader.readline()
    length = retry_after = 0
    while (line := await reader.readline()).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
        elif name.lower() == b"retry-after":
            retry_after = int(value)
    return status, retry_after, await reader.readexactly(length)


async def _disturb(host: str, port: int, number: int, end: float, counted: Counted) -> None:
    """Misbehave in one way after the other, each on a new connection."""
    ways = itertools.islice(itertools.cycle(range(4)), number, None)
    while time.perf_counter() < end:
        reader, writer = await asyncio.open_connection(host, port)
        way = next(ways)
        if way == 0:  # a body that is not JSON
            writer.write(_request(b'{"sentences": ["'))
            status, *_ = await _answer(reader)
            counted.errors += b" 400 " not in status
        elif way == 1:  # the body stops on its way
            writer.write(_request(b'{"sentences"', length=1000))
            await asyncio.sleep(1)
        elif way == 2:  # nothing more will be sent, nor read
            writer.write(_request(b'{"sentences": ["a b c"]}'))
            writer.write_eof()
        else:  # not HTTP
            writer.write(b"\x16\x03\x01\x00\r\n\r\n")
            await reader.read(1000)
        writer.close()
        counted.disturbances += 1
        await asyncio.sleep(0.2)


if __name__ == "__main__":
    main()
