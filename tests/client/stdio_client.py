"""A raw JSON-RPC client for tests: sends bytes, reads frames, and knows every message that nobody looked at.

`close()` fails when the server sent something that the test neither consumed nor declared ignorable: a second
response to a request, or a notification that should not be there, cannot go unnoticed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING

from tests.client.json_value import Json

if TYPE_CHECKING:
    from sidecar.lsp.client_folders import ServerOptions

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 120.0


class Unanswered(AssertionError):
    """A message that was waited for did not come."""


class FrameReader(threading.Thread):
    """Collects frames from a descriptor, strictly: whatever is no frame is kept in `garbage`."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(daemon=True)
        self.messages: list[Json] = []
        self.garbage = b""
        self.ended = False
        self.changed = threading.Condition()
        self._descriptor = descriptor

    def run(self) -> None:
        buffer = bytearray()
        while data := self.read():
            buffer += data
            while (message := self._take(buffer)) is not None:
                with self.changed:
                    self.messages.append(message)
                    self.changed.notify_all()
        with self.changed:
            self.garbage += bytes(buffer)
            self.ended = True
            self.changed.notify_all()

    def read(self) -> bytes:
        try:
            return os.read(self._descriptor, 1 << 18)
        except OSError:
            return b""

    def _take(self, buffer: bytearray) -> Json | None:
        head, separator, _ = bytes(buffer[:256]).partition(b"\r\n\r\n")
        if not separator:
            return None
        name, _, value = head.partition(b": ")
        if name != b"Content-Length" or not value.isdigit():
            self.garbage += bytes(buffer)
            buffer.clear()
            return None
        start, length = len(head) + 4, int(value)
        if len(buffer) < start + length:
            return None
        body = bytes(buffer[start : start + length])
        del buffer[: start + length]
        message: Json = json.loads(body)
        return message


class Client:
    """The client's side of a connection over two descriptors. One thread drives it; others may answer requests."""

    def __init__(self, source: int, sink: int, *, ignore: Sequence[str] = ()) -> None:
        self.ignore = set(ignore)
        self.reader = FrameReader(source)
        self.reader.start()
        self._source, self._sink = source, sink
        self._sending = threading.Lock()
        self._next_id = 0
        self._sink_open = True

    # -- sending ---------------------------------------------------------------------------------------------

    @staticmethod
    def frame(message: object) -> bytes:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    def send_bytes(self, data: bytes) -> None:
        view = memoryview(data)
        with self._sending:
            while view:
                view = view[os.write(self._sink, view) :]

    def send(self, message: object) -> None:
        self.send_bytes(self.frame(message))

    def start(self, method: str, params: object = None, *, id: object = None) -> object:
        """Send a request and return its id."""
        if id is None:
            self._next_id += 1
            id = self._next_id
        message: dict[str, object] = {"jsonrpc": "2.0", "id": id, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return id

    def notify(self, method: str, params: object = None) -> None:
        message: dict[str, object] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)

    def reply(self, request: Json, result: object = None) -> None:
        """Answer a request of the server."""
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    # -- receiving -------------------------------------------------------------------------------------------

    def wait(self, matches: Callable[[Json], bool], timeout: float = TIMEOUT) -> Json:
        """Consume the first message that matches, waiting for it."""
        deadline = time.monotonic() + timeout
        with self.reader.changed:
            while True:
                for index, message in enumerate(self.reader.messages):
                    if matches(message):
                        return self.reader.messages.pop(index)
                left = deadline - time.monotonic()
                if left <= 0 or self.reader.ended:
                    raise Unanswered(f"not received; unconsumed are {self.unconsumed()}")
                self.reader.changed.wait(left)

    def response(self, id: object, timeout: float = TIMEOUT) -> Json:
        """Consume the whole response to a request."""
        return self.wait(lambda m: "method" not in m and m.get("id") == id, timeout)

    def notification(self, method: str, timeout: float = TIMEOUT) -> Json:
        """Consume a notification; its params."""
        return self.wait(lambda m: m.get("method") == method and "id" not in m, timeout).get("params")

    def server_request(self, method: str, timeout: float = TIMEOUT) -> Json:
        """Consume a request of the server, whole; `reply` answers it."""
        return self.wait(lambda m: m.get("method") == method and "id" in m, timeout)

    def call(self, method: str, params: object = None, timeout: float = TIMEOUT) -> Json:
        """A request's result; an error response fails the test."""
        answer = self.response(self.start(method, params), timeout)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def error(self, method: str, params: object = None, timeout: float = TIMEOUT) -> Json:
        """A request's error; a result fails the test."""
        answer = self.response(self.start(method, params), timeout)
        assert "error" in answer, answer
        return answer["error"]

    def unconsumed(self) -> list[Json]:
        """Messages that nobody looked at, but for the ignorable ones."""
        return [m for m in self.reader.messages if m.get("method") not in self.ignore]

    # -- whole conversations ---------------------------------------------------------------------------------

    def initialize(
        self,
        folder: Path | None = None,
        *,
        capabilities: object = None,
        options: object = None,
        process_id: int | None = None,
        initialized: bool = True,
        **more: object,
    ) -> Json:
        """`initialize` and `initialized`; the result of the former."""
        params: dict[str, object] = {
            "processId": process_id,
            "rootUri": None,
            "capabilities": capabilities or {},
            **more,
        }
        if folder is not None:
            params["workspaceFolders"] = [{"uri": folder.as_uri(), "name": folder.name}]
        if options is not None:
            params["initializationOptions"] = options
        result = self.call("initialize", params)
        if initialized:
            self.notify("initialized", {})
        return result

    def hang_up(self) -> None:
        """Close the server's stdin."""
        if self._sink_open:
            self._sink_open = False
            os.close(self._sink)

    def check_consumed(self) -> None:
        """Fail when something was sent that nobody looked at."""
        assert not self.reader.garbage, f"not frames: {self.reader.garbage[:200]!r}"
        left = self.unconsumed()
        assert not left, f"unconsumed messages: {left}"


