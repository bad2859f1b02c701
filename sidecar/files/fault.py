"""Defects of this program that a file revealed: counted, and logged without any of the file's text."""

from __future__ import annotations

import logging
import threading
import traceback
from pathlib import Path

log = logging.getLogger(__name__)


def describe(error: Exception) -> str:
    """Return an error's type and where it was raised, such as `AttributeError in javascript.py:48`."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


class Faults:
    """The defects that files revealed. Thread-safe."""

    def __init__(self) -> None:
        self._hashes: dict[str, str] = {}
        self._lock = threading.Lock()

    def record(self, path: str, hash: str, fault: str) -> None:
        """Record and log the fault that a content revealed, if any, once."""
        with self._lock:
            if not fault or self._hashes.get(path) == hash:
                return
            self._hashes[path] = hash
        log.warning("%s is known without its definitions: %s", path, fault)

    def by_path(self) -> list[tuple[str, str]]:
        with self._lock:
            return list(self._hashes.items())
