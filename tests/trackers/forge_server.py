"""A local forge that answers over HTTP as GitLab and GitHub do, or as badly as a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Protocol

FIXTURES = Path(__file__).parent / "fixtures"


@dataclass
class Reply:
    status: int = 200
    body: bytes | dict[str, object] = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    cut: bool = False


@dataclass
class ForgeServer:
    """`seen` holds path and headers of each request, `replies` the answer of each path; 404 for any other."""

    url: str
    port: int
    seen: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    replies: dict[str, Reply | Callable[[dict[str, str]], Reply]] = field(default_factory=dict)
    stopped: threading.Event = field(default_factory=threading.Event)

    def paths(self) -> list[str]:
        return [path for path, _ in self.seen]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    forge: ForgeServer

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.forge.seen.append((self.path, headers))
        given = self.forge.replies.get(self.path, Reply(404, {"message": "Not Found"}))
        reply = given(headers) if callable(given) else given
        self.forge.stopped.wait(reply.delay)
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        try:
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body) + (5 if reply.cut else 0)))
            self.end_headers()
            for byte in body if reply.drip else ():
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                if self.forge.stopped.wait(reply.drip):
                    return
            if not reply.drip:
                self.wfile.write(body)
            if reply.cut:
                self.close_connection = True
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass


def serve() -> Iterator[ForgeServer]:
    http = ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Handler,), {}))
    own = ForgeServer(f"http://127.0.0.1:{http.server_port}", http.server_port)
    http.RequestHandlerClass.forge = own  # type: ignore[attr-defined]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield own
    own.stopped.set()
    http.shutdown()
    thread.join()
    http.server_close()


class Shape(Protocol):
    """Returns a recorded answer of a forge with some fields changed."""

    def __call__(self, name: str, **changes: object) -> dict[str, object]: ...
