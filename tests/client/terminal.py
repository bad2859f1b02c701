"""A program in a real pseudo-terminal: keys go in, and what a person would see comes out."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyte

SECONDS = 40.0
_POLL = 0.02

# What pyte takes for something else: queries and modes of newer terminals, device control and other strings.
_FOREIGN = re.compile(
    rb"\x1b\[[>=<][0-9;:]*[a-zA-Z]|\x1b\[\?[0-9;]*(?:u|n|\$p)|\x1b\[[0-9;]*(?: q|\$p|t)"
    rb"|\x1b[P_^][^\x1b]*\x1b\\|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
)
_SUB = re.compile(rb"\x1b\[([0-9;]*:[0-9:;]*)m")
_BEGUN = re.compile(rb"\x1b(?:[\[\]P_^][^a-zA-Z\x07]*)?$|\x1b[P_^\]][^\x1b\x07]*\x1b?$")


class Terminal:
    """One program and its screen. `rows` and `columns` do not change."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        rows: int = 30,
        columns: int = 110,
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._lock = threading.Lock()
        self._rest = b""
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], list(command), dict(environment))
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                return
            if not data:
                return
            data = self._rest + data
            begun = _BEGUN.search(data)
            self._rest = data[begun.start() :] if begun and len(data) - begun.start() < 4096 else b""
            if self._rest:
                data = data[: -len(self._rest)]
            data = _SUB.sub(lambda found: b"\x1b[" + found[1].split(b":")[0] + b"m", _FOREIGN.sub(b"", data))
            with self._lock:
                self._stream.feed(data)

    def keys(self, text: str) -> None:
        """Type. `\\r` is Enter, `\\x1b` Escape, `\\t` Tab."""
        os.write(self._fd, text.encode())

    def lines(self) -> list[str]:
        """What is on the screen, without blanks at the ends."""
        with self._lock:
            return [line.rstrip() for line in self.screen.display]

    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.lines())

    def wait(self, pattern: str, *, gone: bool = False, seconds: float = SECONDS) -> str:
        """Wait until a regular expression is found on the screen, or is no more; answers what was matched."""
        until = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.text())
            if (found is None) == gone:
                return found.group() if found else ""
            if time.monotonic() > until:
                state = "still" if gone else "not"
                raise AssertionError(f"{pattern!r} is {state} on the screen:\n{self.text()}")
            time.sleep(_POLL)

    def ended(self, seconds: float = SECONDS) -> int:
        """Wait for the program to end by itself; its exit code."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
            time.sleep(_POLL)
        raise AssertionError(f"it has not ended:\n{self.text()}")

    def close(self) -> None:
        """End the program, if it is still there."""
        if self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0
        with contextlib.suppress(OSError):
            os.close(self._fd)
        self._reader.join(5)
