"""Waits for the processes that learn from ended sessions, which nobody but a test waits for."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from sidecar.engine.ended_sessions import LEARN_EVENT


def wait_for_learning_processes(below: Path, seconds: float = 120.0) -> None:
    """Until no process settles sessions whose store is below this folder."""
    until = time.monotonic() + seconds
    for each in _learning_processes(below):
        each.wait(max(0.1, until - time.monotonic()))


def _learning_processes(below: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if any(LEARN_EVENT in each for each in process.cmdline()) and process.environ().get(
                "MEMORY_SIDECAR_STORE_FOLDER", ""
            ).startswith(str(below)):
                found.append(process)
    return found
