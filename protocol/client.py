"""A synchronous client: starts a server, sends requests, and keeps the server's notifications.

    with Client(["memory-sidecar", "serve"]) as client:
        client.initialize([Path.cwd()])
        found = client.memory_search(SearchParams(query="how are tests run"))

Needs msgspec and the standard library. Methods may be called from any thread.
"""

from __future__ import annotations

import collections
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
from msgspec import UNSET, Raw, UnsetType

from protocol.calls import Calls
from protocol.methods import METHODS

_STDERR_LINES = 40
_MAX_BYTES = 256 * 1024 * 1024
_ENDED = "the server ended"


class WireError(Exception):
    """The server answered with an error."""

    def __init__(self, method: str, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{method}: {message} ({code})")
        self.code = code
        self.message = message
        self.data = data


class ServerGone(Exception):
    """The server ended, fell silent or broke the protocol; the text holds the end of its stderr."""


class ReceivedNotification(NamedTuple):
    """A notification, and when it arrived (seconds of `time.perf_counter`)."""

    method: str
    params: Raw
    at: float


class _Message(msgspec.Struct):
    id: int | str | None = None
    method: str | None = None
    params: Raw = Raw(b"null")
    result: Raw = Raw(b"null")
    error: dict[str, Any] | UnsetType | None = UNSET


class Client(Calls):
    """One running server. Every call waits for the server's answer."""

    def __init__(
        self,
        command: Sequence[str] = ("memory-sidecar", "serve"),
        environ: Mapping[str, str] | None = None,
        *,
        cwd: Path | None = None,
    ) -> None:
        self.notifications: list[ReceivedNotification] = []
        self._answers: dict[int | str | None, _Message] = {}
        self._last_id = 0
        self._changed = threading.Condition()
        self._gone: str | None = None
        self._stderr: collections.deque[str] = collections.deque(maxlen=_STDERR_LINES)
        self._writing = threading.Lock()
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            list(command), stdin=pipe, stdout=pipe, stderr=pipe, env=None if environ is None else dict(environ), cwd=cwd
        )
        self._stderr_thread = threading.Thread(target=self._read_stderr, daemon=True)
        for thread in (threading.Thread(target=self._read, daemon=True), self._stderr_thread):
            thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def initialize(self, folders: Sequence[Path], *, name: str = "protocol.client", timeout: float = 60) -> Any:
        """Do LSP's handshake with these workspace folders, and return the server's answer as plain values."""
        result = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "clientInfo": {"name": name},
                "rootUri": folders[0].as_uri() if folders else None,
                "capabilities": {"workspace": {"workspaceFolders": True}},
                "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name} for folder in folders],
            },
            timeout=timeout,
        )
        self.notify("initialized", {})
        return result

    def request(self, method: str, params: object, kind: Any = None, *, timeout: float = 60) -> Any:
        """Return the result, decoded as `kind`, by default as the method's type. Raises `WireError`, `ServerGone`."""
        if kind is None:
            kind = METHODS[method].result if method in METHODS else Any
        with self._writing:
            self._last_id += 1
            number = self._last_id
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self._changed:
            self._changed.wait_for(lambda: number in self._answers or self._gone is not None, timeout)
            answer = self._answers.pop(number, None)
        if answer is None:
            raise self._failure(f"{method} was not answered within {timeout:.0f} s")
        if answer.error:
            raise WireError(method, **answer.error)
        return msgspec.json.decode(answer.result, type=kind)

    def notify(self, method: str, params: object) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def wait(
        self, method: str, fits: Callable[[Raw], bool] | None = None, *, timeout: float = 30
    ) -> ReceivedNotification | None:
        """Return the first notification of the method that fits, even one that came before; None if none comes."""

        def first() -> ReceivedNotification | None:
            of_method = (notification for notification in self.notifications if notification.method == method)
            return next((notification for notification in of_method if fits is None or fits(notification.params)), None)

        with self._changed:
            self._changed.wait_for(lambda: first() is not None or self._gone is not None, timeout)
            return first()

    def forget_notifications(self) -> None:
        """Drop the notifications received so far, so that `wait` returns only newer ones."""
        with self._changed:
            self.notifications.clear()

    def kill(self) -> None:
        """Kill the server (SIGKILL), so that it can write nothing more."""
        self._process.kill()
        self._process.wait(10)

    def close(self, *, timeout: float = 10) -> int | None:
        """Send `shutdown` and `exit`; return the exit code. Return None if the server had to be killed."""
        if self._process.poll() is None:
            try:
                self.request("shutdown", None, timeout=timeout)
                self.notify("exit", None)
            except (ServerGone, WireError):
                self._process.kill()
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(60)
            return None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        elif self._process.poll() is None:
            self.kill()

    def _send(self, message: Mapping[str, object]) -> None:
        pipe, body = self._process.stdin, msgspec.json.encode(message)
        assert pipe is not None
        try:
            with self._writing:
                pipe.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                pipe.flush()
        except OSError:
            raise self._failure("the server does not listen any more") from None

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        reason = _ENDED
        try:
            while (body := _frame(stream)) is not None:
                self._take(msgspec.json.decode(body, type=_Message))
        except (ValueError, msgspec.MsgspecError) as error:
            reason = f"the server sent something that is not a message ({error})"
        with self._changed:
            self._gone = reason
            self._changed.notify_all()

    def _take(self, message: _Message) -> None:
        if message.method is not None and message.id is not None:
            self._answer(message)
            return
        with self._changed:
            if message.method is not None:
                self.notifications.append(ReceivedNotification(message.method, message.params, time.perf_counter()))
            else:
                self._answers[message.id] = message
            self._changed.notify_all()

    def _answer(self, request: _Message) -> None:
        """Agree to whatever the server requests, but give no settings."""
        result: object = None
        if request.method == "workspace/configuration":
            result = [None] * len(msgspec.json.decode(request.params).get("items", ()))
        with suppress(ServerGone):
            self._send({"jsonrpc": "2.0", "id": request.id, "result": result})

    def _read_stderr(self) -> None:
        stream = self._process.stderr
        assert stream is not None
        for line in stream:
            self._stderr.append(line.decode("utf-8", "replace").rstrip())

    def _failure(self, reason: str) -> ServerGone:
        if self._gone is not None:
            # More of stderr may still arrive; a server that broke the protocol may also run on in silence.
            self._stderr_thread.join(10 if self._gone == _ENDED else 1)
        code = self._process.poll()
        errors = "\n".join(self._stderr)
        ended = "" if code is None else f" (exit code {code})"
        return ServerGone(f"{self._gone or reason}{ended}" + (f"; its last words:\n{errors}" if errors else ""))


def _frame(stream: IO[bytes]) -> bytes | None:
    """Read the body of one frame; return None at the end of the stream. Raises ValueError for anything else."""
    length = None
    while (line := stream.readline(10_000)).strip():
        name, colon, value = line.partition(b":")
        if not colon:
            raise ValueError(f"no header: {line[:80]!r}")
        if name.strip().lower() == b"content-length":
            length = int(value)
    if not line and length is None:
        return None
    if length is None or not 0 <= length <= _MAX_BYTES:
        raise ValueError(f"the length {length}")
    return stream.read(length)
