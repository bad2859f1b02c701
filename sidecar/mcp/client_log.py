"""Our log's warnings as `notifications/message`, from the level that the client asks for."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final

from sidecar.runtime.errors import InvalidField

LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "notice": logging.WARNING,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
    "alert": logging.CRITICAL,
    "emergency": logging.CRITICAL,
}
_NAMES: Final = ((logging.ERROR, "error"), (logging.WARNING, "warning"), (logging.INFO, "info"))


class ClientLog(logging.Handler):
    """Silent until the client sets a level: many clients show every message to the user."""

    def __init__(self, notify: Callable[[str, Any], None]) -> None:
        super().__init__(logging.CRITICAL + 1)
        self._notify = notify

    def set_level(self, level: object) -> None:
        """Send messages from this level on. Raises `InvalidField`."""
        if not isinstance(level, str) or level not in LEVELS:
            raise InvalidField(
                f"{level!r} is no log level.", path="$.level", hint="One of: " + ", ".join(LEVELS)
            )
        self.setLevel(LEVELS[level])

    def emit(self, record: logging.LogRecord) -> None:
        """Send one message; never a traceback."""
        level = next((name for least, name in _NAMES if record.levelno >= least), "debug")
        told = {"level": level, "logger": record.name, "data": record.getMessage()}
        self._notify("notifications/message", told)
