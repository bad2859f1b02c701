"""The local forges of a test, and engines on repositories that come from them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.trackers.enriched import EnrichedRepository
from tests.trackers.forge_server import FIXTURES, ForgeServer, Reply, Shape, serve


@pytest.fixture
def server() -> Iterator[ForgeServer]:
    yield from serve()


@pytest.fixture
def other_server() -> Iterator[ForgeServer]:
    yield from serve()


@pytest.fixture
def reply() -> type[Reply]:
    return Reply


@pytest.fixture
def shape() -> Shape:
    def of(name: str, **changes: object) -> dict[str, object]:
        found: dict[str, object] = json.loads((FIXTURES / f"{name}.json").read_text())
        return {**found, **changes}

    return of


@pytest.fixture
def make(tmp_path: Path, server: ForgeServer) -> Iterator[Callable[..., EnrichedRepository]]:
    made: list[EnrichedRepository] = []

    def repository(origin: str) -> Path:
        folder = tmp_path / f"repository{len(made)}"
        folder.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        subprocess.run(["git", "remote", "add", "origin", origin], cwd=folder, check=True)
        return folder

    def enriched(origin: str | None = None, folder: Path | None = None, **trackers: object) -> EnrichedRepository:
        place = folder or repository(origin or f"{server.url}/group/app.git")
        made.append(EnrichedRepository(place, tmp_path / "store", server, [], **trackers))
        return made[-1]

    yield enriched
    for each in made:
        each.engine.close()


@pytest.fixture
def enriched(make: Callable[..., EnrichedRepository]) -> EnrichedRepository:
    return make()
