"""The client's log window: warnings and errors of the sidecar, without tracebacks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from sidecar.lsp.host import SidecarServer


class ClientLogHandler(logging.Handler):
    """Sends records as `window/logMessage`. The message only: a traceback may quote what is remembered."""

    def __init__(self, server: SidecarServer) -> None:
        super().__init__(logging.WARNING)
        self._server = server

    def emit(self, record: logging.LogRecord) -> None:
        """Queue one message; nothing before `initialize` was answered."""
        kind = types.MessageType.Error if record.levelno >= logging.ERROR else types.MessageType.Warning
        self._server.window_log_message(types.LogMessageParams(type=kind, message=record.getMessage()))
