"""The client's log window: warnings and errors of the sidecar, without tracebacks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sidecar.lsp.session import ERROR, WARNING

if TYPE_CHECKING:
    from sidecar.lsp.service import Service


class ClientLogHandler(logging.Handler):
    """Sends records as `window/logMessage`. The message only: a traceback may quote what is remembered."""

    def __init__(self, service: Service) -> None:
        super().__init__(logging.WARNING)
        self._service = service

    def emit(self, record: logging.LogRecord) -> None:
        """Queue one message; nothing before `initialize` was answered."""
        kind = ERROR if record.levelno >= logging.ERROR else WARNING
        self._service.tell("window/logMessage", kind, record.getMessage())
