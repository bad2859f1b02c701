"""Engines over real stores and real repositories in a temporary folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, Protocol, TypedDict, TypeVar, Unpack

import msgspec
import pytest
from msgspec.structs import replace

from protocol.status import StatusParams
from sidecar.engine.decoder_warmup import warm_up_decoders
from sidecar.engine.engine import Engine
from sidecar.engine.options import EngineOptions
from sidecar.files.index import catching_up
from sidecar.files.retrieval import past
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, MemorySettings, StoreSettings, WatchSettings
from tests.client.calling import EngineCalls, MethodCaller
from tests.client.git import git
from tests.clock import Clock

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True, scope="session")
def decoders() -> None:
    """Decode each struct once on one thread, as a server does: msgspec shows other threads an unfinished analysis."""
    warm_up_decoders()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise time limits, so that answers on a busy machine do not give up on these tests' few files and commits."""
    monkeypatch.setattr(catching_up, "CATCH_UP_SECONDS", 120.0)
    monkeypatch.setattr(catching_up, "SURVEY_SECONDS", 120.0)
    monkeypatch.setattr(past, "REFRESH_SECONDS", 120.0)


MODULE = '''"""Talks to the server and retries."""

import os

from app import settings

RETRIES = 3


class Client:
    """One connection."""

    def fetch(self, url: str, timeout: float = 1.0) -> bytes:
        """Fetch a page. Retries on time-outs."""
        return os.fsencode(url)


def main() -> None:
    """Run the client."""


if __name__ == "__main__":
    main()
'''


@pytest.fixture(scope="session")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a committed repository with a small Python package, of which each test gets copies."""
    folder = tmp_path_factory.mktemp("committed") / "repo"
    (folder / "app").mkdir(parents=True)
    (folder / "app" / "client.py").write_text(MODULE)
    (folder / "app" / "settings.py").write_text('"""Settings of the app."""\n\nDEBUG = False\n')
    (folder / "README.md").write_text("# App\n\nFetches pages.\n\n## Use\n\nRun it.\n")
    (folder / ".gitignore").write_text("ignored/\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


@pytest.fixture
def make_repository(committed: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Copy a committed repository with a small Python package."""

    def make(name: str) -> Path:
        return Path(shutil.copytree(committed, tmp_path / name))

    return make


@pytest.fixture
def repository(make_repository: Callable[[str], Path]) -> Path:
    return make_repository("repo")


Params = TypeVar("Params", bound=msgspec.Struct)


class Told:
    """Collects notifications from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.messages: list[tuple[str, msgspec.Struct]] = []

    def __call__(self, method: str, params: msgspec.Struct) -> None:
        with self._changed:
            self.messages.append((method, params))
            self._changed.notify_all()

    def of(self, kind: type[Params]) -> list[Params]:
        """Return the params of the notifications of one kind."""
        return [params for _, params in self.messages if isinstance(params, kind)]

    def wait(self, kind: type[Params], holds: Callable[[Params], bool] = lambda _: True, seconds: float = 90) -> Params:
        """Return the first matching params, waiting for them if necessary."""
        end = time.monotonic() + seconds
        with self._changed:
            while True:
                for params in self.of(kind):
                    if holds(params):
                        return params
                assert self._changed.wait(max(0.0, end - time.monotonic())), f"not told of it: {self.messages}"


def at_rest(engine: Engine) -> None:
    """Wait until no background work is left: all is opened, embedded and written to the memory file."""
    until = time.monotonic() + 100
    while not _rests(engine):
        assert time.monotonic() < until, "there is no end of the background's work"
        time.sleep(0.02)


def _rests(engine: Engine) -> bool:
    status = EngineCalls(engine).sidecar_status(StatusParams())
    for row in status.workspaces:
        model = row.embedding
        if model is not None and (
            model.state == "loading" or (model.state == "ready" and model.operation in ("idle", "running"))
        ):
            return False
    started = [list(workspace.operations._operations.values()) for workspace in engine.workspaces.all()]
    return all(operation.thread is None for operations in started for operation in operations)


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code in a new process that knows no home."""
    return subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments],
        env={"PYTHONPATH": str(ROOT), "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def told() -> Told:
    return Told()


def settings(store: Path, **memory: object) -> Settings:
    return Settings(
        store=StoreSettings(folder=store),
        files=FileSettings(warm_up=False),
        watch=WatchSettings(mode="off"),
        memory=replace(MemorySettings(), **memory),
    )


@pytest.fixture
def plain(tmp_path: Path) -> Settings:
    """Return settings with the store in the test's folder, no watcher and no warm-up."""
    return settings(tmp_path / "store")


class ChosenOptions(TypedDict, total=False):
    """Fields of `EngineOptions` that tests set."""

    clock: Callable[[], int]
    new_id: Callable[[int], str]
    source: Literal["agent", "user"]
    listens: bool
    keeps_journals: bool
    short_lived: bool


class MakeOptions(ChosenOptions, total=False):
    settings: Settings


class MakeEngine(Protocol):
    """Opens an engine on folders, with the settings of the fixture `plain` unless given others."""

    def __call__(self, *folders: Path, **options: Unpack[MakeOptions]) -> Engine: ...


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make_engine(plain: Settings, told: Told) -> Iterator[MakeEngine]:
    """Create engines that are closed at the end; all share one store folder unless told otherwise."""
    made: list[Engine] = []

    def make(*folders: Path, settings: Settings = plain, **options: Unpack[ChosenOptions]) -> Engine:
        engine = Engine(settings, EngineOptions(**options))
        engine.subscribe(told)
        made.append(engine)
        for folder in folders:
            engine.lifecycle.add_workspace(folder)
        return engine

    yield make
    for engine in made:
        engine.close()


@pytest.fixture
def call(make_engine: MakeEngine, repository: Path, clock: Clock) -> MethodCaller:
    """Call the methods of one engine on one repository."""
    return MethodCaller(make_engine(repository, clock=clock))
