"""`doctor`: check the installation and the workspace; each check says what it found and how to fix a problem."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import click
import msgspec

from protocol.memories import ListParams
from protocol.status import ModelStatus, StatusParams, StoreStatus, TrackerStatus
from sidecar import __version__
from sidecar.checkout.identity import identify
from sidecar.cli.command_calls import CommandCalls, peer_or_engine
from sidecar.cli.folder import find_workspace
from sidecar.cli.options import Cli, command
from sidecar.cli.output import print_json, print_line
from sidecar.cli.servers import server_command, server_environment
from sidecar.cli.upkeep import READERS
from sidecar.cli.wording import candidates_waiting, counted
from sidecar.models.presets import preset_of
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.log import log_path
from sidecar.settings import LoadedSettings, describe, load
from sidecar.store.location import data_home

CheckState = Literal["ok", "warning", "failed"]

_LABEL_BY_STATE = {"ok": ("ok", "green"), "warning": ("warn", "magenta"), "failed": ("FAIL", "red")}
# `doctor` warns of less free space.
_MIN_FREE_BYTES = 200_000_000
# Limits of inotify for all of a user's programs. With lower limits, large workspaces cannot be watched.
_MIN_WATCH_LIMITS = {"max_user_watches": 65_536, "max_user_instances": 64}
# `doctor` warns of a start that takes longer.
_SLOW_START_MS = 5_000


class Check(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The result of one check; `advice` says how to fix a problem."""

    name: str
    state: CheckState
    found: str
    advice: str | None = None


@command("doctor")
def doctor_command(cli: Cli) -> int:
    """Check that everything works, and say how to fix it.

    Checks the stores, the identity, the settings, the log, the watcher and the server. Exit code 1 if something failed.
    """
    folder = find_workspace(cli.workspace)
    results = []
    for check in _run_checks(folder):
        results.append(check)
        if not cli.as_json:
            _print_check(check)
    failed = any(check.state == "failed" for check in results)
    warned = sum(check.state == "warning" for check in results)
    if cli.as_json:
        print_json({"workspace": str(folder), "ok": not failed, "checks": results})
    elif failed:
        click.secho("Something failed.", fg="red", bold=True)
    else:
        click.echo(f"It works, with {counted(warned, 'warning')}." if warned else "All is well.")
    return 1 if failed else 0


def _run_checks(folder: Path) -> Iterator[Check]:
    loaded = load(folder, os.environ)
    yield _ok("versions", f"memory-sidecar {__version__}, Python {sys.version.split()[0]}")
    yield from _check_settings(loaded)
    yield Check("workspace", "ok", str(folder))
    yield _check_identity(folder, loaded)
    try:
        with peer_or_engine(loaded, folder) as answerer:
            answerer.engine()  # the stores are checked from here, not by a running server
            yield from _check_stores(CommandCalls(answerer, folder, loaded))
    except SidecarError as error:
        yield Check("store", "failed", error.message, error.data.hint)
    if loaded.settings.store.url is not None:
        yield _check_team(folder, loaded)
    yield _check_log_file(loaded)
    yield _check_watching(loaded)
    yield _check_server()


def _print_check(check: Check) -> None:
    mark, colour = _LABEL_BY_STATE[check.state]
    name = f"{check.name:<11}"
    print_line(check.found, label=f"{mark:<5}{name}", styled=f"{click.style(f'{mark:<5}', fg=colour)}{name}")
    if check.advice and check.state != "ok":
        print_line(f"→ {check.advice}", label=" " * 16)


def _ok(name: str, detail: str) -> Check:
    return Check(name, "ok", detail)


def _warning(name: str, detail: str, advice: str | None = None) -> Check:
    return Check(name, "warning", detail, advice)


def _check_settings(loaded: LoadedSettings) -> Iterator[Check]:
    """Report each problem, and each setting that differs from its default with its origin."""
    changed = [f"{key} ({origin})" for key, origin in loaded.origins.items() if origin != "default"]
    yield _ok("settings", "; ".join(changed) or f"all {len(describe())} defaults")
    for problem in loaded.problems:
        yield _warning("settings", problem, "Correct it there; `memory-sidecar settings` lists all settings.")
    if not loaded.settings.memory.enabled:
        yield _warning("memory", "switched off", f"Set memory.enabled ({loaded.origins['memory.enabled']}).")


