"""The facade that every front calls: one method per row of the method table.

A front decodes parameters into the structs of `protocol`, calls `Engine.call`, and encodes the result. What happens
in between is the domains' business; this file only finds the workspace, resolves paths, and passes on.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from protocol import files as wire_files
from protocol import memories as wire
from protocol import status as wire_status
from protocol.memories import Change
from protocol.methods import METHODS
from sidecar import __version__, convert
from sidecar.background import Progress
from sidecar.call import Call, RunningCalls
from sidecar.errors import FileUnavailable, MemoryDisabled, OutsideWorkspace, SidecarError
from sidecar.files.pointers import Invalidated
from sidecar.memories.drafts import Briefing
from sidecar.roster import Roster
from sidecar.settings import Settings
from sidecar.store.location import data_home
from sidecar.store.memory_store import MemoryStore
from sidecar.workspace import WARM_UP, Opened, Workspace

Notify = Callable[[str, msgspec.Struct], None]

BRIEFINGS = 20
"""Files in play that an injected block considers at most: each costs a read and a parse."""

LEAVE_SECONDS = 5.0
"""Calls under way may take so long to end before the stores of a closed workspace are closed under them."""


BRIEFING_LEAST = 60
"""Tokens below which a briefing says too little to be worth its place."""


class Engine:
    """Every capability of the sidecar, over any number of workspaces. Methods may be called from any thread.

    `notify` is called, on the thread that did the work, with the method and parameters of each notification.
    `clock` gives epoch milliseconds. `source` is who records through this engine: an `agent`, or the `user`.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        notify: Notify = lambda method, params: None,
        clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        new_id: Callable[[int], str] | None = None,
        settings_problems: Sequence[str] = (),
        source: Literal["agent", "user"] = "agent",
    ) -> None:
        self._settings = settings
        self._source = source
        self._settings_problems = list(settings_problems)
        self._notify = notify
        self._clock = clock
        self._new_id = new_id or _uuid7
        self._started = clock()
        self._lock = threading.Lock()
        self._users: dict[Path, MemoryStore] = {}  # by folder: new settings may name another
        self._tokens_saved = 0
        self._roster = Roster()
        self._running = RunningCalls()

    # -- lifecycle -------------------------------------------------------------------------------------------

    def open_workspace(
        self,
        folder: Path,
        *,
        settings: Settings | None = None,
        client_watches: bool = False,
        watch: bool = True,
        uri: str | None = None,
    ) -> Workspace:
        """Add a workspace, with settings of its own; its stores open and its watcher starts in the background.

        `uri` is what the client calls it, and what it is called towards the client.
        """
        known = self._roster.at(folder)
        if known is not None:
            return known
        return self._add(folder, settings or self._settings, client_watches, watch, uri)

    def _add(
        self, folder: Path, settings: Settings, client_watches: bool, watch: bool, uri: str | None
    ) -> Workspace:
        workspace = Workspace(
            folder,
            settings,
            data_home=self._data_home,
            user_store=self._user_store,
            clock=self._clock,
            new_id=self._new_id,
            client_watches=client_watches,
            watched=watch,
            on_invalidated=self._invalidated,
            uri=uri,
        )
        self._roster.add(workspace)
        if workspace.watched:
            workspace.operations.start("open", "workspace opened", lambda _: workspace.get_ready())
        return workspace

    def close_workspace(self, uri: str) -> None:
        """Forget a workspace that the client has closed; its memory stays on disk."""
        workspace = self._roster.remove(uri)
        if workspace is not None:
            self._retire(workspace)

    def _retire(self, workspace: Workspace) -> None:
        """Close a workspace that no new call can find, after the calls that may have found it."""
        self._running.wait_for_earlier(LEAVE_SECONDS)
        workspace.close()

    def reconfigure(
        self,
        settings: Settings,
        problems: Sequence[str] = (),
        *,
        settings_for: Callable[[Path], Settings] | None = None,
    ) -> None:
        """Take new settings: each workspace whose own have changed is opened anew with them, then the old one closed.

        No call meanwhile is without a workspace; a warm-up that was under way goes on in the new one.
        """
        self._settings_problems = list(problems)
        self._settings = settings
        for workspace in self._roster.all():
            own = settings_for(workspace.folder) if settings_for else settings
            if own == workspace.settings:
                continue
            fresh = self._add(
                workspace.folder, own, workspace.client_watches, workspace.watched, workspace.uri
            )
            reading = workspace.operations.get(WARM_UP).state == "running"
            self._retire(workspace)
            if reading and own.files.warm_up:
                with contextlib.suppress(SidecarError):  # each request tells it
                    fresh.warm_up(None, "settings changed")

    def close(self) -> None:
        """Stop everything; what was acknowledged is on disk. Safe to call twice."""
        for workspace in self._roster.all():
            self._roster.remove(workspace.uri)
            workspace.close()
        with self._lock:
            users, self._users = self._users, {}
        for user in users.values():
            user.close()

    # -- events from the front -------------------------------------------------------------------------------

    def files_changed(self, uris: Sequence[str]) -> None:
        """Files that a client says were created, changed, saved or deleted."""
        with self._running:
            for workspace, paths in self._roster.sorted_out(uris):
                workspace.files_changed(paths)

    def files_renamed(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Files that a client says were moved; a move between workspaces is a deletion and a creation."""
        with self._running:
            for old, new in pairs:
                first, second = self._roster.containing(old), self._roster.containing(new)
                if first is not None and first is second:
                    first.files_renamed([(old, new)])
                else:
                    self.files_changed([old, new])

    def warm_up(
        self, progress: Progress | None = None, cause: str = "asked", *, if_set: bool = False
    ) -> None:
        """Read what is not known yet of every workspace, and wait for it. Progress is (done, total, message).

        `if_set`: only of those whose settings want it. Raises `StoreUnavailable` and its kin.
        """
        for workspace in self._roster.all():
            if if_set and not workspace.settings.files.warm_up:
                continue
            with self._running:
                thread = workspace.warm_up(progress, cause)
            if thread is not None:
                thread.join()

    def cancel_warm_up(self) -> None:
        """Stop reading ahead; what was read is kept."""
        for workspace in self._roster.all():
            workspace.cancel_warm_up()

    # -- requests --------------------------------------------------------------------------------------------

    def call(self, method: str, params: msgspec.Struct, call: Call | None = None) -> msgspec.Struct:
        """Answer one request of the method table. Raises `SidecarError`; anything else is a defect."""
        row = METHODS[method]
        if not isinstance(params, row.params):
            raise TypeError(f"{method} takes {row.params.__name__}, not {type(params).__name__}")
        if call is not None:
            call.check()
        with self._running:
            result: msgspec.Struct = getattr(self, row.handler)(params)
        return result

    def memory_record(self, params: wire.RecordParams) -> wire.RecordResult:
        """Store one memory."""
        workspace, opened = self._find(params.workspace_uri, params.files)
        _require_enabled(workspace)
        files, references = convert.references(opened.tree, params.files)
        recorded = opened.book.record(convert.draft(params, files, references, self._source))
        change: Change = "created" if recorded.status == "created" else "merged"
        if recorded.status != "duplicate":
            self._changed(workspace, recorded.record.id, recorded.record.scope, change)
        return convert.recorded(recorded)

    def memory_search(self, params: wire.SearchParams) -> wire.SearchResult:
        """Find memories by text."""
        workspace, opened = self._find(params.workspace_uri, params.files or ())
        _require_enabled(workspace)
        page = opened.book.search(
            params.query, convert.filters(params, opened.tree), params.limit, params.cursor
        )
        return wire.SearchResult(items=[convert.hit(found) for found in page.items], cursor=page.cursor)

    def memory_list(self, params: wire.ListParams) -> wire.ListResult:
        """Memories by filter."""
        _, opened = self._find(params.workspace_uri, params.files or ())
        page = opened.book.list(convert.filters(params, opened.tree), params.limit, params.cursor)
        return wire.ListResult(
            items=[convert.memory(found.record, found.accesses, found.accessed_at) for found in page.items],
            cursor=page.cursor,
        )

    def memory_inject(self, params: wire.InjectParams) -> wire.InjectResult:
        """The block to put in front of an agent; empty when memory is switched off."""
        workspace, opened = self._find(params.workspace_uri, params.files)
        if not workspace.settings.memory.enabled:
            return convert.EMPTY_BLOCK
        budget = params.budget_tokens or workspace.settings.memory.inject_budget_tokens
        request = convert.inject_request(params, opened.tree, budget)
        paths = request.files[:BRIEFINGS]
        share = max(BRIEFING_LEAST, budget * 2 // 5 // max(1, len(paths)))
        briefings = [self._briefing(opened, path, share) for path in paths]
        return convert.injection(opened.book.inject(request, briefings))

    def memory_get(self, params: wire.IdParams) -> wire.Memory:
        """One memory."""
        _, opened = self._find(params.workspace_uri)
        found = opened.book.get(params.id)
        return convert.memory(found.record, found.accesses, found.accessed_at)

    def memory_update(self, params: wire.UpdateParams) -> wire.UpdateResult:
        """Change fields of a memory."""
        given = params.files if params.files is not UNSET else ()
        workspace, opened = self._find(params.workspace_uri, given)
        _require_enabled(workspace)
        updated = opened.book.update(params.id, convert.changes(params, opened.tree), params.expected_version)
        if updated.changed:
            self._changed(workspace, updated.record.id, updated.record.scope, "updated")
        return wire.UpdateResult(
            memory=convert.memory(updated.record, updated.accesses, updated.accessed_at),
            redactions=convert.redactions(updated.redactions),
        )

    def memory_archive(self, params: wire.IdParams) -> wire.Memory:
        """Take a memory out of retrieval."""
        return self._step(params, "archived")

    def memory_restore(self, params: wire.IdParams) -> wire.Memory:
        """Bring an archived memory back."""
        return self._step(params, "restored")

    def memory_undo(self, params: wire.IdParams) -> wire.Memory:
        """Step a memory back."""
        return self._step(params, "undone")

    def memory_delete(self, params: wire.DeleteParams) -> wire.DeleteResult:
        """Forget a memory."""
        workspace, opened = self._find(params.workspace_uri)
        scope = opened.book.get(params.id).record.scope
        undoable = opened.book.delete(params.id, params.purge)
        self._changed(workspace, params.id, scope, "deleted")
        return wire.DeleteResult(id=params.id, undoable=undoable)

    def memory_history(self, params: wire.IdParams) -> wire.HistoryResult:
        """The versions of a memory."""
        _, opened = self._find(params.workspace_uri)
        return wire.HistoryResult(versions=[convert.version(v) for v in opened.book.history(params.id)])

    def file_summary(self, params: wire_files.SummaryParams) -> wire_files.SummaryResult:
        """The briefing of a file."""
        _, opened = self._find(params.workspace_uri, [params.path])
        try:
            summary = opened.files.summary(params.path, params.intent)
        except OutsideWorkspace as error:
            raise OutsideWorkspace(error.message, path="$.path", hint=error.data.hint) from error
        if summary.advice is None:
            with self._lock:
                self._tokens_saved += max(0, summary.content.file_tokens - summary.tokens)
        return convert.summary(summary)

    def sidecar_status(self, params: wire_status.StatusParams) -> wire_status.StatusResult:
        """Health and sizes."""
        workspaces = self._roster.all()
        rows = [convert.workspace_status(workspace) for workspace in workspaces]
        counts = [w.open().files.counts for w, row in zip(workspaces, rows, strict=True) if row.id]
        hits, looks = sum(c.hits for c in counts), sum(c.hits + c.misses for c in counts)
        return wire_status.StatusResult(
            version=__version__,
            pid=os.getpid(),
            uptime_ms=max(0, self._clock() - self._started),
            enabled=self._settings.memory.enabled,
            workspaces=rows,
            queues={"warmUp": sum(row.warmup.total - row.warmup.done for row in rows)},
            hit_rates={"files": hits / looks} if looks else {},
            tokens_saved=self._tokens_saved,
            settings_problems=self._settings_problems,
        )

    # -- inside ----------------------------------------------------------------------------------------------

    def _find(self, uri: str | None, paths: Sequence[str] = ()) -> tuple[Workspace, Opened]:
        workspace = self._roster.find(uri, paths)
        return workspace, workspace.open()

    def _step(self, params: wire.IdParams, change: Change) -> wire.Memory:
        workspace, opened = self._find(params.workspace_uri)
        steps: dict[str, Callable[[str], Any]] = {
            "archived": opened.book.archive,
            "restored": opened.book.restore,
            "undone": opened.book.undo,
        }
        updated = steps[change](params.id)
        if updated.changed:
            self._changed(workspace, updated.record.id, updated.record.scope, change)
        return convert.memory(updated.record, updated.accesses, updated.accessed_at)

    def _briefing(self, opened: Opened, path: str, budget: int) -> Briefing:
        try:
            summary = opened.files.summary(path, budget=budget)
        except FileUnavailable as error:
            return Briefing(path=path, unavailable=error.reason)
        return Briefing(path=path, text=summary.text, hash=summary.hash)

    def _changed(self, workspace: Workspace, id: str, scope: str, change: Change) -> None:
        self._notify("memory/didChange", convert.did_change(workspace.uri, id, scope, change))

    def _invalidated(self, workspace: Workspace, told: Sequence[Invalidated]) -> None:
        self._notify("file/didInvalidate", convert.did_invalidate(workspace.uri, told))

    def _data_home(self) -> Path:
        return data_home(self._settings.store.folder)

    def _user_store(self) -> MemoryStore:
        with self._lock:
            folder = self._data_home() / "user"
            if folder not in self._users:
                self._users[folder] = MemoryStore.open(folder)
            return self._users[folder]


def _require_enabled(workspace: Workspace) -> None:
    if not workspace.settings.memory.enabled:
        raise MemoryDisabled(
            "Memory is switched off.", hint="Set memory.enabled to true to record and search."
        )


def _uuid7(now: int) -> str:
    """A UUIDv7 (RFC 9562 section 5.7) for an epoch in milliseconds: time-ordered, the rest random."""
    random = int.from_bytes(os.urandom(10), "big")
    value = (now & (1 << 48) - 1) << 80 | 0x7 << 76 | (random >> 62 & 0xFFF) << 64 | 0b10 << 62
    return str(uuid.UUID(int=value | random & (1 << 62) - 1))
