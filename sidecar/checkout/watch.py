"""Report the changed files of a workspace soon after the change.

The system's notifications only say where to look. Because some get lost, a new folder is scanned again once it is
watched, and now and then all files are compared with the last scan. Changes go to `WorkspaceHandle.files_changed`.
"""

from __future__ import annotations

import logging
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable
from typing import Literal

from sidecar.checkout.folder_events import RECURSIVE, FolderEvents, explain_failure
from sidecar.checkout.snapshot import FolderSnapshot
from sidecar.checkout.tree import Tree

log = logging.getLogger(__name__)

# `stop` waits this long for the thread, unless told otherwise.
_JOIN_SECONDS = 0.5
# Seconds between two checks of the workspace folder itself.
_ROOT_SECONDS = 1.0
# After this long without a change, notifications are fetched less often.
_QUIET_SECONDS = 10.0
# Attempts to watch the folders, some of which may vanish meanwhile.
_OPEN_ATTEMPTS = 5
# A batch of this many notifications may have overflowed the system's queue (16,384 by default).
_LARGE_BATCH = 2_000
# Pause between a large batch and the comparison of all files.
_LARGE_BATCH_SECONDS = 2.0
# `git init` gets this long to finish.
_NEW_REPOSITORY_SECONDS = 0.5
# After a longer first walk, requests go first, because no other thread runs while ten thousand folders are passed to
# the system: the watch begins after a multiple of the walk's time, and files are compared later.
LONG_WALK_SECONDS = 0.25
WATCH_AFTER_WALKS = 2
# Polling spends at most a twentieth of its time on scanning.
_SCAN_SHARE = 20
# Up to this many reports of a file pass without delay, then one per `REFILL_SECONDS` (a token bucket).
MAX_BURST = 10
REFILL_SECONDS = 5.0
# Once reports are counted for this many files, old counts are removed.
MAX_COUNTED_FILES = 1_000


class _Stopped(Exception):
    """Ends a scan when the watcher must stop."""


