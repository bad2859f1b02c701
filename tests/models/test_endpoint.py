"""Embeddings over HTTP, against a real server on this machine that misbehaves in every way we know."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from sidecar.models import endpoint
from sidecar.models.embedding import ModelUnavailable
from sidecar.models.endpoint import EndpointEmbedder
from sidecar.models.transport import Transport
from tests.client.json_value import Json

KEY = "sk-test-0123456789"
Cosine = Callable[[bytes, bytes], float]


@dataclass
class Reply:
    status: int = 200
    body: bytes | None = None  # None: a good endpoint's answer
    headers: dict[str, str] = field(default_factory=dict)
    dimensions: int = 4
    delay: float = 0.0
    drip: float = 0.0
    cut: bool = False


@dataclass
class Endpoint:
    url: str
    seen: list[tuple[str, dict[str, str], dict[str, Json]]] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    usual: Reply = field(default_factory=Reply)
    stopped: threading.Event = field(default_factory=threading.Event)


def vector(text: str, dimensions: int) -> list[float]:
    return [float((len(text) * (place + 3)) % 7 - 3) + 0.25 for place in range(dimensions)]


class Handler(BaseHTTPRequestHandler):
    endpoint: Endpoint

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.endpoint.seen.append((self.path, dict(self.headers), asked))
        reply = self.endpoint.replies.pop(0) if self.endpoint.replies else self.endpoint.usual
        self.endpoint.stopped.wait(reply.delay)
        body = reply.body
        if body is None:
            data = [
                {"object": "embedding", "index": number, "embedding": vector(text, reply.dimensions)}
                for number, text in enumerate(asked["input"])
            ]
            body = json.dumps({"object": "list", "data": data[::-1], "usage": {"total_tokens": 1}}).encode()
        try:
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body) + (5 if reply.cut else 0)))
            self.end_headers()
            if reply.drip:
                for byte in body:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    if self.endpoint.stopped.wait(reply.drip):
                        return
            else:
                self.wfile.write(body)
        except OSError:
            pass

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Endpoint]:
    http = ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Handler,), {}))
    own = Endpoint(f"http://127.0.0.1:{http.server_port}/v1")
    http.RequestHandlerClass.endpoint = own  # type: ignore[attr-defined]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield own
    own.stopped.set()
    http.shutdown()
    thread.join()
    http.server_close()


@dataclass
class Waits:
    asked: list[float] = field(default_factory=list)

    def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)


def connect(server: Endpoint, waits: Waits | None = None, seconds: float = 60.0, **options: Any) -> EndpointEmbedder:
    transport = Transport(server.url, KEY, seconds, sleep=waits or Waits(), **options)
    return EndpointEmbedder.connect(transport, server.url, "small")


def test_texts_become_vectors_in_their_order(server: Endpoint, cosine: Cosine) -> None:
    embedder = connect(server)
    assert embedder.dimensions == 4
    texts = ["tea", "a longer text", "tea"]
    found = embedder.embed(texts)
    assert found[0] == found[2] != found[1]
    path, headers, asked = server.seen[-1]
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert asked == {"model": "small", "input": texts, "encoding_format": "float"}


def test_vectors_keep_their_direction(server: Endpoint, cosine: Cosine) -> None:
    embedder = connect(server)
    server.replies = [Reply(body=b'{"data":[{"index":0,"embedding":[2,0,0,0]},{"index":1,"embedding":[0.5,0,0,0.5]}]}')]
    one, other = embedder.embed(["x", "y"])
    assert cosine(one, other) == pytest.approx(0.5**0.5, abs=0.01)


def test_blank_texts_are_not_sent(server: Endpoint) -> None:
    embedder = connect(server)
    before = len(server.seen)
    assert embedder.embed(["", " \n"]) == [bytes(4)] * 2
    assert embedder.embed([]) == []
    assert len(server.seen) == before
    found = embedder.embed(["", "tea"])
    assert found[0] == bytes(4) != found[1]
    assert server.seen[-1][2]["input"] == ["tea"]


def test_secrets_stay_here(server: Endpoint) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    connect(server).embed([f"the token is {token}", "half \ud800 a pair"])
    sent = json.dumps([asked for _, _, asked in server.seen])
    assert "the token is" in sent
    assert token not in sent


def test_long_texts_are_cut_and_many_are_split(server: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "MAX_TEXTS_PER_REQUEST", 3)
    monkeypatch.setattr(endpoint, "MAX_CHARS_PER_REQUEST", 100)
    monkeypatch.setattr(endpoint, "MAX_SENT_CHARS", 60)
    embedder = connect(server)
    server.seen.clear()
    assert len(set(embedder.embed(["a", "b", "c", "d", "w " * 50, "x " * 30, "y"]))) > 1
    assert [len(asked["input"]) for _, _, asked in server.seen] == [3, 2, 2]
    assert max(len(text) for _, _, asked in server.seen for text in asked["input"]) == 60


def test_dimensions_can_be_asked_for(server: Endpoint) -> None:
    transport = Transport(server.url, None, 20)
    assert EndpointEmbedder.connect(transport, server.url, "small", 4).dimensions == 4
    assert server.seen[-1][2]["dimensions"] == 4
    assert "Authorization" not in server.seen[-1][1]
    with pytest.raises(ModelUnavailable, match="not of 8 dimensions"):
        EndpointEmbedder.connect(transport, server.url, "small", 8)


def test_names_differ_by_model_endpoint_and_dimensions(server: Endpoint) -> None:
    transport = Transport(server.url, None, 20)
    names = {
        EndpointEmbedder(transport, url, model, None, dimensions).name
        for url in ("https://a.example/v1", "https://b.example/v1")
        for model in ("small", "large")
        for dimensions in (4, 8)
    }
    assert len(names) == 8
    one, same = (
        EndpointEmbedder(transport, url, "m", None, 4).name for url in ("https://a.example", "https://a.example/")
    )
    assert one == same


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_passing_faults_are_tried_again_with_growing_pauses(server: Endpoint, status: int) -> None:
    waits = Waits()
    server.replies = [Reply(status, b"{}"), Reply(status, b"{}")]
    assert connect(server, waits).dimensions == 4
    assert len(server.seen) == 3
    assert 0.5 <= waits.asked[0] <= 0.75 < 1.0 <= waits.asked[1] <= 1.5


def test_the_endpoint_says_how_long_to_wait(server: Endpoint) -> None:
    waits = Waits()
    soon = formatdate(time.time() + 25, usegmt=True)
    server.replies = [
        Reply(429, b"", {"Retry-After": "7"}),
        Reply(503, b"", {"Retry-After": soon}),
        Reply(),
        Reply(429, b"", {"Retry-After": "soon"}),
    ]
    embedder = connect(server, waits)
    embedder.embed(["x"])
    assert waits.asked[0] == 7
    assert 0 < waits.asked[1] <= 25
    assert waits.asked[2] < 1


def test_a_wait_that_is_too_long_is_not_waited_for(server: Endpoint) -> None:
    waits = Waits()
    server.replies = [Reply(429, b"", {"Retry-After": "3600"})]
    with pytest.raises(ModelUnavailable, match="status 429"):
        connect(server, waits)
    assert len(server.seen) == 1
    assert waits.asked == []


def test_attempts_end_after_the_third_failure(server: Endpoint) -> None:
    server.usual = Reply(500, b"the stack trace")
    with pytest.raises(ModelUnavailable, match="status 500") as caught:
        connect(server)
    assert len(server.seen) == 3
    assert "stack trace" not in caught.value.message


@pytest.mark.parametrize(("status", "hint"), [(400, None), (401, "key"), (403, "key"), (404, "model's name")])
def test_lasting_faults_are_not_tried_again(server: Endpoint, status: int, hint: str | None) -> None:
    server.usual = Reply(status, b"{}")
    with pytest.raises(ModelUnavailable, match=f"status {status}") as caught:
        connect(server)
    assert len(server.seen) == 1
    assert hint is None or hint in (caught.value.hint or "")


def test_redirects_are_not_followed(server: Endpoint) -> None:
    server.usual = Reply(307, b"", {"Location": f"{server.url}/elsewhere"})
    with pytest.raises(ModelUnavailable, match="status 307") as caught:
        connect(server)
    assert len(server.seen) == 1
    assert "Redirects" in (caught.value.hint or "")


def item(index: object = 0, embedding: object = (1.0, 2.0, 3.0, 4.0)) -> dict[str, object]:
    return {"index": index, "embedding": embedding}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"{}",
        b'{"data": 7}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [' + b"[" * 20_000,
        b'{"data":[{"index":0,"embedding":[NaN,1,1,1]}]}',
        b'{"data":[{"index":0,"embedding":[1e999,1,1,1]}]}',
        b'{"data":[{"index":0,"embedding":[null,1,1,1]}]}',
        b"\xff\xfe\xfa",
        json.dumps({"data": []}).encode(),
        json.dumps({"data": [item(), item()]}).encode(),
        json.dumps({"data": [item(1)]}).encode(),
        json.dumps({"data": [item("0")]}).encode(),
        json.dumps({"data": [item(embedding=[])]}).encode(),
        json.dumps({"data": [item(embedding=[1.0, 2.0])]}).encode(),
        json.dumps({"data": [item(embedding="AACAPw==")]}).encode(),
    ],
    ids=lambda body: body[:40].decode("latin-1"),
)
def test_answers_that_make_no_sense(server: Endpoint, body: bytes) -> None:
    embedder = connect(server)
    server.replies = [Reply(body=body)]
    with pytest.raises(ModelUnavailable, match="answer"):
        embedder.embed(["tea"])
    assert len(embedder.embed(["tea"])) == 1


def test_a_vector_of_zeros_is_one(server: Endpoint) -> None:
    embedder = connect(server)
    server.replies = [Reply(body=json.dumps({"data": [item(embedding=[0, 0, 0, 0])]}).encode())]
    assert embedder.embed(["tea"]) == [bytes(4)]


def test_an_answer_without_end_is_not_read(server: Endpoint) -> None:
    server.usual = Reply(body=b" " * 300_000)
    with pytest.raises(ModelUnavailable, match="more than 200,000 bytes"):
        connect(server, max_bytes=200_000)


@pytest.mark.timeout(100)
def test_slow_and_dripping_answers_end_in_time(server: Endpoint) -> None:
    for reply in (Reply(delay=300), Reply(drip=2.0)):
        server.usual = reply
        with pytest.raises(ModelUnavailable, match="in time"):
            connect(server, seconds=0.4, attempts=1)


def test_an_answer_that_is_cut_is_asked_for_again(server: Endpoint) -> None:
    server.replies = [Reply(cut=True)]
    assert connect(server, seconds=5).dimensions == 4
    assert len(server.seen) == 2


def test_an_endpoint_that_is_absent_is_unavailable() -> None:
    waits = Waits()
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        Transport("http://127.0.0.1:9", None, 5, sleep=waits).post("embeddings", b"{}")
    assert len(waits.asked) == 2


@pytest.mark.parametrize(
    "url", ["", "ftp://host/v1", "http://", "https://user:pass@host/v1", "http://[::1", "http://host:99999/v1"]
)
def test_addresses_that_cannot_be_used(url: str) -> None:
    with pytest.raises(ModelUnavailable):
        Transport(url, None, 20)


def test_a_key_is_not_sent_in_the_open() -> None:
    with pytest.raises(ModelUnavailable, match="unencrypted"):
        Transport("http://models.example/v1", KEY, 20)
    Transport("http://models.example/v1", None, 20)
    Transport("https://models.example/v1", KEY, 20)
    Transport("http://localhost:11434/v1", KEY, 20)
    with pytest.raises(ModelUnavailable, match="characters"):
        Transport("https://models.example/v1", "key\r\nX-Evil: 1", 20)


def test_neither_key_nor_text_is_logged(server: Endpoint, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    embedder = connect(server)
    server.replies = [Reply(500, b""), Reply(401, b"")]
    with pytest.raises(ModelUnavailable) as caught:
        embedder.embed(["a private text"])
    said = caplog.text + str(caught.value) + repr(caught.value.hint) + repr(vars(caught.value))
    assert "status 500" in said
    assert KEY not in said
    assert "private" not in said


def test_a_proxy_of_the_environment_is_used(server: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
    monkeypatch.setenv("no_proxy", "")
    transport = Transport("http://models.example/v1", None, 20)
    assert EndpointEmbedder.connect(transport, "x", "small").dimensions == 4
    assert server.seen[-1][0] == "http://models.example/v1/embeddings"


def test_queries_do_without_an_endpoint_that_has_just_failed(server: Endpoint) -> None:
    now = [0.0]
    slow, quick = (Transport(server.url, None, 20, attempts=attempts) for attempts in (3, 1))
    embedder = EndpointEmbedder.connect(slow, server.url, "small", quick=quick, monotonic=lambda: now[0])
    assert embedder.embed_query("tea") == embedder.embed(["tea"])[0]
    assert embedder.embed_query(" ") == bytes(4)
    server.replies = [Reply(503, b"")]
    before = len(server.seen)
    for now[0] in (1.0, 2.0, 30.9):
        with pytest.raises(ModelUnavailable):
            embedder.embed_query("tea")
    assert len(server.seen) == before + 1
    now[0] = 31.0
    assert embedder.embed_query("tea") == embedder.embed(["tea"])[0]
