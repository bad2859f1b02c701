"""The operating system's notifications of changes, which watchfiles delivers in batches.

On Linux each folder is watched singly, because a recursive watch would follow symlinks out of the workspace and watch
ignored folders. Other systems watch a whole tree at once (FSEvents), so only the root is watched there.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Iterable

RECURSIVE = sys.platform != "linux"

# A batch ends after `STEP_MS` without a notification, or after `BATCH_MS`. After a long quiet, steps are longer.
STEP_MS = 10
QUIET_STEP_MS = 40
BATCH_MS = 100

_INOTIFY_LIMITS = (
    (errno.ENOSPC, "watch limit", "watched folders", "max_user_watches=524288"),
    (errno.EMFILE, "Too many open files", "watchers", "max_user_instances=512"),
)


class FolderEvents:
    """Watches folders from its construction on. Raises OSError if that fails; `explain_failure` explains it."""

    def __init__(self, root: str, folders: Iterable[str], *, recursive: bool = RECURSIVE) -> None:
        """Watch these folders below `root`, or all of `root` if `recursive`."""
        # Imported here, because it takes 15 ms and not every command watches.
        from watchfiles._rust_notify import RustNotify

        paths = [root] if recursive else [f"{root}/{folder}" if folder else root for folder in folders]
        try:
            # True as the last argument would hide an exceeded limit along with missing permissions.
            self._native = RustNotify(paths, False, False, 300, recursive, False)
        except RuntimeError as error:  # watchfiles' own type for unknown errors
            raise OSError(str(error)) from error
        self._root = root

    def wait(self, stop: threading.Event, seconds: float, *, quiet: bool = False) -> set[str]:
        """Return the relative paths of the next changes, "" for the root; none after `seconds` or on `stop`."""
        step = QUIET_STEP_MS if quiet else STEP_MS
        raw = self._native.watch(BATCH_MS, step, max(int(seconds * 1000), 1), stop)
        return self._paths(raw) if isinstance(raw, set) else set()

    def drain(self) -> set[str]:
        """Return the paths of changes notified so far, without waiting."""
        raw = self._native.watch(1, 1, 1, None)
        return self._paths(raw) if isinstance(raw, set) else set()

    def _paths(self, raw: set[tuple[int, str]]) -> set[str]:
        prefix = self._root.rstrip("/") + "/"
        inside = {path[len(prefix) :].replace(os.sep, "/") for _, path in raw if path.startswith(prefix)}
        return inside | {"" for _, path in raw if path == self._root}

    def close(self) -> None:
        self._native.close()


def explain_failure(error: OSError) -> str:
    """Return a sentence for the user that explains why watching fails, and what to do about it."""
    text = str(error)
    for number, sign, limited, setting in _INOTIFY_LIMITS:
        if error.errno == number or sign in text:
            return (
                f"The system's limit on {limited} is reached, so the sidecar polls for changes. "
                f"To raise it: sudo sysctl fs.inotify.{setting}"
            )
    return f"The system cannot watch this folder ({text}), so the sidecar polls for changes."
