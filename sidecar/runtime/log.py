"""The log: one file for all processes of a user, and stderr on request; never stdout, never the content of memories.

A line is `2026-01-31T12:00:00.123 W 4711 sidecar.store: message`, or JSON where `log.format` says so. The file is
private to its owner and is rotated to `<file>.1`, `.2`, `.3` at one megabyte. Several sidecars write to it, so each
line is a single append, and a process that finds the file rotated by another opens the new one. Log messages name
memories by id and files by path.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import time
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path

from sidecar.settings.model import Settings
from sidecar.settings.user_folders import user_folder
from sidecar.system.files import open_regular, try_lock

MAX_LOG_BYTES = 1_000_000
MAX_BACKUPS = 3
MAX_LOG_LINE_CHARS = 2_000
_LOGGERS = ("sidecar", "pygls")


def log_path(settings: Settings) -> Path:
    """Return the log's path: the configured file, a file beside a configured store, or else the platform's default."""
    if settings.log.file is not None:
        return settings.log.file
    if settings.store.folder is not None:
        return settings.store.folder / "logs" / "sidecar.log"
    return user_folder("log") / "sidecar.log"


def configure(settings: Settings, *, stderr: bool = False, later: bool = False) -> str | None:
    """Send this process's log to its file, and to stderr on request. May be called again.

    With `later`, the file is created with the first message; while memory is off, no file is made. If the file cannot
    be used, return one sentence about the problem; the process runs without a log file.
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
    formatter = JsonFormatter() if settings.log.format == "json" else LineFormatter()
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
    """Close what `configure` opened; later messages are dropped."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        for handler in logger.handlers:
            handler.close()
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False


class LineFormatter(logging.Formatter):
    """Formats a record as one line, followed by an indented traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(record.created))
        message = record.getMessage()
        printable = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in message[:MAX_LOG_LINE_CHARS])
        line = f"{at}.{int(record.msecs):03d} {record.levelname[0]} {record.process} {record.name}: {printable}"
        if len(message) > MAX_LOG_LINE_CHARS:
            line += " ..."
        if record.exc_info:
            line += "\n    " + self.formatException(record.exc_info).replace("\n", "\n    ")
        return line


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object on one line, for programs that collect logs."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "pid": record.process,
            "logger": record.name,
            "message": record.getMessage()[:MAX_LOG_LINE_CHARS],
        }
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields)


class SharedFileHandler(logging.FileHandler):
    """A log file to which several processes append, and which any of them may rotate.

    The standard rotating handler would go on writing to the file it opened after another process had moved that file.
    """

    def __init__(
        self, path: Path, *, max_bytes: int = MAX_LOG_BYTES, backups: int = MAX_BACKUPS, later: bool = False
    ) -> None:
        self.path = path
        self.max_bytes = max_bytes
        self.backups = backups
        super().__init__(path, encoding="utf-8", errors="backslashreplace", delay=later)

    def _open(self) -> TextIOWrapper:
        for folder in reversed([parent for parent in self.path.parents if not parent.exists()]):
            folder.mkdir(mode=0o700, exist_ok=True)  # `parents=True` applies the mode to the last folder only
        descriptor = open_regular(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        return open(descriptor, "a", encoding=self.encoding, errors=self.errors)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._follow()
            super().emit(record)
        except OSError:
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Drop the message: a full disk must not disturb a request, and there is nowhere left to report it."""

    def _follow(self) -> None:
        stream = self.stream
        if stream is None:
            return
        opened = os.fstat(stream.fileno())
        try:
            on_disk = os.stat(self.path)
        except FileNotFoundError:
            on_disk = None
        is_current = on_disk is not None and os.path.samestat(on_disk, opened)
        if is_current and (opened.st_size < self.max_bytes or not self._move_aside(stream.fileno())):
            return
        self.stream = self._open()
        stream.close()

    def _move_aside(self, opened: int) -> bool:
        """Rotate the open file; return False if another process is doing so.

        One more line in a full file does no harm, but two simultaneous rotations would overwrite a backup.
        """
        with contextlib.suppress(OSError):  # the file system has no locks
            try:
                try_lock(opened)  # released when the file is closed
            except BlockingIOError:
                return False
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.stat(self.path), os.fstat(opened)):  # otherwise another process rotated it meanwhile
                for number in range(self.backups, 0, -1):
                    earlier = self.path if number == 1 else Path(f"{self.path}.{number - 1}")
                    if earlier.exists():
                        os.replace(earlier, f"{self.path}.{number}")
        return True
