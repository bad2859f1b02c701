"""Warnings and errors for the client's log window, without tracebacks."""

from __future__ import annotations

import logging

from sidecar.lsp.client_folders import ERROR, WARNING, ClientMessage
from sidecar.lsp.connection import LspConnection


class ClientLogHandler(logging.Handler):
    """Sends records as `window/logMessage`, without tracebacks, which may quote memories."""

    def __init__(self, connection: LspConnection) -> None:
        super().__init__(logging.WARNING)
        self._connection = connection

    def emit(self, record: logging.LogRecord) -> None:
        kind = ERROR if record.levelno >= logging.ERROR else WARNING
        self._connection.notify("window/logMessage", ClientMessage(kind, record.getMessage()))
