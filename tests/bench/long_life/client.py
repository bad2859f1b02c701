"""A client that many threads share, over a real server process that may be killed and started again."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Json = Any
PROCESS = Path(__file__).with_name("process.py")


class Gone(Exception):
    """The server went before it answered."""


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(f"{error['code']} {error['message']}")
        self.code: int = error["code"]


class Figures:
    """Milliseconds of calls by method, and errors by kind, over all servers."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.times: defaultdict[str, list[float]] = defaultdict(list)
        self.errors: Counter[str] = Counter()
        self.failures: list[str] = []

    def took(self, method: str, milliseconds: float) -> None:
        """A call was answered."""
        with self.lock:
            self.times[method].append(milliseconds)

    def error(self, kind: str) -> None:
        """An error that is lawful, and counted."""
        with self.lock:
            self.errors[kind] += 1

    def fail(self, text: str) -> None:
        """Something that must never be."""
        with self.lock:
            self.failures.append(f"{time.strftime('%H:%M:%S')} {text}")
            print("FAILURE:", text, flush=True)


class Server:
    """One server process on one folder. Calls may come from any thread."""

    def __init__(
        self, name: str, folder: Path, environ: Mapping[str, str], figures: Figures, program: Path = PROCESS
    ) -> None:
        self.name, self.folder, self.figures, self.program = name, folder, figures, program
        self.notified: Counter[str] = Counter()
        self.starts = 0
        self.paused = False
        self._environ = dict(environ)
        self._lock = threading.Lock()
        self.start()

    def start(self) -> None:
        """Spawn the process and open the folder."""
        self._answers: dict[int, list[Json]] = {}
        self._arrived = threading.Condition()
        self._next = 0
        self._over = threading.Event()
        self.starts += 1
        self.stderr = open(f"{self._environ['HOME']}/{self.name}.stderr", "ab")  # noqa: SIM115 - handed on
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(self.program), "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
            env=self._environ,
            cwd=self.folder,
        )
        self.stderr.close()
        threading.Thread(target=self._read, args=(self.process, self._answers, self._over), daemon=True).start()
        uri = self.folder.as_uri()
        able = {"workspace": {"codeLens": {"refreshSupport": True}}, "experimental": {}}
        able["experimental"] = {"memorySidecar": {"didChange": True}}
        folders = [{"uri": uri, "name": self.folder.name}]
        given = {"processId": os.getpid(), "rootUri": uri, "capabilities": able, "workspaceFolders": folders}
        self.call("initialize", given)
        self.notify("initialized", {})

    @property
    def pid(self) -> int:
        """Of the process that runs now."""
        return self.process.pid

    def call(self, method: str, params: Json, timeout: float = 120.0) -> Json:
        """The result. Raises `Gone` and `Refused`; an answer that never comes is a failure."""
        began = time.monotonic()
        answers, arrived, over = self._answers, self._arrived, self._over
        with arrived:
            self._next += 1
            number = self._next
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with arrived:
            while number not in answers:
                if over.is_set():
                    raise Gone
                left = began + timeout - time.monotonic()
                if left <= 0:
                    self.figures.fail(f"{self.name}: {method} was not answered in {timeout:.0f} s")
                    raise Gone
                arrived.wait(min(left, 1.0))
            (answer,) = answers.pop(number)
        if not self.paused:
            self.figures.took(method, (time.monotonic() - began) * 1e3)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    def notify(self, method: str, params: Json) -> None:
        """Send a notification. Raises `Gone`."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def kill(self) -> None:
        """SIGKILL; calls under way raise `Gone`."""
        self.process.kill()
        self.process.wait()

    def leave(self) -> int:
        """Shut down in good order; the exit code."""
        with contextlib.suppress(Gone, Refused):
            self.call("shutdown", None, 60)
            self.notify("exit", None)
        with contextlib.suppress(OSError):
            assert self.process.stdin is not None
            self.process.stdin.close()
        return self.process.wait(60)

    def _send(self, message: Json) -> None:
        body = json.dumps(message).encode()
        process = self.process
        assert process.stdin is not None
        try:
            with self._lock:
                process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
                process.stdin.flush()
        except (OSError, ValueError) as error:
            raise Gone from error

    def _read(self, process: subprocess.Popen[bytes], answers: dict[int, list[Json]], over: threading.Event) -> None:
        stream, arrived = process.stdout, self._arrived
        assert stream is not None
        while (line := stream.readline()).startswith(b"Content-Length: "):
            stream.readline()
            message = json.loads(stream.read(int(line[16:])))
            if "method" not in message:
                with arrived:
                    answers[message["id"]] = [message]
                    arrived.notify_all()
            elif "id" in message:
                with contextlib.suppress(Gone):
                    self._send({"jsonrpc": "2.0", "id": message["id"], "result": None})
            else:
                self.notified[message["method"]] += 1
        if line:
            self.figures.fail(f"{self.name} wrote what is no frame: {line[:80]!r}")
        stream.close()
        with arrived:
            over.set()
            arrived.notify_all()
