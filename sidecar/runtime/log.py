"""The log: one file for all processes of a user, and stderr when asked; never stdout, never what is remembered.

A line is `2026-01-31T12:00:00.123 W 4711 sidecar.store: message`. The file is private to its owner and is moved to
`<file>.1`, `.2`, `.3` when it reaches a megabyte. Several sidecars write to the same file, so each line is one
append, and a process that finds the file moved away by another opens the new one. Code that logs names memories
by id and files by path; it does not log their content.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import stat
import sys
import time
from io import TextIOWrapper
from pathlib import Path

from sidecar.settings.model import Settings
from sidecar.settings.user_folders import user_folder

MAX_BYTES = 1_000_000
BACKUPS = 3
MAX_LINE = 2_000
_LOGGERS = ("sidecar", "pygls")


def log_path(settings: Settings) -> Path:
    """Where these settings put the log: the named file, else beside a chosen store, else the platform's place."""
    if settings.log.file is not None:
        return settings.log.file
    if settings.store.folder is not None:
        return settings.store.folder / "logs" / "sidecar.log"
    return user_folder("log") / "sidecar.log"


def configure(settings: Settings, *, stderr: bool = False, later: bool = False) -> str | None:
    """Send this process's log to its file, and to stderr as well when asked. May be called again.

    Where memory is switched off there is no file; `later`: it is made with the first message. Answers what is wrong
    when the file cannot be used, in one sentence; the process goes on without it.
    """
    path = log_path(settings)
    handlers: list[logging.Handler] = []
    problem = None
    try:
        if settings.memory.enabled:
            handlers.append(SharedFileHandler(path, later=later))
    except OSError as error:
        problem = f"The log file {path} cannot be written ({error.strerror or error}); nothing is logged to it."
    if stderr:
        handlers.append(logging.StreamHandler(sys.stderr))
    if not handlers:
        handlers.append(logging.NullHandler())
    formatter = LineFormatter()
    for handler in handlers:
        handler.setFormatter(formatter)
    close()
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = list(handlers)
        logger.propagate = False
        logger.setLevel(settings.log.level.upper() if name == "sidecar" else logging.WARNING)
    return problem


def close() -> None:
    """Close what `configure` opened. Later messages go nowhere."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        for handler in logger.handlers:
            handler.close()
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False


class LineFormatter(logging.Formatter):
    """One record, one line; a traceback follows it, indented."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, cut at `MAX_LINE` characters and free of control characters."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(record.created))
        message = record.getMessage()
        shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in message[:MAX_LINE])
        line = f"{at}.{int(record.msecs):03d} {record.levelname[0]} {record.process} {record.name}: {shown}"
        if len(message) > MAX_LINE:
            line += " ..."
        if record.exc_info:
            line += "\n    " + self.formatException(record.exc_info).replace("\n", "\n    ")
        return line


class SharedFileHandler(logging.FileHandler):
    """A file that several processes append to and that any of them may move aside when it is full.

    The standard rotating handler keeps writing to the file it opened first, wherever another process has moved it.
    """

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES, backups: int = BACKUPS, later: bool = False) -> None:
        self.path = path
        self.max_bytes = max_bytes
        self.backups = backups
        super().__init__(path, encoding="utf-8", errors="backslashreplace", delay=later)

    def _open(self) -> TextIOWrapper:
        for folder in reversed([each for each in self.path.parents if not each.exists()]):
            folder.mkdir(mode=0o700, exist_ok=True)  # `parents=True` would leave all but the last to the umask
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(self.path, flags, 0o600)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(None, "not a regular file")
        return open(descriptor, "a", encoding=self.encoding, errors=self.errors)

    def emit(self, record: logging.LogRecord) -> None:
        """Append the record, to a fresh file when the present one is full or gone."""
        try:
            self._follow()
            super().emit(record)
        except OSError:
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Let the message go: a full disk must not disturb a request, and there is nowhere left to say it."""

    def _follow(self) -> None:
        stream = self.stream
        if stream is None:
            return
        opened = os.fstat(stream.fileno())
        try:
            named = os.stat(self.path)
        except FileNotFoundError:
            named = None
        there = named is not None and os.path.samestat(named, opened)
        if there and (opened.st_size < self.max_bytes or not self._move_aside(stream.fileno())):
            return
        self.stream = self._open()
        stream.close()

    def _move_aside(self, opened: int) -> bool:
        """Whether the file that is open is out of the way. Not while another process is just moving it: a line more
        in a full file does no harm, and two that move at once would write one backup over another.
        """
        with contextlib.suppress(OSError):  # a file system without locks
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)  # until it is closed
            except BlockingIOError:
                return False
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.stat(self.path), os.fstat(opened)):  # else it was moved meanwhile
                for number in range(self.backups, 0, -1):
                    earlier = self.path if number == 1 else Path(f"{self.path}.{number - 1}")
                    if earlier.exists():
                        os.replace(earlier, f"{self.path}.{number}")
        return True