class Watcher:
    """Watches one workspace on a thread of its own; it can be started only once.

    `on_change` is called with the relative paths of files that appeared, vanished or may have changed. `state` is "own"
    while the system sends notifications, else "polling", with the reason in `detail`.

    After `ready`, every change is reported. In a large workspace, the report of a change between the first walk and
    `ready` may take half a minute.
    """

    state: Literal["own", "polling", "off"]
    detail: str | None

    def __init__(
        self,
        tree: Tree,
        on_change: Callable[[frozenset[str]], None],
        snapshot: FolderSnapshot | None = None,
        *,
        reconcile_seconds: float = 300,
        poll_seconds: float = 5,
        recursive: bool = RECURSIVE,
    ) -> None:
        self.state = "off"
        self.detail = None
        self.ready = threading.Event()
        self._tree = tree
        self._root = str(tree.root)
        self._on_change = on_change
        self._reconcile_seconds = reconcile_seconds
        self._poll_seconds = poll_seconds
        self._recursive = recursive
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._snapshot = snapshot or FolderSnapshot(tree)
        self._events: FolderEvents | None = None
        self._watched: frozenset[str] = frozenset()
        self._recreated: set[str] = set()  # folders to watch anew, because they may have replaced the watched ones
        self._reconcile_at = 0.0
        self._changed_at = 0.0
        self._retry_at = 0.0
        self._throttle = Throttle()

    def start(self) -> None:
        """Start watching in the background, unless the watcher runs already."""
        if self._stop.is_set():
            raise RuntimeError("a stopped watcher cannot be started again; make a new one")
        if self._thread is not None:
            return
        self._thread = threading.Thread(target=self._run, name="watch")
        self._thread.start()

    def stop(self, seconds: float = _JOIN_SECONDS) -> None:
        """End the thread within half a second, unless `on_change` takes longer: then return after `seconds`."""
        thread, self._thread = self._thread, None
        self._stop.set()
        if thread is not None and thread is not threading.current_thread():
            thread.join(seconds)
            if thread.is_alive():
                log.warning("The watcher of %s is still busy with a change; it ends after that.", self._root)
        self.state = "off"
        self.ready.clear()

    def _check(self) -> None:
        if self._stop.is_set():
            raise _Stopped

    def _run(self) -> None:
        self._changed_at = time.monotonic()
        first = True
        while not self._stop.is_set():
            try:
                if first:
                    self._snapshot.all_files(self._check)
                    first = False
                    if self._snapshot.seconds >= LONG_WALK_SECONDS:
                        self._stop.wait(WATCH_AFTER_WALKS * self._snapshot.seconds)
                self._watch_until_replaced()
            except _Stopped:
                break
            except Exception:
                log.exception("The watcher of %s failed and starts again.", self._root)
                self._set_state("polling", "The watcher failed and starts again; see the log.")
                self._stop.wait(self._poll_seconds)
        self.state = "off"

    def _set_state(self, state: Literal["own", "polling"], detail: str | None) -> None:
        if detail is not None and detail != self.detail:
            log.warning("Changes in %s are found by polling: %s", self._root, detail)
        self.state, self.detail = state, detail

    def _watch_until_replaced(self) -> None:
        """Watch until the workspace folder itself is replaced. If watching is impossible, poll once."""
        identity = self._root_identity()
        if identity is None:
            self._set_state("polling", "The workspace folder does not exist; waiting for it.")
            self._poll()
            return
        if time.monotonic() < self._retry_at:
            self._poll()
            return
        try:
            self._watch_folders()
            self._set_state("own", None)
            if self._snapshot.seconds < LONG_WALK_SECONDS:
                self._reconcile(trusting=True)
            else:  # serve the requests that arrive now first
                self._reconcile_at = time.monotonic() + _SCAN_SHARE * self._snapshot.seconds
            while self._root_identity() == identity:
                self._follow_folders()
                self.ready.set()
                self._process_batch()
        except OSError as error:
            if self._root_identity() is not None:
                self._set_state("polling", explain_failure(error))
                self._retry_at = time.monotonic() + self._reconcile_seconds
        finally:
            if self._events is not None:
                self._events.close()
                self._events = None

    def _watch_folders(self) -> set[str]:
        """Watch the snapshot's folders in place of the earlier ones; return the last changes in those."""
        for attempt in range(_OPEN_ATTEMPTS):
            self._watched = frozenset(self._snapshot.folders | {""})
            try:
                events = FolderEvents(self._root, self._watched, recursive=self._recursive)
                break
            except (FileNotFoundError, PermissionError):
                if attempt + 1 == _OPEN_ATTEMPTS:
                    raise
                self._report(self._snapshot.rescan(check=self._check))
        earlier, self._events = self._events, events
        if earlier is None:
            return set()
        missed = earlier.drain()
        earlier.close()
        return missed

    def _poll(self) -> None:
        started = time.monotonic()
        self._report(self._snapshot.rescan(check=self._check))
        self.ready.set()
        self._stop.wait(max(self._poll_seconds, _SCAN_SHARE * (time.monotonic() - started)))

    def _reconcile(self, *, trusting: bool = False) -> None:
        self._tree.ignores.invalidate()
        self._report(self._snapshot.rescan(check=self._check, trusting=trusting))
        self._reconcile_at = time.monotonic() + self._reconcile_seconds

    def _process_batch(self) -> None:
        """Wait at most a second for one batch, and process it."""
        self._check()
        if self._events is None:
            return
        now = time.monotonic()
        seconds = self._throttle.seconds(min(max(self._reconcile_at - now, 0.0), _ROOT_SECONDS))
        paths = self._events.wait(self._stop, seconds, quiet=now - self._changed_at > _QUIET_SECONDS)
        self._check()
        if paths:
            self._changed_at = time.monotonic()
            if len(paths) > _LARGE_BATCH:
                self._reconcile_at = min(self._reconcile_at, self._changed_at + _LARGE_BATCH_SECONDS)
            self._examine(paths)
        else:
            self._report(set())  # reports files that were held back
        if time.monotonic() >= self._reconcile_at:
            self._reconcile()

    def _follow_folders(self) -> None:
        """Watch every folder of the snapshot, without missing a change."""
        while not self._recursive and (self._recreated or self._snapshot.folders != self._watched):
            self._check()
            new_folders = self._recreated | (self._snapshot.folders - self._watched)
            self._recreated = set()
            missed = self._watch_folders()
            # Files made before their folder was watched caused no notification.
            self._report(self._snapshot.rescan(new_folders, check=self._check))
            self._examine(missed)
            if self._root_identity() is None:
                break

    def _examine(self, paths: set[str]) -> None:
        snapshot = self._snapshot
        changed, folders = set[str](), set[str]()
        for path in paths - {""}:
            folder, _, name = path.rpartition("/")
            if name in (".gitignore", ".git", "pyvenv.cfg"):  # these change what a walk visits
                self._tree.ignores.invalidate()
                folders.add(folder)
            if name == ".git" and folder:  # look again when `git init` is finished
                soon = time.monotonic() + _NEW_REPOSITORY_SECONDS
                self._reconcile_at = min(self._reconcile_at, soon)
            if folder not in snapshot.folders:
                folders |= self._topmost_unknown(folder)
                continue
            if snapshot.update_file(path):
                changed.add(path)
            if path in snapshot.folders or (self._tree.ignores.is_folder(path) and not self._tree.ignored(path)):
                folders.add(path)
                if not self._recursive:
                    self._recreated.add(path)
        if folders:
            changed |= snapshot.rescan(folders, check=self._check)
        self._report(changed)

    def _topmost_unknown(self, folder: str) -> set[str]:
        """Return the topmost unknown folder on the way to `folder`; none if it is ignored."""
        parts = folder.split("/")
        for depth in range(1, len(parts) + 1):
            above = "/".join(parts[:depth])
            if above not in self._snapshot.folders:
                return set() if self._tree.ignored(above) or not self._tree.ignores.is_folder(above) else {above}
        return set()

    def _root_identity(self) -> tuple[int, int] | None:
        try:
            status = os.stat(self._root)
        except OSError:
            return None
        return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None

    def _report(self, changed: set[str]) -> None:
        changed = self._throttle.admit(changed)
        if not changed:
            return
        self._check()
        try:
            self._on_change(frozenset(changed))
        except Exception:
            log.exception("A change of %d files in %s could not be processed.", len(changed), self._root)


