"""Events sent before the server was told to end are all noted or learned."""

from __future__ import annotations

import fcntl
import os
import random
import signal
import time
from pathlib import Path

import pytest

from tests.conftest import Spawn

IGNORED = ("window/logMessage", "memory/didChange", "file/didInvalidate", "$/progress", "client/registerCapability")
EVENTS = 200


@pytest.mark.parametrize("busy", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_events_before_a_signal_are_not_lost(spawn: Spawn, tmp_path: Path, seed: int, busy: bool) -> None:
    """`busy`: another process holds every store."""
    folder = tmp_path / "project"
    folder.mkdir()
    client = spawn(ignore=IGNORED)
    options = {"files": {"warmUp": False}, "watch": {"mode": "off"}, "store": {"folder": str(tmp_path / "store")}}
    client.initialize(folder, options=options)
    client.response(client.start("memory/list", {}))
    held = [path.open("rb") for path in (tmp_path / "store").rglob("*.lock") if busy]
    for each in held:
        fcntl.flock(each, fcntl.LOCK_EX)
    for number in range(EVENTS):
        text = f"From now on always call the service alpha{number} through the gateway beta{number} here."
        client.notify("event/userMessage", {"sessionId": "s1", "text": text})
    time.sleep(random.Random(seed).uniform(0, 0.4))
    os.kill(client.process.pid, signal.SIGTERM)
    assert client.wait_for_exit() == 128 + signal.SIGTERM
    for each in held:
        each.close()
    there = b"".join(path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
    assert [number for number in range(EVENTS) if b"beta%d " % number not in there] == []
