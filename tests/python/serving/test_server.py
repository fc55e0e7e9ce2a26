"""A real server on loopback: answers, refusals, clients that misbehave, signals."""

import concurrent.futures
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.parse

import pytest
from support.processes.waiting import until

from tunesmith.errors import TunesmithError
from tunesmith.serving import Client
from tunesmith.serving.openapi import ENDPOINTS
from tunesmith.weights import Weights

JSON = {"Content-Type": "application/json"}


def exchange(server, method, path, body=None, headers=None):
    """Status, headers and body of an answer."""
    place = urllib.parse.urlsplit(server)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=120)
    try:
        connection.request(method, path, body, JSON if headers is None else headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def raw(server):
    place = urllib.parse.urlsplit(server)
    return socket.create_connection((place.hostname, place.port), timeout=120)


def counted(server, name):
    text = exchange(server, "GET", "/metrics")[2].decode()
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))


def test_translations_are_those_of_the_decoder_for_many_clients_at_once(server, opened, lines):
    expected = [each.text for each in opened.decoder().translate(lines)]
    client = Client(server)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        whole = [pool.submit(client.translate, lines) for _ in range(4)]
        single = [pool.submit(client.translate, [line]) for line in lines]
        assert all(each.result() == expected for each in whole)
        assert [each.result()[0] for each in single] == expected
    assert counted(server, "tunesmith_sentences_total") >= 5 * len(lines)


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 400, "truncated"),
        (b"{", 400, "truncated"),
        (b"\xff\xfe", 400, "cannot be used"),
        (b"[1, 2]", 400, "object"),
        (b'{"sentences": "a"}', 400, "Expected `array`"),
        (b'{"sentences": [1]}', 400, r"sentences\[0\]"),
        (b'{"sentence": ["a"]}', 400, "sentence"),
        (b'{"sentences": ["a"], "nbest": 0}', 400, ">= 1"),
        (b'{"sentences": ["a"], "nbest": 1001}', 400, "<= 1000"),
        (b'{"sentences": ["a"], "changes": {"lm": 1e999}}', 400, "changes"),
        (b"[" * 100_000, 400, "cannot be used"),
        (b'{"sentences": ["' + b"a" * 4_000_001 + b'"]}', 413, "more than 4000000 bytes"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bodies_that_cannot_be_used_are_refused_in_words(server, body, status, words):
    found, headers, text = exchange(server, "POST", "/translate", body)
    assert (found, headers["content-type"]) == (status, "application/json")
    error = json.loads(text)["error"]
    assert re.search(words, error), error
    assert Client(server).translate(["我 要 茶 。"])


def test_a_page_of_another_site_cannot_ask(server):
    body = json.dumps({"sentences": ["a"]})
    assert exchange(server, "POST", "/translate", body, {"Content-Type": "text/plain"})[0] == 415
    assert exchange(server, "POST", "/translate", body, {**JSON, "Host": "evil.example:80"})[0] == 403
    status, headers, _ = exchange(server, "OPTIONS", "/translate", None, {"Origin": "http://evil.example"})
    assert status == 405
    assert not [name for name in headers if name.lower().startswith("access-control")]


def test_any_loopback_name_may_be_used(server):
    for host in ("localhost", "localhost:80", "127.0.0.1:8080", "127.0.0.2", "[::1]:80"):
        assert exchange(server, "GET", "/health", None, {"Host": host})[0] == 200


def test_paths_that_do_not_exist_say_where_to_look(server):
    for method, path, status in (("GET", "/no", 404), ("GET", "/translate", 405), ("GET", "/../etc/passwd", 404)):
        found, headers, text = exchange(server, method, path)
        assert (found, "/docs" in json.loads(text)["error"]) == (status, True)
        assert headers.get("allow") == ("POST" if status == 405 else None)


def described(server, token=None):
    """Paths of the document with the statuses that it names, and the parameters and bodies that it asks for."""
    document = Client(server, token).ask("/openapi.json")
    text = json.dumps(document)
    assert all(f'"#/components/schemas/{name}"' in text for name in document["components"]["schemas"])
    return {path: next(iter(each.values())) for path, each in document["paths"].items()}


def test_the_document_lists_every_path_and_every_answer(server):
    paths = described(server)
    assert paths.keys() == {each.path for each in ENDPOINTS}
    for each in ENDPOINTS:
        found = paths[each.path]
        query = "".join(f"?{name}=x" for name in each.parameters)
        body = "{}" if "requestBody" in found else None
        status, headers, _ = exchange(server, each.method, each.path + query, body)
        assert headers["content-type"].partition(";")[0] in found["responses"][str(status)]["content"]
        assert "security" not in found
        if query:
            assert [parameter["name"] for parameter in found["parameters"]] == ["run"]
            assert exchange(server, each.method, each.path)[0] == 400  # it is required
        if body:
            assert exchange(server, each.method, each.path, "[")[0] == 400
            assert exchange(server, each.method, each.path, "{}", {})[0] == 415
            assert {"400", "415"} <= found["responses"].keys()
        assert exchange(server, each.method, each.path, None, {"Host": "evil.example"})[0] == 403
        assert "403" in found["responses"]
    page = exchange(server, "GET", "/docs")[2].decode()
    assert all(each.path in page for each in ENDPOINTS)


def test_no_request_is_lost_while_weights_are_read_again(serving, model_folder, opened, lines, tmp_path):
    """Each answer is that of the old or of the new weights; in the end all are those of the new ones."""
    start = opened.start_weights()
    both = [start, Weights.from_mapping({**dict(start.items()), "lm": 0.05, "word_penalty": -1.5})]
    texts = [[each.text for each in opened.decoder(each).translate(lines)] for each in both]
    assert texts[0] != texts[1]
    file, ended = tmp_path / "weights.tsv", threading.Event()
    start.write(file)
    client = Client(serving("-W", file)[1])

    def asking():
        answers = []
        while not ended.is_set():
            answers.append(client.translate(lines))
        return answers

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(asking) for _ in range(4)]
        for number in range(1, 10):
            both[number % 2].write(file)
            assert client.ask("/reload", {}) == {"reloaded": [tmp_path.name]}
        assert client.translate(lines) == texts[1]
        ended.set()
        answers = [each for thread in asked for each in thread.result()]
    pairs = list(zip(*texts, strict=True))
    assert all(text in pair for each in answers for text, pair in zip(each, pairs, strict=True))