class StdioClient(Client):
    """A client of a process that it spawns. As a context manager it closes, and kills on failure."""

    def __init__(
        self,
        command: Sequence[str] | None = None,
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        ignore: Sequence[str] = (),
        stderr: IO[bytes] | int | None = None,
    ) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        self.process = subprocess.Popen(
            list(command or [sys.executable, "-m", "sidecar", "serve"]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if stderr is None else stderr,
            cwd=cwd,
            env=environment,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stderr = b""
        if self.process.stderr is not None:
            self._drain = threading.Thread(target=self._read_stderr, daemon=True)
            self._drain.start()
        source = os.dup(self.process.stdout.fileno())
        sink = os.dup(self.process.stdin.fileno())
        self.process.stdout.close()
        self.process.stdin.close()
        super().__init__(source, sink, ignore=ignore)

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while data := self.process.stderr.read1():  # type: ignore[attr-defined]
            self.stderr += data

    def wait_for_exit(self, timeout: float = TIMEOUT) -> int:
        """The process's exit code."""
        code = self.process.wait(timeout)
        self.reader.join(timeout)
        if self.process.stderr is not None:
            self._drain.join(timeout)
        return code

    def close(self, *, expect: int = 0) -> None:
        """Shut down in good order; fails on another exit code or on messages that nobody consumed."""
        if self.process.poll() is None and self._sink_open:
            shutdown = self.start("shutdown")
            answer = self.response(shutdown)
            assert answer.get("result", 1) is None, answer
            self.notify("exit")
        code = self.wait_for_exit()
        self.hang_up()
        assert code == expect, (code, self.stderr.decode(errors="replace"))
        self.check_consumed()

    def kill(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.wait()
        self.hang_up()

    def __enter__(self) -> StdioClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self.process.poll() is None:
            try:
                self.close()
            finally:
                self.kill()
        else:
            self.kill()
            if kind is not None:
                print(self.stderr.decode(errors="replace"), file=sys.stderr)


class InProcessClient(Client):
    """The same, without a process: the server runs on a thread of the test's own process."""

    def __init__(self, options: ServerOptions, *, ignore: Sequence[str] = ()) -> None:
        from sidecar.lsp.server import run

        server_source, client_sink = os.pipe()
        client_source, server_sink = os.pipe()
        self.exit_code: int | None = None
        self.clean: bool | None = None

        def serve() -> None:
            self.exit_code, self.clean = run(server_source, server_sink, options)

        self._server = threading.Thread(target=serve, name="server", daemon=True)
        self._server.start()
        super().__init__(client_source, client_sink, ignore=ignore)

    def close(self, *, expect: int = 0) -> None:
        """Shut down in good order; fails on another exit code or on messages that nobody consumed."""
        if self._server.is_alive() and self._sink_open:
            assert self.response(self.start("shutdown")).get("result", 1) is None
            self.notify("exit")
        self._server.join(TIMEOUT)
        self.reader.join(TIMEOUT)
        self.hang_up()
        assert (self.exit_code, self.clean) == (expect, True)
        self.check_consumed()

    def __enter__(self) -> InProcessClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.hang_up()
