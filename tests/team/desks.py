"""Machines of a team for tests: a clone with a store and a server, and what tests ask them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from protocol.sessions import ClaimResult
from protocol.status import TeamStatus
from sidecar.engine.engine import Engine
from sidecar.runtime.errors import StoreUnavailable
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, MemorySettings, ModelSettings, StoreSettings, WatchSettings
from sidecar.team.team_folder import TeamFolder
from tests.client.calling import MethodCaller
from tests.summaries.conftest import Endpoint

TOKEN = "ghp_" + "a1B2" * 9
ORIGIN = "git@git.example.org:team/shop.git"


class Desk:
    """One machine: a clone, a store, and a server when it is asked for."""

    def __init__(self, folder: Path, store: StoreSettings, **memory: object) -> None:
        self.folder = folder
        self.settings = Settings(
            store=store,
            files=FileSettings(warm_up=False),
            watch=WatchSettings(mode="off"),
            memory=replace(MemorySettings(), **memory),
        )
        self.notices: list[tuple[str, msgspec.Struct]] = []
        self._engine: Engine | None = None

    @property
    def engine(self) -> Engine:
        if self._engine is None:
            self._engine = Engine(self.settings)
            self._engine.subscribe(lambda *notice: self.notices.append(notice))
            self._engine.lifecycle.add_workspace(self.folder)
        return self._engine

    @property
    def team(self) -> TeamFolder:
        return TeamFolder(self.folder, self.settings)

    @property
    def call(self) -> MethodCaller:
        return MethodCaller(self.engine)

    def record(self, content: str, **fields: object) -> str:
        return self.call("memory/record", content=content, **fields).memory.id

    def texts(self) -> list[str]:
        return sorted(memory.content for memory in self.call("memory/list", limit=200).items)

    def state(self) -> TeamStatus:
        team = self.call("sidecar/status").workspaces[0].team
        assert team is not None
        return team

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None


Desks = Callable[..., Desk]


def with_model(desk: Desk, endpoint: Endpoint, **store: object) -> Desk:
    models = ModelSettings(endpoint=endpoint.url, name="m", facets=False, aggregates=False)
    changed = msgspec.structs.replace(desk.settings.store, **store)
    desk.settings = msgspec.structs.replace(desk.settings, models=models, store=changed)
    return desk


def is_shared(desk: Desk) -> bool:
    return bool(desk.state().state == "shared")


def claim(desk: Desk, session: str, item: str = "app.py") -> ClaimResult:
    return desk.call("session/claim", sessionId=session, item=item)


def reason(error: pytest.ExceptionInfo[StoreUnavailable]) -> str | None:
    return error.value.data.reason


def insistent(work: Callable[[], object], seconds: float = 60) -> object:
    """Try until it succeeds, as the background does."""
    until = time.monotonic() + seconds
    while True:
        try:
            return work()
        except StoreUnavailable:
            assert time.monotonic() < until
            time.sleep(0.05)
