"""Journals of ended sessions, and the process that learns from them.

A session is over when it has ended or its agent's process is gone. If that process cannot be seen from here, the
session is over after as long a silence as ends any session without a heartbeat. A process of its own learns from the
journals, so that nobody waits for it and no other process's end stops it; a lock lets one process at a time learn from
a journal.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from sidecar.runtime.process_names import SILENT_MS, is_running
from sidecar.store.journals import journal_folder, owner_of

if TYPE_CHECKING:
    import subprocess

LEARN_EVENT: Final = "LearnFromEnded"
"""The name of an event that only this program sends to its hooks."""

NO_SESSION = "-"
JUST_ENDED_SECONDS = 10.0
"""Age up to which a journal of an ended session is expected to be learned from soon."""

MAX_SILENT_SECONDS = 12 * 3_600.0
"""Seconds of silence after which a session is over even if its agent runs: the agent has a newer session by then."""


def left_over(data_home: Path, folder: Path) -> list[Path]:
    return [path for path in journal_folder(data_home, folder).glob("*.jsonl") if is_over(path)]


def wait_until_learned(data_home: Path, folder: Path, seconds: float = 3.0) -> None:
    """Wait up to `seconds` until the sessions that have just ended are learned from."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and any(map(_ended_lately, left_over(data_home, folder))):
        time.sleep(0.05)


def _ended_lately(path: Path) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime < JUST_ENDED_SECONDS
    return False


def is_over(path: Path) -> bool:
    try:
        silent, owner = time.time() - path.stat().st_mtime, owner_of(path.read_bytes())
    except FileNotFoundError:  # another process has learned from it and removed it
        return False
    alive = is_running(owner.process) if owner.process is not None else None
    limit = SILENT_MS / 1_000 if alive is None else MAX_SILENT_SECONDS
    return owner.ended or alive is False or silent > limit


def start_learning(data_home: Path, folder: Path, session_id: str = NO_SESSION) -> subprocess.Popen[bytes]:
    """Start the process that learns from a workspace's ended sessions and from what is new in one session."""
    import subprocess

    event = msgspec.json.encode({"hook_event_name": LEARN_EVENT, "session_id": session_id})
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "sidecar", "hook", event],
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(folder), "MEMORY_SIDECAR_STORE_FOLDER": str(data_home)},
        cwd=data_home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # it survives the end of the agent and of its terminal
    )


class LearningProcesses:
    """Starts learning processes: one at a time for a workspace, and ever less often while journals remain."""

    def __init__(self) -> None:
        self._last: dict[Path, tuple[list[Path], int, subprocess.Popen[bytes] | None]] = {}

    def start_if_needed(self, data_home: Path, folder: Path) -> None:
        """Start a process if a session of this workspace is over. Raises OSError."""
        sessions = sorted(left_over(data_home, folder))
        before, checks, process = self._last.get(folder, ([], 0, None))
        if process is not None and process.poll() is None:
            return
        checks = checks + 1 if sessions == before else 1
        if sessions and checks & (checks - 1) == 0:
            process = start_learning(data_home, folder)
        self._last[folder] = (sessions, checks, process)
