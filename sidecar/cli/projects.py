"""All projects of which this machine has memories, for people only: no agent searches across projects."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from protocol.memories import Hit, Memory, SearchResult
from protocol.methods import METHODS
from sidecar.checkout import registry
from sidecar.checkout.identity import identify
from sidecar.cli.command_calls import open_engine
from sidecar.cli.failure import warn
from sidecar.runtime.errors import SidecarError
from sidecar.settings import load
from sidecar.store.location import data_home

if TYPE_CHECKING:
    from sidecar.engine.engine import Engine


class KnownProject(msgspec.Struct, frozen=True, rename="camel"):
    """A project with memories in the data folder. `folder` is where it was last opened."""

    id: str
    name: str
    folder: str
    exists: bool


class ProjectHit(msgspec.Struct, frozen=True):
    project: KnownProject
    hit: Hit

    @property
    def memory(self) -> Memory:
        return self.hit.memory

    @property
    def place(self) -> str:
        """Return the name of the project, or `(all)` for a global memory."""
        return "(all)" if self.memory.scope == "global" else self.project.name


class Projects:
    """Answers requests about any project, which it opens on the first request. Thread-safe."""

    def __init__(self, engine: Engine, home: Path) -> None:
        self._engine = engine
        self.all = known_projects(home)
        self._by_id = {project.id: project for project in self.all}

    def call(self, project: str, method: str, params: Mapping[str, Any]) -> Any:
        """Return a method's result struct. Raises KeyError for an unknown project, `SidecarError`, ValidationError."""
        record = self._by_id[project]
        folder = Path(record.folder)
        settings = load(folder, os.environ).settings
        if not record.exists:
            # Open the project by its id, and do not take its missing MEMORY.md for an emptied file.
            own_workspace, no_file = replace(settings.workspace, id=project), replace(settings.memory_file, mode="off")
            settings = replace(settings, workspace=own_workspace, memory_file=no_file)
        workspace = self._engine.lifecycle.add_workspace(folder, settings=settings)
        params = {**params, "workspaceUri": workspace.uri}
        return self._engine.call(method, msgspec.convert(params, METHODS[method].params))


@contextmanager
def open_projects() -> Iterator[Projects]:
    loaded = load(None, os.environ)
    engine = open_engine(loaded)
    try:
        yield Projects(engine, data_home(loaded.settings.store.folder))
    finally:
        engine.close()


def known_projects(home: Path) -> list[KnownProject]:
    """Return the projects in the data folder, by name, unless their folder now holds another project."""
    projects = []
    for note in home.glob("workspaces/*/workspace.json"):
        try:
            last = msgspec.json.decode(note.read_bytes(), type=registry.LastOpened)
        except (OSError, msgspec.MsgspecError):
            continue
        folder, id = Path(last.folder), note.parent.name
        if not folder.is_dir():
            projects.append(KnownProject(id, folder.name, str(folder), exists=False))
        elif identify(folder, home, load(folder, os.environ).settings.workspace.id).id == id:
            projects.append(KnownProject(id, folder.name, str(folder), exists=True))
    return sorted(projects, key=lambda project: (project.name.casefold(), project.folder))


def search_all(projects: Projects, params: Mapping[str, Any]) -> list[ProjectHit]:
    """Return the best matches of all projects, best first. A global memory occurs once."""
    filters = {name: value for name, value in params.items() if value is not None}
    hits: dict[str, ProjectHit] = {}
    for project in projects.all:
        try:
            result: SearchResult = projects.call(project.id, "memory/search", filters)
        except SidecarError as error:
            warn(f"{project.name} cannot be searched: {error.message}")
            continue
        for hit in result.items:
            hits.setdefault(hit.memory.id, ProjectHit(project, hit))
    best = sorted(hits.values(), key=lambda entry: (-entry.hit.score, entry.memory.id))
    return best[: filters.get("limit", 10)]
