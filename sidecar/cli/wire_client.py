"""A small synchronous client that starts the server, asks, waits and keeps notifications; for `tour` and `doctor`."""

from __future__ import annotations

import collections
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from sidecar.wire.framing import BadFrame, FrameDecoder
from sidecar.wire.messages import Id, Invalid, Notification, Request, Response, frame, parse

_STDERR_LINES = 40
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
    """A notification, and when it arrived (seconds of a monotonic clock)."""

    method: str
    params: msgspec.Raw
    at: float


def server_command() -> list[str]:
    """Return how to start this very version of the server.

    `-P` keeps a folder's own package called `sidecar` or `protocol` from being imported instead.
    """
    return [sys.executable, "-P", "-m", "sidecar", "serve", "--stdio"]


def server_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for `server_command`, with this package's folder on the path unless it is installed."""
    import sidecar

    root = Path(sidecar.__file__).absolute().parent.parent
    if root.name in ("site-packages", "dist-packages"):
        return dict(environ)
    return {**environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(root), environ.get("PYTHONPATH"))))}


class WireClient:
    """One running server. Every call waits for its answer; `timings` holds milliseconds per method."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], *, cwd: Path | None = None) -> None:
        self.timings: dict[str, list[float]] = collections.defaultdict(list)
        self.notifications: list[ReceivedNotification] = []
        self.started = time.perf_counter()
        self._answers: dict[Id | None, Response] = {}
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
        self._talking = threading.Thread(target=self._read_stderr, daemon=True)
        for thread in (threading.Thread(target=self._read, daemon=True), self._talking):
            thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def initialize(self, folders: Sequence[Path], *, timeout: float = 60) -> Any:
        """Do LSP's handshake with these workspace folders, and return the server's answer as plain values."""
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

    def request(self, method: str, params: object, kind: Any = Any, *, timeout: float = 60) -> Any:
        """Return the result, decoded as `kind`. Raises `WireError` and `ServerGone`."""
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
            raise WireError(method, **msgspec.json.decode(answer.error))
        return msgspec.json.decode(answer.result or b"null", type=kind)

    def notify(self, method: str, params: object) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def wait(
        self, method: str, fits: Callable[[msgspec.Raw], bool] | None = None, *, timeout: float = 30
    ) -> ReceivedNotification | None:
        """Return the first notification of the method that fits, even if it came before; None if none comes."""

        def found() -> ReceivedNotification | None:
            told = (one for one in self.notifications if one.method == method)
            return next((one for one in told if fits is None or fits(one.params)), None)

        with self._changed:
            self._changed.wait_for(lambda: found() is not None or self._gone is not None, timeout)
            return found()

    def forget_notifications(self) -> None:
        """Drop notifications received so far, so that `wait` returns only new ones."""
        with self._changed:
            self.notifications.clear()

    def kill(self) -> None:
        """Kill the server (SIGKILL), so that it can write nothing more."""
        self._process.kill()
        self._process.wait(10)

    def close(self, *, timeout: float = 10) -> int | None:
        """Send `shutdown` and `exit`, and return the exit code; None if the server had to be killed."""
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
        pipe = self._process.stdin
        assert pipe is not None
        try:
            with self._writing:
                pipe.write(frame(msgspec.json.encode(message)))
                pipe.flush()
        except OSError:
            raise self._failure("the server does not listen any more") from None

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        decoder = FrameDecoder(parse)
        reason = _ENDED
        while reason == _ENDED and (data := os.read(stream.fileno(), 1 << 16)):
            for message in decoder.feed(data):
                if isinstance(message, BadFrame | Invalid):
                    reason = f"the server sent something that is not a message ({message.reason})"
                else:
                    self._take(message)
        with self._changed:
            self._gone = reason
            self._changed.notify_all()

    def _take(self, message: Request | Notification | Response) -> None:
        if isinstance(message, Request):
            self._answer(message)
            return
        with self._changed:
            if isinstance(message, Notification):
                self.notifications.append(ReceivedNotification(message.method, message.params, time.perf_counter()))
            else:
                self._answers[message.id] = message
            self._changed.notify_all()

    def _answer(self, request: Request) -> None:
        """Agree to whatever the server asks; there are no settings to give."""
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
            # Its last words may still be on their way; after breaking the protocol it may run on in
            # silence.
            self._talking.join(10 if self._gone == _ENDED else 1)
        code = self._process.poll()
        said = "\n".join(self._stderr)
        ended = "" if code is None else f" (exit code {code})"
        return ServerGone(f"{self._gone or reason}{ended}" + (f"; its last words:\n{said}" if said else ""))
