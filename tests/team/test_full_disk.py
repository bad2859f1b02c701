"""The server's disk is really full: its files are on a small file system of their own, which a test fills."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from sidecar.runtime.errors import StoreUnavailable
from tests.client.postgresql import LocalServer
from tests.team.conftest import Database, Machine, free_port, set_up
from tests.team.desks import Desks, insistent
from tests.waiting import eventually

MEGABYTES = 160
BODY = "It says the same as all the others, at some length, so that the disk is full soon. " * 40


class SmallDisk:
    """A file system of `MEGABYTES` with a server on it."""

    def __init__(self, folder: Path) -> None:
        self._ballast = folder / "ballast"
        self.server = LocalServer(folder, free_port(), settings=("min_wal_size=32MB", "max_wal_size=48MB"))
        self.server.make()
        self.server.start()

    def fill(self) -> None:
        """Leave no block free, whatever the server frees meanwhile."""
        with open(self._ballast, "ab", buffering=0) as file:
            try:
                while file.write(b"\0" * 65_536):
                    pass
            except OSError:
                return

    def free(self) -> None:
        """Give the space back, and start the server again if it gave up."""
        self._ballast.unlink()
        self.server.start()


@pytest.fixture
def small(database_server: LocalServer) -> Iterator[SmallDisk]:
    folder = Path(tempfile.mkdtemp(prefix="ms-full-"))
    mount = ("mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m,mode=755", "memory-sidecar-test", str(folder))
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        folder.rmdir()
        pytest.skip("needs the right to mount a small file system")
    made = None
    try:
        made = SmallDisk(folder)
        yield made
    finally:
        if made is not None:
            made.server.kill()
        subprocess.run(["umount", "-l", str(folder)], check=True)
        shutil.rmtree(folder, ignore_errors=True)


def test_memory_acknowledged_on_a_full_disk_arrives_once_when_there_is_room(small: SmallDisk, tmp_path: Path) -> None:
    database = set_up(small.server)
    laptop, desktop = Machine(tmp_path / "a", database.url()), Machine(tmp_path / "b", database.url())
    before = {laptop.record(f"Before, {number}.") for number in range(50)}
    laptop.sync()
    small.fill()
    acknowledged: set[str] = set()
    reasons: set[str | None] = set()
    for turn in range(40):
        acknowledged |= {laptop.record(f"Turn {turn}, {number}. {BODY}") for number in range(100)}
        try:
            laptop.sync()
        except StoreUnavailable as error:
            reasons.add(error.data.reason)
        if "full" in reasons or "offline" in reasons:
            break
    assert reasons & {"full", "offline", "busy"}, "the disk was never full"
    assert laptop.scope_sync.count_pending() > 0
    assert laptop.says().keys() == before | acknowledged
    small.free()
    insistent(laptop.sync)
    insistent(desktop.sync)
    assert desktop.says() == laptop.says()
    assert database.memories().keys() == before | acknowledged
    twice = database.sql("SELECT count(*) FROM memory_sidecar.memory_versions WHERE version > 1")
    assert twice == [(0,)]
    assert laptop.scope_sync.count_pending() == 0
    for machine in (laptop, desktop):
        machine.store.close()


def test_status_says_why_nothing_is_sent_until_sharing_recovers(small: SmallDisk, desks: Desks) -> None:
    database = set_up(small.server)
    laptop = desks(database.url())
    laptop.team.join(None, dry_run=False)
    eventually(partial(_is, laptop, "shared"))
    small.fill()
    count = 0
    while laptop.state().state == "shared" and count < 4_000:
        laptop.record(f"Number {count}. {BODY[:3_000]}")
        count += 1
    eventually(partial(_is, laptop, "offline"))
    stopped = laptop.state()
    assert stopped.waiting > 0
    assert any(
        word in (stopped.detail or "") for word in ("no disk space left", "cannot be reached", "stopping or starting")
    )
    small.free()
    eventually(lambda: laptop.state().state == "shared" and laptop.state().waiting == 0, 120)
    assert len(Database(small.server, "postgres", small.server.port or 0).memories()) == count


def _is(desk: object, state: str) -> bool:
    return bool(desk.state().state == state)  # type: ignore[attr-defined]
