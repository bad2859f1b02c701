"""Journals of ended sessions, and the process that learns from them.

A session is over when it ended, when its agent's process is gone, or, if that is unknown, when it has been silent for
as long as a session lives without a heartbeat. Settling runs in a separate process, so that nobody waits for it and no
other process's end stops it; a lock on the journal lets only one process learn from it at a time.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sidecar.runtime.process_names import SILENT_MS, is_running
from sidecar.store.journal_lines import journal_folder, owner_of
from sidecar.system.processes import DETACHED

if TYPE_CHECKING:
    import subprocess

EVENT = '{"hook_event_name":"Settle"'
"""How the event begins that only this program sends."""

NOBODY = "-"
LATELY_SECONDS = 10.0
"""A session that ended longer ago and was not learned from waits for more than its own process."""

MAX_SECONDS = 12 * 3_600.0
"""A session silent for this long is over although its agent is alive: another one runs in its window."""


def left_over(data_home: Path, folder: Path) -> list[Path]:
    return [path for path in journal_folder(data_home, folder).glob("*.jsonl") if is_over(path)]


def wait_until_learned(data_home: Path, folder: Path, seconds: float = 3.0) -> None:
    """Wait while sessions that ended in the last moments are learned from, at most `seconds`."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and any(map(_ended_lately, left_over(data_home, folder))):
        time.sleep(0.05)


def _ended_lately(path: Path) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime < LATELY_SECONDS
    return False


def is_over(path: Path) -> bool:
    try:
        silent, owner = time.time() - path.stat().st_mtime, owner_of(path.read_bytes())
    except FileNotFoundError:  # another process was done with it
        return False
    alive = is_running(owner.process) if owner.process is not None else None
    limit = SILENT_MS / 1_000 if alive is None else MAX_SECONDS
    return owner.ended or alive is False or silent > limit


def start(data_home: Path, folder: Path, session_id: str = NOBODY) -> subprocess.Popen[bytes]:
    """Start the process that learns from a workspace's ended sessions and from what is new in one session."""
    import subprocess

    event = f'{EVENT},"session_id":{msgspec.json.encode(session_id).decode()}}}'
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "sidecar", "hook", event],
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(folder), "MEMORY_SIDECAR_STORE_FOLDER": str(data_home)},
        cwd=data_home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=DETACHED,
        start_new_session=True,  # it survives the end of the agent and of its terminal
    )


class LearningProcesses:
    """Starts settling processes, one at a time for each workspace, ever less often while they achieve nothing."""

    def __init__(self) -> None:
        self._last: dict[Path, tuple[list[Path], int, subprocess.Popen[bytes] | None]] = {}

    def start_if_needed(self, data_home: Path, folder: Path) -> None:
        """Start a settling process if a session of this workspace is over. Raises OSError."""
        sessions = sorted(left_over(data_home, folder))
        before, checks, process = self._last.get(folder, ([], 0, None))
        if process is not None and process.poll() is None:
            return
        checks = checks + 1 if sessions == before else 1
        if sessions and checks & (checks - 1) == 0:
            process = start(data_home, folder)
        self._last[folder] = (sessions, checks, process)
