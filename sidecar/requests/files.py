"""Requests about files."""

from __future__ import annotations

import threading

from protocol import files as wire
from sidecar import convert
from sidecar.errors import OutsideWorkspace
from sidecar.requests.host import Host


class FileRequests:
    """The desk of `file/*`. `tokens_saved` counts what agents need not have read, since this process began."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lock = threading.Lock()
        self.tokens_saved = 0

    def file_summary(self, params: wire.SummaryParams) -> wire.SummaryResult:
        """The briefing of a file."""
        _, opened = self._host.find(params.workspace_uri, [params.path])
        try:
            summary = opened.files.summary(params.path, params.intent)
        except OutsideWorkspace as error:
            raise OutsideWorkspace(error.message, path="$.path", hint=error.data.hint) from error
        if summary.advice is None:
            with self._lock:
                self.tokens_saved += max(0, summary.content.file_tokens - summary.tokens)
        return convert.summary(summary)