def _check_identity(folder: Path, loaded: LoadedSettings) -> Check:
    """Report the id of the folder's memory, and what determines the id."""
    identity = identify(folder, data_home(loaded.settings.store.folder, make=False), loaded.settings.workspace.id)
    if identity.kind == "git":
        inner = f", folder {identity.inner}" if identity.inner not in ("", ".") else ""
        shared = f"shared by every clone of {identity.origin} with the same first commit"
        reason = f"git repository {identity.repository}{inner}; " + (
            shared if identity.origin else "it has no origin, so its id is its own"
        )
    elif identity.kind == "override":
        reason = f"set by workspace.id ({loaded.origins['workspace.id']})"
    else:
        reason = f"the path {identity.folder}; outside git, so its memory stays behind when the folder is moved"
    if identity.alone is not None:
        return _warning("identity", f"{identity.id}: a memory of its own", identity.alone)
    return _ok("identity", f"{identity.id}: {reason}")


def _check_stores(calls: CommandCalls) -> Iterator[Check]:
    """Check that the stores can be opened; report their folders and who can read them."""
    settings = calls.loaded.settings
    home = data_home(settings.store.folder, make=False)
    try:
        status = calls.sidecar_status(StatusParams())
        calls.memory_list(ListParams(limit=1, workspace_uri=calls.folder.as_uri()))
    except SidecarError as error:
        yield Check("store", "failed", error.message, error.data.hint or "The log says more.")
        return
    for workspace in status.workspaces:
        counts = ", ".join(f"{count} {scope}" for scope, count in workspace.memories.items() if count)
        yield _ok("memories", f"{counts or 'none yet'}; {workspace.files} file contents")
        if workspace.candidates:
            yield _ok("candidates", f"{candidates_waiting(workspace.candidates)}: memory-sidecar review")
        for store in workspace.stores:
            yield _check_store(store)
        if (trackers := workspace.trackers) is not None and (trackers.host or trackers.detail):
            yield _check_trackers(trackers)
        if (model := workspace.model) is not None and (model.state != "off" or settings.models.sessions != "off"):
            yield _check_model(model, calls.loaded, status.model_tokens_today)
    while not home.exists():  # nothing recorded yet, or memory is switched off
        home = home.parent
    yield _check_privacy(home)
    free = shutil.disk_usage(home).free
    if free < _MIN_FREE_BYTES:
        yield _warning("disk", f"{free // 1_000_000} MB free at {home}", "Free some space, or recording will fail.")
    else:
        yield _ok("disk", f"{free // 1_000_000_000} GB free at {home}")


def _check_log_file(loaded: LoadedSettings) -> Check:
    path = log_path(loaded.settings)
    existing = next(folder for folder in (path, *path.parents) if folder.exists())
    if existing.is_dir() == (existing == path) or not os.access(existing, os.W_OK):
        return _warning("log", f"{path} cannot be written", "Set log.file to a file that can be written.")
    return _ok("log", str(path) if path == existing else f"{path} (nothing written yet)")


def _check_watching(loaded: LoadedSettings) -> Check:
    """Check that the system lets a user watch the folders of a large workspace."""
    if loaded.settings.watch.mode in ("off", "client"):
        return _ok("watching", f"left to the client (watch.mode is {loaded.settings.watch.mode})")
    limits = {}
    for name, least in _MIN_WATCH_LIMITS.items():
        try:
            limits[name] = int(Path("/proc/sys/fs/inotify", name).read_text(encoding="ascii"))
        except (OSError, ValueError):  # not Linux, so there are no such limits
            return _ok("watching", "by the system")
        if limits[name] < least:
            advice = f"Large folders may be polled. To watch them: sudo sysctl fs.inotify.{name}={least * 8}"
            return _warning("watching", f"fs.inotify.{name} is only {limits[name]:,} for all your programs", advice)
    return _ok("watching", ", ".join(f"{name} {count:,}" for name, count in limits.items()))


