"""`sidecar/status` and `memory/file`."""

from __future__ import annotations

import os

from protocol import status as api
from sidecar import __version__
from sidecar.engine.handlers.status_rows import workspace_status
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.services import Services
from sidecar.engine.workspaces import Workspaces
from sidecar.runtime.cancellation import Context
from sidecar.runtime.errors import InvalidField, SidecarError


class StatusHandler:
    def __init__(self, services: Services, workspaces: Workspaces) -> None:
        self._services, self._workspaces = services, workspaces

    def sidecar_status(self, params: api.StatusParams, context: Context) -> api.StatusResult:
        known, uri = self._workspaces, params.workspace_uri
        handles = known.all() if uri is None else [known.find(uri)]
        rows = [workspace_status(handle) for handle in handles]
        counts = [handle.open().files.counts for handle, row in zip(handles, rows, strict=True) if row.id]
        hits, lookups = sum(c.hits for c in counts), sum(c.hits + c.misses for c in counts)
        return api.StatusResult(
            version=__version__,
            pid=os.getpid(),
            uptime_ms=max(0, self._services.clock() - self._services.started),
            enabled=self._services.settings.memory.enabled,
            workspaces=rows,
            queues={"warmUp": sum(row.warmup.total - row.warmup.done for row in rows)},
            hit_rates={"files": hits / lookups} if lookups else {},
            tokens_saved=sum(row.tokens_saved for row in rows),
            model_tokens_today=self._model_tokens(),
            settings_problems=self._settings_problems(),
        )

    def memory_file(
        self, params: api.MemoryFileParams, workspace: OpenWorkspace, context: Context
    ) -> api.MemoryFileStatus:
        """Synchronise MEMORY.md, with a person's answer where one is needed."""
        if params.trust and self._services.source(context) != "user":
            raise InvalidField(
                "Only a person can trust a repository.", path="$.trust", hint="Run `memory-sidecar trust`."
            )
        if params.trust is not None:
            workspace.memory_file.trust(params.trust)
        return workspace.memory_file.sync(decision=params.vanished)

    def _settings_problems(self) -> list[str]:
        """Return the problems of the settings and of each workspace's own settings, without duplicates."""
        of_folders = [problem for handle in self._workspaces.all() for problem in handle.settings_problems]
        return list(dict.fromkeys([*self._services.settings_problems, *of_folders]))

    def _model_tokens(self) -> int:
        """Return today's model tokens over all workspaces; 0 if no model is configured, without creating a store."""
        models = [handle.settings.models for handle in self._workspaces.all()]
        if not any(settings.endpoint or settings.sessions != "off" for settings in models):
            return 0
        try:
            return self._services.spending().spent(self._services.clock())
        except SidecarError:  # the rows of the stores report it
            return 0