class Throttle:
    """Limits the reports of a file that changes constantly, such as a log. Not thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._full_at: dict[str, float] = {}  # when each file may be reported in a burst again
        self._held_back: dict[str, float] = {}  # when each file that was held back may be reported
        self._tidy_above = MAX_COUNTED_FILES

    def admit(self, paths: Iterable[str]) -> set[str]:
        """Return which of `paths` to report now, with those held back until now."""
        now = self._clock()
        admitted = {path for path, at in self._held_back.items() if at <= now}
        for path in admitted:
            del self._held_back[path]
        for path in {*paths, *admitted}:
            full_at = max(self._full_at.get(path, now), now) + REFILL_SECONDS
            if path in admitted or full_at - now <= MAX_BURST * REFILL_SECONDS:
                self._full_at[path] = full_at
                self._held_back.pop(path, None)
                admitted.add(path)
            else:
                self._held_back.setdefault(path, full_at - MAX_BURST * REFILL_SECONDS)
        if len(self._full_at) > self._tidy_above:
            self._full_at = {path: at for path, at in self._full_at.items() if at > now}
            self._tidy_above = max(MAX_COUNTED_FILES, 2 * len(self._full_at))
        return admitted

    def seconds(self, limit: float) -> float:
        """Return the seconds, at most `limit`, until the next report of a file that was held back."""
        if not self._held_back:
            return limit
        return min(limit, max(0.0, min(self._held_back.values()) - self._clock()))
