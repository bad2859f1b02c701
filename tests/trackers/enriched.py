"""One engine on a repository whose origin is a local forge."""

from __future__ import annotations

from pathlib import Path

import msgspec

from protocol.context import TrackedEntity
from protocol.status import TrackerStatus
from sidecar.engine.engine import Engine
from sidecar.engine.options import EngineOptions
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, StoreSettings, TrackerSettings, WatchSettings
from tests.client.calling import MethodCaller
from tests.trackers.forge_server import ForgeServer

HOUR = 3_600_000
DAY = 24 * HOUR
NOW = 1_795_251_600_000  # 2026-11-21 09:00 UTC
ISSUE = "/api/v4/projects/group%2Fapp/issues/"
MERGE = "/api/v4/projects/group%2Fapp/merge_requests/"
TOKEN = "glpat-0123456789abcdef"


class EnrichedRepository:
    """One engine on one repository, and the forge of its origin."""

    def __init__(
        self,
        folder: Path,
        store: Path,
        server: ForgeServer,
        notices: list[tuple[str, msgspec.Struct]],
        **trackers: object,
    ) -> None:
        self.now = NOW
        self.folder = folder
        self.server = server
        self.notices = notices
        values = {"enabled": True, "gitlabUrl": server.url, "gitlabToken": TOKEN, "timeoutSeconds": 60.0}
        self.settings = Settings(
            store=StoreSettings(folder=store),
            files=FileSettings(warm_up=False),
            watch=WatchSettings(mode="off"),
            trackers=msgspec.convert({**values, **trackers}, TrackerSettings),
        )
        self.engine = Engine(self.settings, EngineOptions(clock=lambda: self.now, short_lived=True))
        self.engine.subscribe(lambda *notice: notices.append(notice))
        self.workspace = self.engine.lifecycle.add_workspace(folder)

    @property
    def call(self) -> MethodCaller:
        return MethodCaller(self.engine)

    def record(self, content: str, **more: object) -> str:
        self.now += 1
        return str(self.call("memory/record", content=content, **more).memory.id)

    def enrich(self, later: int = 0) -> list[str]:
        """Run enrichment once; return the requested paths."""
        self.now += later
        before = len(self.server.seen)
        kept = self.workspace.open()
        thread = kept.enrichment.run()
        if thread is not None:
            thread.join(200)
            assert self.workspace.operations.get("trackers").state == "done"
        return [path for path, _ in self.server.seen[before:]]

    def status(self) -> TrackerStatus:
        (row,) = self.call("sidecar/status").workspaces
        assert row.trackers is not None
        return row.trackers

    def tracked(self, entity: str) -> TrackedEntity:
        """Return what is known of what an issue or merge request says."""
        found = self.call("context/entity", entity=entity).tracked
        assert found is not None
        return found

    def state(self, id: str) -> str:
        return str(self.call("memory/get", id=id).status)
