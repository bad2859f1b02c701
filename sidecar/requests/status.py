"""Requests about the sidecar itself."""

from __future__ import annotations

import os

from protocol import status as wire
from sidecar import __version__, convert
from sidecar.requests.files import FileRequests
from sidecar.requests.host import Host


class StatusRequests:
    """The desk of `sidecar/*`."""

    def __init__(self, host: Host, files: FileRequests) -> None:
        self._host = host
        self._files = files

    def sidecar_status(self, params: wire.StatusParams) -> wire.StatusResult:
        """Health and sizes."""
        workspaces = self._host.roster.all()
        rows = [convert.workspace_status(workspace) for workspace in workspaces]
        counts = [w.open().files.counts for w, row in zip(workspaces, rows, strict=True) if row.id]
        hits, looks = sum(c.hits for c in counts), sum(c.hits + c.misses for c in counts)
        return wire.StatusResult(
            version=__version__,
            pid=os.getpid(),
            uptime_ms=max(0, self._host.clock() - self._host.started),
            enabled=self._host.settings.memory.enabled,
            workspaces=rows,
            queues={"warmUp": sum(row.warmup.total - row.warmup.done for row in rows)},
            hit_rates={"files": hits / looks} if looks else {},
            tokens_saved=self._files.tokens_saved,
            settings_problems=self._host.settings_problems,
        )
