"""A small synchronous client of the server: spawns it, asks, waits, and keeps what it says unasked.

For the tour and the doctor, and an example of how little a client needs: LSP's frames, JSON-RPC's envelope.
"""

from __future__ import annotations

import collections
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

Answer = TypeVar("Answer")

_STDERR_LINES = 40
_MAX_FRAME = 64_000_000
_ENDED = "the server ended"


class WireError(Exception):
    """The server answered with an error."""

    def __init__(self, method: str, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{method}: {message} ({code})")
        self.code = code
        self.message = message
        self.data = data


class ServerGone(Exception):
    """The server ended, fell silent or said what no server says; the text holds the end of its stderr."""


class _Fault(msgspec.Struct):
    code: int
    message: str
    data: Any = None


class _Message(msgspec.Struct):
    id: int | str | None = None
    method: str | None = None
    params: msgspec.Raw = msgspec.Raw(b"null")
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: _Fault | None = None


class Notification(msgspec.Struct):
    """What the server said unasked, and when it arrived (seconds of a monotonic clock)."""

    method: str
    params: msgspec.Raw
    at: float


def server_command() -> list[str]:
    """How to start this very version of the server.

    `-P`: a folder that happens to hold a package called `sidecar` or `protocol` must not be imported in its place.
    """
    return [sys.executable, "-P", "-m", "sidecar", "serve", "--stdio"]


def server_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for `server_command`: with the folder of this package, where that is no installed one."""
    import sidecar

    root = Path(sidecar.__file__).absolute().parent.parent
    if root.name in ("site-packages", "dist-packages"):
        return dict(environ)
    return {**environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(root), environ.get("PYTHONPATH"))))}


class WireClient:
    """One running server. Every call waits for its answer; `timings` holds milliseconds per method."""

    def __init__(
        self, command: Sequence[str], environ: Mapping[str, str], *, cwd: Path | None = None
    ) -> None:
        self.timings: dict[str, list[float]] = collections.defaultdict(list)
        self.notifications: list[Notification] = []
        self.started = time.perf_counter()
        self._answers: dict[int, _Message] = {}
        self._asked = 0
        self._changed = threading.Condition()
        self._gone: str | None = None
        self._stderr: collections.deque[str] = collections.deque(maxlen=_STDERR_LINES)
        self._writing = threading.Lock()
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environ),
            cwd=cwd,
        )
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._read, self._read_stderr)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """The process id of the server."""
        return self._process.pid

    def initialize(self, folders: Sequence[Path], *, timeout: float = 60) -> Any:
        """LSP's handshake with these workspace folders; the server's answer as plain values."""
        result = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "clientInfo": {"name": "memory-sidecar wire client"},
                "rootUri": folders[0].as_uri() if folders else None,
                "capabilities": {"workspace": {"workspaceFolders": True}},
                "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name} for folder in folders],
            },
            timeout=timeout,
        )
        self.notify("initialized", {})
        return result

    def request(
        self, method: str, params: object, kind: type[Answer] | Any = Any, *, timeout: float = 60
    ) -> Any:
        """The result, decoded as `kind`. Raises `WireError` and `ServerGone`."""
        self._asked += 1
        number = self._asked
        began = time.perf_counter()
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self._changed:
            self._changed.wait_for(lambda: number in self._answers or self._gone is not None, timeout)
            answer = self._answers.pop(number, None)
        if answer is None:
            raise self._failure(f"{method} was not answered within {timeout:.0f} s")
        self.timings[method].append((time.perf_counter() - began) * 1000)
        if answer.error is not None:
            raise WireError(method, answer.error.code, answer.error.message, answer.error.data)
        return msgspec.json.decode(answer.result, type=kind)

    def notify(self, method: str, params: object) -> None:
        """Tell the server something."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def wait(
        self, method: str, fits: Callable[[msgspec.Raw], bool] = lambda params: True, *, timeout: float = 30
    ) -> Notification | None:
        """The first notification of that method that fits, also one that came before; None when none comes."""

        def found() -> Notification | None:
            return next(
                (one for one in self.notifications if one.method == method and fits(one.params)), None
            )

        with self._changed:
            self._changed.wait_for(lambda: found() is not None or self._gone is not None, timeout)
            return found()

    def forget_notifications(self) -> None:
        """Drop what came so far, so that `wait` sees only what comes from now on."""
        with self._changed:
            self.notifications.clear()

    def kill(self) -> None:
        """End the server at once (SIGKILL): it gets no chance to write anything more."""
        self._process.kill()
        self._process.wait(10)

    def close(self, *, timeout: float = 10) -> int | None:
        """`shutdown`, `exit`, and the exit code; None when the server had to be killed."""
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

    def __enter__(self) -> WireClient:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(10)

    def _send(self, message: Mapping[str, object]) -> None:
        data = msgspec.json.encode(message)
        pipe = self._process.stdin
        assert pipe is not None
        try:
            with self._writing:
                pipe.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
                pipe.flush()
        except OSError:
            raise self._failure("the server does not listen any more") from None

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        reason = _ENDED
        try:
            while (data := _read_frame(stream)) is not None:
                self._take(msgspec.json.decode(data, type=_Message))
        except (ValueError, msgspec.MsgspecError, OSError) as error:
            reason = f"the server sent what is no message ({error})"
        with self._changed:
            self._gone = reason
            self._changed.notify_all()

    def _take(self, message: _Message) -> None:
        if message.method is not None and message.id is not None:
            self._answer(message)
            return
        with self._changed:
            if message.method is not None:
                self.notifications.append(Notification(message.method, message.params, time.perf_counter()))
            elif isinstance(message.id, int):
                self._answers[message.id] = message
            self._changed.notify_all()

    def _answer(self, message: _Message) -> None:
        """Agree to whatever the server asks of a client; it has no settings to give."""
        result: object = None
        if message.method == "workspace/configuration":
            asked = msgspec.json.decode(message.params)
            result = [None] * len(asked.get("items", ()))
        try:
            self._send({"jsonrpc": "2.0", "id": message.id, "result": result})
        except ServerGone:
            return

    def _read_stderr(self) -> None:
        stream = self._process.stderr
        assert stream is not None
        for line in stream:
            self._stderr.append(line.decode("utf-8", "replace").rstrip())

    def _failure(self, reason: str) -> ServerGone:
        if self._gone is not None:
            # Its last words may still be on their way; one that sent what is no message may go on, and say no more.
            self._threads[1].join(10 if self._gone == _ENDED else 1)
        code = self._process.poll()
        said = "\n".join(self._stderr)
        ended = "" if code is None else f" (exit code {code})"
        return ServerGone(f"{self._gone or reason}{ended}" + (f"; its last words:\n{said}" if said else ""))


def _read_frame(stream: IO[bytes]) -> bytes | None:
    """The body of the next frame; None at the end of the stream. Raises `ValueError` for what is no frame."""
    length: int | None = None
    while True:
        line = stream.readline(1_000)
        if not line:
            return None
        if line in (b"\r\n", b"\n"):
            break
        name, colon, value = line.partition(b":")
        if not colon:
            raise ValueError(f"no header: {line[:60]!r}")
        if name.strip().lower() == b"content-length":
            length = int(value)
    if length is None or not 0 <= length <= _MAX_FRAME:
        raise ValueError("no usable Content-Length")
    data = stream.read(length)
    return data if len(data) == length else None
