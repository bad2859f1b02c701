"""The HTTP server of the page. It serves three files, and answers requests through the engine."""

from __future__ import annotations

import secrets
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any, Final

import msgspec

from protocol.errors import ErrorData
from sidecar.cli.projects import Projects, search_all
from sidecar.runtime.errors import SidecarError

HOST: Final = "127.0.0.1"
# The longest memory has far fewer bytes.
MAX_REQUEST_BYTES: Final = 1_000_000
PAGE_FILES: Final = {"": "page.html", "page.css": "page.css", "page.js": "page.js"}
CONTENT_TYPES: Final = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
PAGE_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# The methods that the page may call.
PAGE_METHODS: Final = frozenset(
    f"memory/{name}"
    for name in "list get history links stats candidates"
    " update archive restore delete undo redo rate resolve reopen verify confirm reject".split()
)


class PageRequest(msgspec.Struct, forbid_unknown_fields=True):
    """One request of the page. Without a project, it is about all projects."""

    method: str
    params: dict[str, Any] = {}
    project: str | None = None


class PageServer(ThreadingHTTPServer):
    """Serves the page at `url`. Raises OSError if the port is taken."""

    daemon_threads = True

    def __init__(self, projects: Projects, port: int, first: str) -> None:
        super().__init__((HOST, port), _Handler)
        self.projects = projects
        self.first = first
        self.token = secrets.token_urlsafe(24)
        self.origin = f"http://{HOST}:{self.server_port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/{self.token}/"

    def answer(self, request: PageRequest) -> Any:
        """Return the result of a request. Raises KeyError, `SidecarError`, ValidationError."""
        if request.project is None:
            if request.method == "projects":
                return {"projects": self.projects.all, "first": self.first}
            if request.method == "search":
                return search_all(self.projects, request.params)
        elif request.method in PAGE_METHODS:
            return self.projects.call(request.project, request.method, request.params)
        raise KeyError(request.method)


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "memory-sidecar", ""
    timeout = 30

    def do_GET(self) -> None:
        name = self._path()
        if name is None or name not in PAGE_FILES:
            self._send(HTTPStatus.NOT_FOUND, b"Not found.\n", "text/plain")
            return
        file = PAGE_FILES[name]
        body = (resources.files(__package__ or "") / file).read_bytes()
        self._send(HTTPStatus.OK, body, CONTENT_TYPES[file.rpartition(".")[2]])

    def do_POST(self) -> None:
        size = self.headers.get("Content-Length", "")
        plain = self.headers.get("Content-Type", "").partition(";")[0].strip() != "application/json"
        foreign = self.headers.get("Origin", self.server.origin) != self.server.origin
        if self._path() != "ask" or plain or foreign or not size.isdecimal() or int(size) > MAX_REQUEST_BYTES:
            self.close_connection = True
            self._send(HTTPStatus.NOT_FOUND, b"Not found.\n", "text/plain")
            return
        try:
            request = msgspec.json.decode(self.rfile.read(int(size)), type=PageRequest)
            status, result = HTTPStatus.OK, self.server.answer(request)
        except SidecarError as error:
            status, result = HTTPStatus.CONFLICT, {"message": error.message, "data": error.data}
        except (msgspec.MsgspecError, KeyError, UnicodeDecodeError) as error:
            status, result = HTTPStatus.BAD_REQUEST, {"message": str(error), "data": ErrorData(reason="usage")}
        self._send(status, msgspec.json.encode(result), "application/json")

    def _path(self) -> str | None:
        """Return the path after the token; None if the token or the host is wrong."""
        host = self.headers.get("Host", "")
        token, slash, rest = self.path.removeprefix("/").partition("/")
        has_token = secrets.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        return rest if has_token and slash and f"http://{host}" == self.server.origin else None

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in PAGE_HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing, because a line would reveal the token."""
