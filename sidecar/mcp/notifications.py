"""Notifications to the client: the log's warnings, from the level that the client sets, and progress of a slow call."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final

from sidecar.mcp.tool_call import ToolCall
from sidecar.runtime.errors import InvalidField, SidecarError
from sidecar.runtime.lanes import LaneName

EVERY_SECONDS = 0.5
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
    """Logs nothing until the client sets a level, because many clients show every message to the user."""

    def __init__(self, notify: Callable[[str, Any], None]) -> None:
        super().__init__(logging.CRITICAL + 1)
        self._notify = notify

    def set_level(self, level: object) -> None:
        """Send messages from this level on. Raises `InvalidField`."""
        if not isinstance(level, str) or level not in LEVELS:
            hint = f"One of: {', '.join(LEVELS)}"
            raise InvalidField(f"{level!r} is not a log level.", path="$.level", hint=hint)
        self.setLevel(LEVELS[level])

    def emit(self, record: logging.LogRecord) -> None:
        """Send one message, never a traceback."""
        level = next((name for least, name in _NAMES if record.levelno >= least), "debug")
        params = {"level": level, "logger": record.name, "data": record.getMessage()}
        self._notify("notifications/message", params)


class Progress:
    """Reports how many files have been read while a slow call runs, to a client that gave a token."""

    def __init__(self, meta: Any, call: ToolCall, lane: LaneName, notify: Callable[[str, Any], None]) -> None:
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        self._token = token if isinstance(token, (str, int)) and not isinstance(token, bool) else None
        self._call = call
        self._notify = notify
        self._over = threading.Event()
        self._wanted = self._token is not None and lane == "slow"
        self._thread: threading.Thread | None = None

    def __enter__(self) -> None:
        if self._wanted:
            self._thread = threading.Thread(target=self._run, name="mcp-progress", daemon=True)
            self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        reported = -1.0
        while True:
            try:
                done, total = self._call.reading()
            except SidecarError:
                return
            # The number must grow with each report, even if no file was finished.
            reported = max(float(done), reported + 0.001)
            params = {"progressToken": self._token, "progress": reported, "message": "reading files"}
            if total > reported:
                params["total"] = total
            self._notify("notifications/progress", params)
            if self._over.wait(EVERY_SECONDS):
                return
