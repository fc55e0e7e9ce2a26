"""Limits of time of connections: slow heads, answers that nobody reads, and clients that do nothing wrong."""

import contextlib
import importlib
import socket
import threading
import time

import pytest
import uvicorn
from support.processes.waiting import until

from tunesmith.serving.connections import timed_connections

SECONDS = 1.5
KINDS = {"httptools": "httptools_impl.HttpToolsProtocol", "h11": "h11_impl.H11Protocol"}
HEAD = b"GET /%s HTTP/1.1\r\nHost: localhost\r\n"


async def app(scope, receive, send):
    """Answers /large by 50 MB, and any other path by a word after 1.5 times the limit of a head."""
    import asyncio

    body = b"a" * 50_000_000 if scope["path"] == "/large" else b"word"
    if scope["path"] == "/slow":
        await asyncio.sleep(1.5 * SECONDS)
    await send({"type": "http.response.start", "status": 200,
                "headers": [(b"content-length", str(len(body)).encode())]})  # fmt: skip
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(params=KINDS)
def started(request, monkeypatch):
    """Start a server with these limits, for both kinds of connection that uvicorn has; the server and its port."""
    module, _, name = KINDS[request.param].partition(".")
    kind = getattr(importlib.import_module(f"uvicorn.protocols.http.{module}"), name)
    monkeypatch.setattr("uvicorn.protocols.http.auto.AutoHTTPProtocol", kind)
    running = []

    def start(seconds=SECONDS, head=SECONDS):
        bound = socket.create_server(("127.0.0.1", 0))
        connections = timed_connections(seconds, head)
        server = uvicorn.Server(uvicorn.Config(app, http=connections, ws="none", lifespan="off", log_config=None))
        running.append((server, threading.Thread(target=server.run, args=([bound],))))
        running[-1][1].start()
        until(lambda: server.started)
        return server, bound.getsockname()[1]

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def connected(port, *, received=None):
    with socket.socket() as client:
        client.settimeout(120)
        if received is not None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, received)
        client.connect(("127.0.0.1", port))
        yield client


def read_all(client):
    return b"".join(iter(lambda: client.recv(1 << 16), b""))


def test_a_head_that_does_not_arrive_ends_the_connection(started):
    _, port = started(seconds=60)
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connected(port)) for _ in range(5)]
        for client, sent in zip(clients, (b"", b"G", HEAD % b"", HEAD % b"" + b"X: y"), strict=False):
            client.sendall(sent)
        clients[-1].sendall(HEAD % b"" + b"\r\n")  # one whole request, and the beginning of a second one
        until(lambda: b"word" in clients[-1].recv(1 << 16))
        clients[-1].sendall(HEAD % b"")
        for client in clients:
            said = read_all(client)
            assert said.startswith(b"HTTP/1.1 408 ")
            assert said.endswith(b'{"error": "the request did not arrive in time"}')


def test_answers_may_take_longer_than_heads(started):
    with connected(started()[1]) as client:
        client.sendall(HEAD % b"slow" + b"Connection: close\r\n\r\n")
        assert read_all(client).endswith(b"word")


def test_an_answer_that_nobody_reads_ends_the_connection(started):
    server, port = started(head=60)
    with connected(port, received=4096) as client:
        client.sendall(HEAD % b"large" + b"\r\n")
        until(lambda: server.server_state.connections)
        until(lambda: not server.server_state.connections)
        with contextlib.suppress(ConnectionResetError):
            assert len(read_all(client)) < 50_000_000


def test_an_answer_that_is_read_slowly_arrives(started):
    """It takes longer than the limit, but something is always read within it."""
    with connected(started(seconds=4)[1]) as client:
        client.sendall(HEAD % b"large" + b"Connection: close\r\n\r\n")
        got = 0
        for part in range(1, 11):
            while got < part * 4_000_000:  # the system keeps some megabytes, which the server has sent
                got += len(client.recv(1 << 20))
            time.sleep(0.5)
        assert got + len(read_all(client)) > 50_000_000
