"""A server under load: connections that send requests for some minutes, against `tunesmith translate`.

Prints one JSON line: sentences per processor second of the server and of `translate`, waits, errors, memory.
Only loopback is used; the number of connections and the time are bounded, and it stops by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        model, lines = _model(Path(folder), options)
        translated = _translate(model, lines * options.repeat, options.threads)
        print(json.dumps({"benchmark": "load_server", **translated, **_load(model, lines, options)}))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--sentences", type=int, default=10, help="of a request")
    parser.add_argument("--kind", default="hiero")
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=10, help="of the text, for translate")
    return parser.parse_args()


def _model(folder: Path, options: argparse.Namespace) -> tuple[Path, list[str]]:
    _tunesmith("phrasebook", "--pairs", str(options.pairs), "-q", "-o", str(folder / "corpus"))
    pair = ("--source", str(folder / "corpus/train.zh"), "--target", str(folder / "corpus/train.en"))
    _tunesmith("train", *pair, "--kind", options.kind, "--aligner", "hmm", "-q", "-o", str(folder / "model"))
    return folder / "model", (folder / "corpus/test.zh").read_text(encoding="utf-8").splitlines()


def _tunesmith(*words: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "tunesmith", *words], check=True, **options)  # type: ignore[call-overload, no-any-return]


def _translate(model: Path, lines: list[str], threads: int) -> dict[str, float]:
    """Processor time of `tunesmith translate` for the text, less that for one line."""

    def seconds(text: list[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        data = "".join(f"{line}\n" for line in text).encode()
        _tunesmith("translate", "-m", str(model), "-j", str(threads), "-q", input=data, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return {"translate_sentences_per_cpu_second": len(lines) / (seconds(lines) - seconds(lines[:1]))}


def _load(model: Path, lines: list[str], options: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, "-m", "tunesmith", "serve", "-m", str(model), "--port", "0"]
    server = subprocess.Popen([*command, "-j", str(options.threads)], stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    try:
        place = re.search(r"http://([\d.]+):(\d+)/", server.stderr.readline())
        assert place is not None
        host, port = place[1], int(place[2])
        asyncio.run(_clients(host, port, lines, options, seconds=min(5.0, options.seconds)))  # caches, threads
        cpu, memory = _used(server.pid)
        begin = time.perf_counter()
        waits, errors, sentences = asyncio.run(_clients(host, port, lines, options, seconds=options.seconds))
        wall = time.perf_counter() - begin
        cpu_after, memory_after = _used(server.pid)
    finally:
        server.terminate()
        server.wait()
    waits.sort()
    return {
        "connections": options.connections, "sentences_of_a_request": options.sentences, "seconds": round(wall, 1),
        "requests": len(waits), "errors": errors, "sentences": sentences,
        "sentences_per_cpu_second": sentences / (cpu_after - cpu), "sentences_per_second": sentences / wall,
        "median_ms": 1000 * waits[len(waits) // 2], "p99_ms": 1000 * waits[int(len(waits) * 0.99)],
        "memory_before_mb": memory, "memory_after_mb": memory_after,
    }  # fmt: skip


def _used(process: int) -> tuple[float, float]:
    """Processor seconds and memory (MB) of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    resident = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return (int(fields[11]) + int(fields[12])) / TICKS, resident * PAGE / 1e6


async def _clients(
    host: str, port: int, lines: list[str], options: argparse.Namespace, *, seconds: float
) -> tuple[list[float], int, int]:
    """Requests one after the other on each connection until the time is up: waits, errors, sentences."""
    end = time.perf_counter() + seconds
    waits: list[float] = []
    counts = {"errors": 0, "sentences": 0}

    async def client(number: int) -> None:
        reader, writer = await asyncio.open_connection(host, port)
        at = number * 7
        while time.perf_counter() < end:
            chosen = [lines[(at + each) % len(lines)] for each in range(options.sentences)]
            at += options.sentences
            body = json.dumps({"sentences": chosen}).encode()
            head = f"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
            head += "Content-Type: application/json\r\n\r\n"
            begin = time.perf_counter()
            writer.write(head.encode() + body)
            status = await reader.readline()
            length = 0
            while (line := await reader.readline()).strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            answer = await reader.readexactly(length)
            waits.append(time.perf_counter() - begin)
            if b" 200 " in status and answer.count(b'"text"') == options.sentences:
                counts["sentences"] += options.sentences
            else:
                counts["errors"] += 1
        writer.close()

    await asyncio.gather(*(client(number) for number in range(options.connections)))
    return waits, counts["errors"], counts["sentences"]


if __name__ == "__main__":
    main()
