"""A local model endpoint that speaks the OpenAI protocol and does what a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.client.json_value import Json
from tests.waiting import eventually

Reply = Callable[[Json], "tuple[int, dict[str, str], bytes]"]


def completion(text: object, tokens: object = 100) -> bytes:
    """Return a whole answer of `/chat/completions`."""
    body = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": tokens},
    }
    return json.dumps(body).encode()


class Endpoint:
    """`asked` holds each request's body and `keys` its authorization; `reply` decides the answer."""

    def __init__(self) -> None:
        self.asked: list[Json] = []
        self.keys: list[str | None] = []
        self.reply: Reply = lambda body: (200, {}, completion("It parses settings with `load` for the server."))
        self.arrived = threading.Condition()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with endpoint.arrived:
                    endpoint.asked.append(body)
                    endpoint.keys.append(self.headers.get("Authorization"))
                    endpoint.arrived.notify_all()
                status, headers, data = endpoint.reply(body)
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments: object) -> None:
                """Nothing: the test's output is for the test."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def texts(self) -> list[str]:
        """Return the texts sent as the user's message, in order."""
        return [str(body["messages"][1]["content"]) for body in self.asked]

    def wait(self, number: int, seconds: float = 90) -> None:
        """Wait for this many requests."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.asked) >= number, seconds), "no such request came"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


@pytest.fixture
def until() -> Callable[..., None]:
    return eventually


@pytest.fixture
def complete() -> Callable[..., bytes]:
    return completion
