"""What `doctor` looks at. Each check says what it found, whether that is well, and what to do when it is not."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Literal

import msgspec

from protocol.status import ModelStatus, StatusResult, StoreStatus, TrackerStatus
from sidecar import __version__
from sidecar.cli.output import waiting
from sidecar.cli.places import store_folder
from sidecar.cli.session import Session
from sidecar.cli.status import READERS
from sidecar.models.presets import preset
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.log import log_path
from sidecar.settings import Loaded, describe

State = Literal["ok", "warning", "failed"]

_PARTS = ("pygls", "msgspec", "diskcache", "tree-sitter", "watchfiles", "redact-secret", "click", "rich")
_LITTLE_SPACE = 200_000_000
_MANY_FOLDERS = 100_000
_COUNT_SECONDS = 1.5
_SLOW_START_MS = 5_000


class Check(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One thing looked at. `advice` says what to do when it is not well."""

    name: str
    state: State
    found: str
    advice: str | None = None


def versions() -> Check:
    """This program, the interpreter and the libraries that matter."""
    found = [f"memory-sidecar {__version__}", f"Python {sys.version.split()[0]}"]
    missing = []
    for part in _PARTS:
        try:
            found.append(f"{part} {metadata.version(part)}")
        except metadata.PackageNotFoundError:
            missing.append(part)
    if missing:
        return Check("versions", "failed", f"missing: {', '.join(missing)}", "Install memory-sidecar again.")
    return Check("versions", "ok", ", ".join(found))


def settings(loaded: Loaded) -> Iterator[Check]:
    """What differs from the defaults and where it was set; each problem on its own."""
    changed = [f"{key} ({origin})" for key, origin in loaded.origins.items() if origin != "default"]
    yield Check("settings", "ok", "; ".join(changed) or f"all {len(describe())} as they come")
    for problem in loaded.problems:
        yield Check(
            "settings", "warning", problem, "Correct it there; memory-sidecar settings lists them all."
        )
    if not loaded.settings.memory.enabled:
        yield Check(
            "memory", "warning", "switched off", f"Set memory.enabled ({loaded.origins['memory.enabled']})."
        )


def identity(folder: Path, loaded: Loaded) -> Check:
    """Which memory the folder belongs to, and why."""
    from sidecar.checkout.identity import identify

    found = identify(folder, store_folder(loaded.settings), loaded.settings.workspace.id)
    if found.kind == "git":
        inner = f", folder {found.inner}" if found.inner not in ("", ".") else ""
        why = f"git repository {found.repository}{inner}; " + (
            f"shared by every clone of {found.origin} with the same first commit"
            if found.origin
            else "it has no origin, so its id is its own"
        )
    elif found.kind == "override":
        why = f"set by workspace.id ({loaded.origins['workspace.id']})"
    else:
        why = f"the path {found.folder}; it is in no git repository, so moving it leaves its memory behind"
    if found.alone is not None:
        return Check("identity", "warning", f"{found.id}: a memory of its own", found.alone)
    return Check("identity", "ok", f"{found.id}: {why}")


def stores(session: Session) -> Iterator[Check]:
    """Whether the stores open, where they are, and whose eyes can see them."""
    home = store_folder(session.loaded.settings)
    try:
        status: StatusResult = session.call("sidecar/status", {})
        session.call("memory/list", {"limit": 1, "workspaceUri": session.folder.as_uri()})
    except SidecarError as error:
        yield Check("store", "failed", error.message, error.data.hint or "The log says more.")
        return
    for workspace in status.workspaces:
        counts = ", ".join(f"{count} {scope}" for scope, count in workspace.memories.items() if count)
        yield Check("memories", "ok", f"{counts or 'none yet'}; {workspace.files} file contents")
        if workspace.candidates:
            yield Check("candidates", "ok", f"{waiting(workspace.candidates)}: memory-sidecar review")
        for store in workspace.stores:
            yield _store(store)
        if workspace.trackers is not None:
            yield from _trackers(workspace.trackers)
        if workspace.model is not None:
            yield from _model(workspace.model, session.loaded, status.model_tokens_today)
    while not home.exists():  # nothing was recorded yet, or memory is switched off
        home = home.parent
    yield _privacy(home)
    free = shutil.disk_usage(home).free
    if free < _LITTLE_SPACE:
        yield Check(
            "disk", "warning", f"{free // 1_000_000} MB free at {home}", "Make room: recording will fail."
        )
    else:
        yield Check("disk", "ok", f"{free // 1_000_000_000} GB free at {home}")


def log_file(loaded: Loaded) -> Check:
    """Whether the log can be written."""
    path = log_path(loaded.settings)
    place = next(folder for folder in (path, *path.parents) if folder.exists())
    if place.is_dir() if place == path else not place.is_dir():
        return Check("log", "warning", f"{path} is no file", "Set log.file to another path.")
    if not os.access(place, os.W_OK):
        return Check("log", "warning", f"{path} cannot be written", "Set log.file to a path that can.")
    return Check("log", "ok", str(path) if path == place else f"{path} (nothing written yet)")


