"""A program in a real pseudo-terminal: keys go in, and what a person would see comes out."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyte

SECONDS = 150.0
_POLL = 0.02
_ALONE = 0.3
_TIOCGPTN = 0x80045430  # the number of a pseudo-terminal, on Linux

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
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path, rows: int = 30, columns: int = 110
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._lock = threading.Lock()
        self._rest = b""
        self._closed = threading.Event()
        words, variables, size = list(command), dict(environment), struct.pack("HHHH", rows, columns, 0, 0)
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            try:
                # Here, before the program can ask how large its screen is.
                fcntl.ioctl(0, termios.TIOCSWINSZ, size)
                os.chdir(folder)
                os.execvpe(words[0], words, variables)
            finally:
                os._exit(127)  # it could not be started: nothing of the tests may go on in this process
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        # Never in the middle of reading while `close` closes: the number may be another terminal's by then.
        waiting = select.poll()
        waiting.register(self._fd, select.POLLIN)
        while not self._closed.is_set():
            if not waiting.poll(100):
                continue
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

    def taken(self, seconds: float = SECONDS) -> None:
        """Wait until the program has read all that was typed: then an Escape is no part of what is typed next."""
        number = struct.unpack("I", fcntl.ioctl(self._fd, _TIOCGPTN, b"\0" * 4))[0]
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(_ALONE)  # what was typed goes through the kernel first
            side = os.open(f"/dev/pts/{number}", os.O_RDWR | os.O_NOCTTY)
            try:
                if not struct.unpack("I", fcntl.ioctl(side, termios.FIONREAD, b"\0" * 4))[0]:
                    return
            finally:
                os.close(side)
        raise AssertionError(f"it does not read what is typed:\n{self.text()}")

    def lines(self) -> list[str]:
        """What is on the screen, without blanks at the ends."""
        with self._lock:
            return [line.rstrip() for line in self.screen.display]

    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.lines())

    def unwrapped(self) -> str:
        """The screen as one text, a line that goes on in the next one together with that."""
        return "".join(line if len(line) == self.screen.columns else f"{line}\n" for line in self.lines())

    def wait(self, pattern: str, *, gone: bool = False, seconds: float = SECONDS) -> str:
        """Wait until a regular expression is found on the screen, or is no more; answers what was matched.

        Also across the end of a line that is full: how long it is depends on where the tests' folders are.
        """
        until = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.text()) or re.search(pattern, self.unwrapped())
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
        self._closed.set()
        self._reader.join()
        with contextlib.suppress(OSError):
            os.close(self._fd)