def _check_server() -> Check:
    """Check that a server with a temporary store starts, answers and ends."""
    from protocol.client import Client, ServerGone, WireError

    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="memory-sidecar-doctor-", ignore_cleanup_errors=True) as temporary:
        store, log = str(Path(temporary) / "store"), str(Path(temporary) / "sidecar.log")
        own = {"MEMORY_SIDECAR_STORE_FOLDER": store, "MEMORY_SIDECAR_LOG_FILE": log}
        try:
            with Client(server_command(), server_environment({**os.environ, **own}), cwd=Path(temporary)) as client:
                client.initialize([])
                took = (time.perf_counter() - began) * 1000
                code = client.close(timeout=60)  # a busy machine is not a fault
        except (ServerGone, WireError, OSError) as error:
            return Check("server", "failed", str(error), "Run memory-sidecar serve --log-stderr and read what it says.")
    if code != 0:
        return Check("server", "failed", f"it ended with code {code}", "The log says why.")
    if took > _SLOW_START_MS:
        advice = "Editors may give up waiting. Check whether the disk is slow."
        return _warning("server", f"ready after {took:,.0f} ms", advice)
    return _ok("server", f"ready after {took:,.0f} ms, ended when asked to")


def _check_team(folder: Path, loaded: LoadedSettings) -> Check:
    from sidecar.team.team_folder import TeamFolder

    try:
        view = TeamFolder(folder, loaded.settings).describe()
    except SidecarError as error:
        return _warning("team", error.message, error.data.hint)
    waiting = sum(scope.waiting for scope in view.scopes)
    if view.problem is not None:
        detail = f"{view.problem} {waiting} changes wait to be shared." if waiting else view.problem
        return _warning("team", detail, view.hint)
    return _ok("team", f"shared through {view.server} as {view.role}; {waiting} changes wait to be shared")


def _check_trackers(status: TrackerStatus) -> Check:
    forge = f"{status.host}/{status.project}: {status.known} found, {status.missing} not found"
    if status.host is None:
        advice = "`memory-sidecar settings trackers` lists their settings."
        return _warning("issues", status.detail or "no forge", advice)
    if status.state in ("paused", "failed"):
        return _warning("issues", f"{forge}; {status.detail or status.state}", "It is retried automatically.")
    return _ok("issues", forge)


def _check_model(status: ModelStatus, loaded: LoadedSettings, tokens: int) -> Check:
    chosen = loaded.settings.models
    if chosen.sessions != "off" and status.sessions == "off":
        missing = "models.command" if chosen.sessions == "command" else "models.endpoint and models.name"
        return _warning("model", f"models.sessions is {chosen.sessions}", f"Set {missing} as well.")
    program = preset_of(chosen.command or "").arguments[:1]
    if status.sessions == "command" and not shutil.which(program[0] if program else ""):
        advice = "Set models.command to an installed program."
        return Check("model", "failed", f"{chosen.command} is not on the PATH", advice)
    detail = f"{status.name}: {tokens:,} tokens today, {status.waiting} questions wait"
    if status.sessions != "off":
        detail += f"; sessions are read by {READERS[status.sessions]}, {status.sessions_today} today"
    if status.detail is not None:
        return _warning("model", f"{detail}; {status.detail}", "It is retried automatically.")
    return _ok("model", detail)


def _check_store(store: StoreStatus) -> Check:
    detail = f"{store.path} ({store.bytes:,} bytes, schema {store.schema_version})"
    if store.notice:
        return _warning("store", f"{detail}: {store.notice}")
    return _ok("store", detail)


def _check_privacy(home: Path) -> Check:
    mode = home.stat().st_mode & 0o777
    if mode & 0o077:
        return _warning("privacy", f"{home} has mode {mode:03o}", f"Others may read it: chmod 700 '{home}'")
    return _ok("privacy", f"only you can read {home}")