def watching(folder: Path, loaded: Loaded) -> Check:
    """Whether the system lets the sidecar watch as many folders as the workspace has."""
    if loaded.settings.watch.mode in ("off", "client"):
        return Check("watching", "ok", f"left to the client (watch.mode is {loaded.settings.watch.mode})")
    folders, all_counted = _count_folders(folder, loaded)
    counted = f"{folders:,} folders" if all_counted else f"more than {folders:,} folders"
    limit = _number(Path("/proc/sys/fs/inotify/max_user_watches"))
    instances = _number(Path("/proc/sys/fs/inotify/max_user_instances"))
    if limit is None or instances is None:
        return Check("watching", "ok", counted)
    found = f"{counted}; the system allows {limit:,} watches and {instances:,} watchers for all your programs"
    if folders > limit // 2 or not all_counted:
        return Check(
            "watching",
            "warning",
            found,
            "It polls when the system refuses. To watch: sudo sysctl fs.inotify.max_user_watches=1048576, or name "
            "large folders of generated files in files.ignore.",
        )
    if instances < 64:
        return Check("watching", "warning", found, "sudo sysctl fs.inotify.max_user_instances=512")
    return Check("watching", "ok", found)


def server() -> Check:
    """Whether the server starts, answers and ends, on a store of its own."""
    from sidecar.cli.wire_client import ServerGone, WireClient, WireError, server_command, server_environment

    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="memory-sidecar-doctor-", ignore_cleanup_errors=True) as room:
        environ = server_environment(
            {
                **os.environ,
                "MEMORY_SIDECAR_STORE_FOLDER": str(Path(room) / "store"),
                "MEMORY_SIDECAR_LOG_FILE": str(Path(room) / "sidecar.log"),
            }
        )
        try:
            with WireClient(server_command(), environ, cwd=Path(room)) as client:
                client.initialize([])
                took = (time.perf_counter() - began) * 1000
                code = client.close(timeout=60)  # a machine that is busy is not amiss
        except (ServerGone, WireError, OSError) as error:
            return Check(
                "server", "failed", str(error), "Run memory-sidecar serve --log-stderr and read what it says."
            )
    if code != 0:
        return Check("server", "failed", f"it ended with code {code}", "The log says why.")
    if took > _SLOW_START_MS:
        return Check(
            "server", "warning", f"ready after {took:,.0f} ms", "Editors may give up on it; is the disk slow?"
        )
    return Check("server", "ok", f"ready after {took:,.0f} ms, ended when asked to")


def _trackers(status: TrackerStatus) -> Iterator[Check]:
    """Asking a forge about issues; nothing where that was not switched on."""
    if status.host is not None:
        found = f"{status.host}/{status.project}: {status.known} found, {status.missing} not found"
        if status.state in ("paused", "failed"):
            yield Check(
                "issues", "warning", f"{found}; {status.detail or status.state}", "It tries again by itself."
            )
        else:
            yield Check("issues", "ok", found)
    elif status.detail is not None:
        yield Check("issues", "warning", status.detail, "memory-sidecar settings lists the keys of trackers.")


def _model(status: ModelStatus, loaded: Loaded, tokens: int) -> Iterator[Check]:
    """The chat model; nothing where none was chosen."""
    chosen = loaded.settings.models
    if chosen.sessions != "off" and status.sessions == "off":
        missing = "models.command" if chosen.sessions == "command" else "models.endpoint and models.name"
        yield Check("model", "warning", f"models.sessions is {chosen.sessions}", f"Set {missing} as well.")
    elif status.state != "off":
        found = f"{status.name}: {tokens:,} tokens today, {status.waiting} questions wait"
        if status.sessions != "off":
            found += f"; sessions are read by {READERS[status.sessions]}, {status.sessions_today} today"
        program = preset(chosen.command or "").arguments[:1]
        if status.sessions == "command" and not shutil.which(program[0] if program else ""):
            yield Check("model", "failed", f"{chosen.command} is not on the PATH", "Set models.command.")
        elif status.detail is not None:
            yield Check("model", "warning", f"{found}; {status.detail}", "It tries again by itself.")
        else:
            yield Check("model", "ok", found)


def _store(store: StoreStatus) -> Check:
    found = f"{store.path} ({store.bytes:,} bytes, schema {store.schema_version})"
    if store.notice:
        return Check("store", "warning", f"{found}: {store.notice}")
    return Check("store", "ok", found)


def _privacy(home: Path) -> Check:
    mode = home.stat().st_mode & 0o777
    if mode & 0o077:
        return Check(
            "privacy", "warning", f"{home} has mode {mode:03o}", f"Others may read it: chmod 700 '{home}'"
        )
    return Check("privacy", "ok", f"{home} is yours alone")


def _count_folders(folder: Path, loaded: Loaded) -> tuple[int, bool]:
    """Folders that would be watched; false when counting was cut short."""
    from sidecar.checkout.tree import Tree

    tree = Tree(folder, extra_ignores=loaded.settings.files.ignore)
    deadline = time.monotonic() + _COUNT_SECONDS
    count = 0
    for place, names, _ in os.walk(folder):
        count += 1
        if count >= _MANY_FOLDERS or time.monotonic() > deadline:
            return count, False
        inner = os.path.relpath(place, folder)
        names[:] = [name for name in names if not tree.ignored(name if inner == "." else f"{inner}/{name}")]
    return count, True


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