def test_metrics_are_those_that_prometheus_knows(server):
    text = exchange(server, "GET", "/metrics")[2].decode()
    for block in text.split("# HELP ")[1:]:
        about, kind, *values = block.splitlines()
        name = about.split()[0]
        assert kind.split()[:3] == ["#", "TYPE", name]
        assert values
        assert all(line.startswith(name) and float(line.rpartition(" ")[2]) >= 0 for line in values)
    assert 1e7 < counted(server, "process_resident_memory_bytes") < 1e10


def test_a_client_that_goes_away_is_not_decoded_for(server, lines):
    before = counted(server, "tunesmith_requests_total")
    body = json.dumps({"sentences": lines * 20, "nbest": 10, "features": True}).encode()
    with raw(server) as client:
        client.sendall(
            b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body
        )
        until(lambda: Client(server).ask("/health")["waiting"] > 0)
    until(lambda: Client(server).ask("/health")["waiting"] == 0)
    assert counted(server, 'tunesmith_requests_total{path="/translate",status="499"}') == 1
    assert counted(server, "tunesmith_requests_total") > before


def test_slow_and_half_closed_connections_do_not_disturb_others(server):
    slow = [raw(server) for _ in range(20)]
    try:
        for client in slow:
            client.sendall(b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Le")
        half = raw(server)
        half.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        half.shutdown(socket.SHUT_WR)
        garbage = raw(server)
        garbage.sendall(b"\x16\x03\x01 this is not HTTP\r\n\r\n")
        assert b"400" in garbage.recv(1000)
        assert Client(server).translate(["我 要 茶 。"])
        half.close()
        garbage.close()
    finally:
        for client in slow:
            client.close()


def test_what_clients_do_wrong_is_not_written_to_stderr(serving):
    """It would fill disks; where stderr is a pipe that nobody reads, the server would stop."""
    process, server = serving()
    for _ in range(20):
        with raw(server) as garbage:
            garbage.sendall(b"this is not HTTP\r\n\r\n")
            assert b"400" in garbage.recv(1000)
        assert exchange(server, "POST", "/translate", b"{")[0] == 400
    process.send_signal(signal.SIGTERM)
    assert process.stderr.read().splitlines() == ["tunesmith: ended by SIGTERM"]


def test_a_server_for_others_needs_a_token(serving, tmp_path, model_folder):
    command = [
        sys.executable,
        "-m",
        "tunesmith",
        "serve",
        "-m",
        str(model_folder),
        "--host",
        "0.0.0.0",
        "--port",
        "0",
    ]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "--token-file" in refused.stderr
    token = tmp_path / "token"
    token.write_text("short\n")
    assert subprocess.run([*command, "--token-file", str(token)], capture_output=True, check=False).returncode == 2
    token.write_text("a-token-of-some-length\n")
    _, server = serving("--token-file", token)
    assert exchange(server, "POST", "/translate", '{"sentences": ["a"]}')[0] == 401
    assert exchange(server, "GET", "/model")[1]["www-authenticate"] == "Bearer"
    with pytest.raises(TunesmithError, match="needs a token"):
        Client(server, "another-token-of-some-length").translate(["a"])
    assert Client(server, "a-token-of-some-length").translate(["我"])
    assert exchange(server, "GET", "/")[0] == 200
    for path, about in described(server, "a-token-of-some-length").items():
        method = next(each.method for each in ENDPOINTS if each.path == path)
        refused = exchange(server, method, path)[0] == 401
        assert refused == ("security" in about) == ("401" in about["responses"]), path


def test_sigterm_answers_what_has_begun(serving, lines):
    process, server = serving("--request-seconds", "600")  # however busy the machine is
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        request = pool.submit(Client(server, seconds=600).translate, lines * 20)
        until(lambda: Client(server).ask("/health")["waiting"] > 0)
        process.send_signal(signal.SIGTERM)
        assert len(request.result()) == 20 * len(lines)
    assert process.wait(120) == 128 + signal.SIGTERM
    with pytest.raises(TunesmithError, match="is tunesmith serve running there"):
        Client(server).ask("/health")


def test_a_request_that_takes_too_long_is_given_up_and_the_server_goes_on(serving, lines):
    _, server = serving("--request-seconds", "0.05")
    status, headers, text = exchange(
        server, "POST", "/translate", json.dumps({"sentences": lines * 25, "nbest": 10})
    )
    assert status == 504
    assert "fewer sentences" in json.loads(text)["error"]
    assert headers["retry-after"] == "1"
    until(lambda: Client(server).ask("/health")["waiting"] == 0)


def test_a_port_in_use_and_a_folder_that_is_no_model_are_named(server, model_folder, tmp_path):
    port = str(urllib.parse.urlsplit(server).port)
    for words, said in (
        (["-m", str(model_folder), "--port", port], "choose another port"),
        (["-m", str(tmp_path), "--port", "0"], str(tmp_path)),
        (["-m", str(model_folder), "--port", "0", "-W", "a/x.tsv", "-W", "b/x.tsv"], "rename one"),
        (["-m", str(model_folder), "--port", "0", "--runs", str(tmp_path / "no")], "no such folder"),
    ):
        ended = subprocess.run(
            [sys.executable, "-m", "tunesmith", "serve", *words], capture_output=True, text=True, check=False
        )
        assert ended.returncode in (1, 2), ended.stderr
        assert said in ended.stderr
