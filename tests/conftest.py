"""Fixtures for every test that talks to a server: real processes over stdio, or the front in this process.

The clients live in `tests/client/stdio_client.py`; a client's `close()` fails on any message that the test did
not consume.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import IO, Protocol

import pytest
from hypothesis import HealthCheck, settings

from tests.client.stdio_client import InProcessClient, StdioClient

FAKE_SERVER = Path(__file__).parent / "client" / "fake_engine.py"

# Hundreds of tests start the program, and each worker reads all tests: compiling them anew each time would take most of
# the time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell that starts the tests in the background has them ignore interruptions, which they would pass on.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# An example that takes long on a busy machine is no failure. The same examples are tried everywhere and each time, so
# that a change is judged by what it changed. `--hypothesis-profile=searching` tries others, and more of them.
UNHURRIED = settings(settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("unhurried", UNHURRIED, max_examples=40, derandomize=True, database=None, print_blob=True)
settings.register_profile("searching", UNHURRIED, max_examples=600, derandomize=False, database=None, print_blob=True)
settings.load_profile("unhurried")

MEMORY = Path("/dev/shm")
"""Where Linux has a file system in memory: stores and git flush so often that on a disk most of a test is waiting."""


def is_roomy(folder: Path, free: int = 4 * 2**30) -> bool:
    """Return whether temporary folders of all tests fit there, programs included."""
    if not os.access(folder, os.W_OK):
        return False
    state = os.statvfs(folder)
    return state.f_bavail * state.f_frsize >= free and not state.f_flag & os.ST_NOEXEC


if is_roomy(MEMORY):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

TESTS = Path(__file__).parent
STARTING = {"spawn", "fake_server", "repository", "make_repository", "hook"}
"""Fixtures that start processes."""

SLOW_ROOMS = frozenset(
    "bench checkout cli client embedding end_to_end engine hooks lsp mcp memories reliability store summaries"
    " team trackers".split()
)
"""Rooms whose tests open engines or connections: tens of milliseconds each, and more."""


WAITING_ROOMS = ("editors", "hooks", "mcp", "end_to_end", "reliability", "team", "lsp", "engine")
"""Rooms whose files take longest, the longest first."""


def rank(item: pytest.Item) -> int:
    """Return when a test begins in a run of several workers: what takes long must not keep all others waiting."""
    if item.get_closest_marker("long") is not None:
        return -1
    room = room_of(item.path.parent)
    return WAITING_ROOMS.index(room) if room in WAITING_ROOMS else len(WAITING_ROOMS)


@cache
def room_of(folder: Path) -> str:
    """The folder below `tests` that this one is, or is in."""
    return folder.relative_to(TESTS).parts[0] if TESTS in folder.parents else ""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave rooms without fast tests unread when only those are wanted: reading all takes longer than they do."""
    return True if config.option.markexpr == "fast" and room_of(collection_path) in (SLOW_ROOMS | {"editors"}) else None


def pytest_collection() -> None:
    """Collect tests without the garbage collector, which would look through them again and again and find nothing."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Let the garbage collector leave alone what was collected: it stays to the end."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test `editor`, `process`, `slow` or `fast`: by its file's mark, its room or what it starts."""
    for item in items:
        room = room_of(item.path.parent)
        starts = STARTING.intersection(getattr(item, "fixturenames", ()))
        if room == "editors":
            item.add_marker("editor")
        elif starts or "subprocess" in vars(getattr(item, "module", None) or object):
            item.add_marker("process")
        elif item.get_closest_marker("slow") is None:
            item.add_marker("slow" if room in SLOW_ROOMS else "fast")
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=rank)


class Spawn(Protocol):
    """Starts a server process, by default `python -m sidecar serve`."""

    def __call__(
        self,
        command: Sequence[str] | None = None,
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        ignore: Sequence[str] = (),
        stderr: IO[bytes] | int | None = None,
    ) -> StdioClient: ...


def own_home(home: Path) -> dict[str, str]:
    """Return an environment whose stores and settings are in this folder."""
    names = {"XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache"}
    return {"HOME": str(home), **{name: str(home / place) for name, place in names.items()}}


@pytest.fixture
def spawn(tmp_path: Path) -> Iterator[Spawn]:
    """Start `python -m sidecar serve`, or `command`; every process is gone when the test ends.

    The store and the settings are under `tmp_path`, never the user's own.
    """
    clients: list[StdioClient] = []

    def start(
        command: Sequence[str] | None = None,
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        ignore: Sequence[str] = (),
        stderr: IO[bytes] | int | None = None,
    ) -> StdioClient:
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        client = StdioClient(command, cwd=cwd, env={**own_home(home), **(env or {})}, ignore=ignore, stderr=stderr)
        clients.append(client)
        return client

    yield start
    for client in clients:
        client.kill()


@pytest.fixture
def fake_server(spawn: Spawn) -> Spawn:
    """Start a server process whose engine is `tests/client/fake_engine.py`."""

    return partial(spawn, [sys.executable, str(FAKE_SERVER)])


ENDING = (
    "sidecar.lsp.connection.DRAIN_LANES_SECONDS",
    *(f"sidecar.lsp.server.{name}_SECONDS" for name in ("CLOSE_ENGINE", "JOIN_WORKERS", "FLUSH_OUTPUT")),
)


@pytest.fixture(scope="session")
def time_to_end() -> Iterator[None]:
    """A front in this process ends all its threads, which a server on a busy machine would leave behind.

    For tests that ask whether every one of them has ended.
    """
    with pytest.MonkeyPatch.context() as patched:
        for name in ENDING:
            patched.setattr(name, 60.0)
        yield


class StartInProcess(Protocol):
    """Runs the front, with the fake engine behind it, on a thread of this process."""

    def __call__(self, *, ignore: Sequence[str] = ()) -> InProcessClient: ...


@pytest.fixture
def in_process(time_to_end: None) -> StartInProcess:
    from tests.client.fake_engine import fake_options

    return partial(InProcessClient, fake_options({}))
