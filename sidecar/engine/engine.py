"""The facade that every front calls: one method per row of the method table.

A front decodes parameters into the structs of `protocol`, calls `Engine.call`, and encodes the result. What
happens in between is the business of `sidecar.engine.handlers`.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import msgspec

from protocol.memories import Change
from protocol.methods import METHODS
from sidecar.engine import wire_mapping
from sidecar.engine.handlers.registry import Handlers
from sidecar.engine.idle_maintenance import IdleMaintenance
from sidecar.engine.services import Notify, Services
from sidecar.engine.workspace import WARM_UP, Workspace
from sidecar.runtime.cancellation import Call, RunningCalls
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.ids import TimeOrderedIds
from sidecar.runtime.operations import Progress
from sidecar.settings import Settings

if TYPE_CHECKING:
    from sidecar.engine.editor.queries import EditorQueries
    from sidecar.files.pointers import Invalidated
    from sidecar.learning.operations import Told
    from sidecar.models.chat_models import Chat

log = logging.getLogger(__name__)

LEAVE_SECONDS = 5.0
"""Calls under way may take so long to end before the stores of a closed workspace are closed under them."""


class Engine:
    """Every capability of the sidecar, over any number of workspaces. Methods may be called from any thread.

    `notify` is called, on the thread that did the work, with the method and parameters of each notification.
    `clock` gives epoch milliseconds. `source` is who records through this engine: an `agent`, or the `user`. `process`
    names the one with which the sessions that are started here are over; `notes`: what they do is written down first.
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
        process: str | None = None,
        notes: bool = False,
    ) -> None:
        self._services = services = Services(
            settings,
            notify=notify,
            clock=clock,
            new_id=new_id or TimeOrderedIds(),
            source=source,
            settings_problems=settings_problems,
            process=process,
        )
        self._learner = services.learner
        if notes and process is not None:
            from sidecar.engine.session_notes import Notes

            services.notes = Notes(self._learner, process)
        self._handlers = Handlers(services)
        events = services.events
        events.memory_changed.subscribe(self._memory_changed)
        events.candidates_changed.subscribe(self._candidates_changed)
        events.files_invalidated.subscribe(self._files_invalidated)
        events.files_read.subscribe(lambda *read: self._handlers.files.was_read(*read))
        events.session_finished.subscribe(self._session_finished)
        self._idle_maintenance = IdleMaintenance(services.workspaces, clock, events.memory_changed, self._tidy)
        self._running = RunningCalls()
        self._renewing = threading.Lock()
        self._stocked = False

    def _tidy(self) -> None:
        if not self._stocked:
            from sidecar.engine.preload import take_in

            self._stocked = True
            take_in(self._services.priority.give_way)
        self._services.priority.tidy()

    @cached_property
    def editor(self) -> EditorQueries:
        """What editors draw; no method of the table."""
        from sidecar.engine.editor.queries import EditorQueries

        return EditorQueries(self._services)

    # -- lifecycle -------------------------------------------------------------------------------------------

    def open_workspace(
        self,
        folder: Path,
        *,
        settings: Settings | None = None,
        client_watches: bool = False,
        watch: bool = True,
        uri: str | None = None,
        problems: Sequence[str] = (),
    ) -> Workspace:
        """Add a workspace, with settings of its own; its stores open and its watcher starts in the background.

        `uri` is what the client calls it, and what it is called towards the client; `problems` are what was wrong with
        its settings.
        """
        known = self._services.workspaces.at(folder)
        if known is not None:
            return known
        return self._add(folder, settings or self._services.settings, client_watches, watch, uri, problems)

    def _add(
        self,
        folder: Path,
        settings: Settings,
        client_watches: bool,
        watch: bool,
        uri: str | None,
        problems: Sequence[str],
    ) -> Workspace:
        workspace = Workspace(
            folder,
            settings,
            services=self._services,
            client_watches=client_watches,
            watched=watch,
            uri=uri,
            settings_problems=problems,
        )
        self._services.workspaces.add(workspace)
        if workspace.watched:
            workspace.operations.start("open", "workspace opened", lambda _: workspace.get_ready())
            self._idle_maintenance.watch(workspace)
        return workspace

    def close_workspace(self, uri: str) -> None:
        """Forget a workspace that the client has closed; its memory stays on disk."""
        workspace = self._services.workspaces.remove(uri)
        if workspace is not None:
            self._learner.leave(workspace)
            self._retire(workspace)

    def _open_outlived_anew(self) -> None:
        """Open each folder anew in which another workspace stands by now, or whose stores somebody deleted.

        What was learned of the one that was there is stored where it belongs, as far as that still can be.
        """
        for old in self._services.workspaces.all():
            why = old.outlived
            if why is None:
                continue
            with self._renewing:
                if self._services.workspaces.at(old.folder) is not old:
                    continue  # another call did so meanwhile
                what = "its stores are gone" if why == "gone" else "another workspace stands there by now"
                log.warning("%s is opened anew: %s.", old.folder, what)
                if why == "replaced":
                    self._learner.leave(old)
                fresh = self._add(
                    old.folder, old.settings, old.client_watches, old.watched, old.uri, old.settings_problems
                )
            threading.Thread(target=self._retire, args=(old,), name="retire", daemon=True).start()
            if old.watched and old.settings.files.warm_up:
                with contextlib.suppress(SidecarError):  # each request tells it
                    fresh.warm_up(None, "opened anew")

    def _retire(self, workspace: Workspace) -> None:
        """Close a workspace that no new call can find, after the calls that may have found it."""
        self._running.wait_for_earlier(LEAVE_SECONDS)
        try:
            workspace.close()
        except SidecarError as error:  # its stores may be gone
            log.warning("%s was not closed in good order: %s", workspace.folder, error.message)
        self._services.priority.let_go()

    def reconfigure(
        self,
        settings: Settings,
        problems: Sequence[str] = (),
        *,
        settings_for: Callable[[Path], Settings] | None = None,
        problems_for: Callable[[Path], Sequence[str]] | None = None,
    ) -> None:
        """Take new settings: each workspace whose own have changed is opened anew with them, then the old one closed.

        No call meanwhile is without a workspace; a warm-up that was under way goes on in the new one.
        """
        self._services.settings_problems = list(problems)
        self._services.settings = settings
        for workspace in self._services.workspaces.all():
            own = settings_for(workspace.folder) if settings_for else settings
            amiss = problems_for(workspace.folder) if problems_for else ()
            workspace.settings_problems = tuple(amiss)
            if own == workspace.settings:
                continue
            fresh = self._add(workspace.folder, own, workspace.client_watches, workspace.watched, workspace.uri, amiss)
            self._learner.reconfigured(fresh)
            reading = workspace.operations.get(WARM_UP).state == "running"
            self._retire(workspace)
            if reading and own.files.warm_up:
                with contextlib.suppress(SidecarError):  # each request tells it
                    fresh.warm_up(None, "settings changed")

    def start_no_session(self) -> None:
        """The events to come are of sessions that are over, and no sign of life."""
        self._services.starts_sessions = False

    def note_only(self) -> None:
        """The process ends: what sessions do from now on is written down for another one to learn from."""
        if self._services.notes is not None:
            self._services.notes.only = True

    def settle(self) -> None:
        """Store what was learned and waits to be stored, of every session. The engine goes on."""
        self._learner.settle()

    def go_on(self, events: Iterable[tuple[str, msgspec.Struct]]) -> None:
        """Bring sessions to where an earlier process left them; what their events taught was stored by it."""
        with self._learner.known():
            for method, params in events:
                self.call(method, params)

    def offer(self, model: Chat | None) -> None:
        """Let workspaces that are opened from now on ask this model, the client's own, where the settings say so."""
        self._services.client_model = lambda: model

    def wait_for_models(self, seconds: float) -> bool:
        """Wait for what models say of sessions that are over, where it can come now; whether all of it has come.

        For a process that would end otherwise: what has not come waits for the next one. Never raises.
        """
        until, complete = time.monotonic() + seconds, True
        for workspace in self._services.workspaces.all():
            try:
                kept = workspace.open().enabled
                if kept is not None and workspace.settings.models.sessions != "off":
                    complete = kept.questions.wait_for_sessions(until) and complete
            except SidecarError as error:
                log.info("What a model says of %s cannot be waited for: %s", workspace.folder, error.message)
                complete = False
        return complete

    def put_down(self) -> bool:
        """Store what was learned and leave sessions open for another process to go on with: `close` settles none.

        False when something could not be stored.
        """
        self._learner.put_down()
        self._learner.settle()
        return not self._learner.pending()

    def close(self) -> None:
        """Stop everything; what was acknowledged is on disk. Safe to call twice."""
        self._idle_maintenance.stop()
        self._learner.close()
        if self._services.notes is not None and not self._learner.pending():
            self._services.notes.close()
        for workspace in self._services.workspaces.all():
            self._services.workspaces.remove(workspace.uri)
            workspace.close()
        self._services.close_stores()

    # -- events from the front -------------------------------------------------------------------------------

    def files_changed(self, uris: Sequence[str]) -> None:
        """Files that a client says were created, changed, saved or deleted."""
        failed: SidecarError | None = None
        with self._running:
            for workspace, paths in self._services.workspaces.sorted_out(uris):
                try:
                    workspace.files_changed(paths)
                except SidecarError as error:  # the others are told all the same
                    failed = error
        if failed is not None:
            raise failed

    def files_renamed(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Files that a client says were moved; a move between workspaces is a deletion and a creation."""
        with self._running:
            for old, new in pairs:
                first, second = (self._services.workspaces.containing(old), self._services.workspaces.containing(new))
                if first is not None and first is second:
                    first.files_renamed([(old, new)])
                else:
                    self.files_changed([old, new])

    def warm_up(self, progress: Progress | None = None, cause: str = "asked", *, if_set: bool = False) -> None:
        """Read what is not known yet of every workspace, and wait for it. Progress is (done, total, message).

        `if_set`: only of those whose settings want it. Raises `StoreUnavailable` and its kin.
        """
        failed: SidecarError | None = None
        for workspace in self._services.workspaces.all():
            if if_set and not workspace.settings.files.warm_up:
                continue
            try:
                with self._running:
                    thread = workspace.warm_up(progress, cause)
            except SidecarError as error:  # the others are read all the same
                failed = error
                continue
            if thread is not None:
                thread.join()
        if failed is not None:
            raise failed

    def cancel_warm_up(self) -> None:
        """Stop reading ahead; what was read is kept."""
        for workspace in self._services.workspaces.all():
            workspace.cancel_warm_up()

    # -- requests --------------------------------------------------------------------------------------------

    def call(self, method: str, params: msgspec.Struct, call: Call | None = None) -> msgspec.Struct:
        """Answer one request of the method table. Raises `SidecarError`; anything else is a defect."""
        row = METHODS[method]
        if not isinstance(params, row.params):
            raise TypeError(f"{method} takes {row.params.__name__}, not {type(params).__name__}")
        if call is not None:
            call.check()
        self._idle_maintenance.touched()
        self._open_outlived_anew()
        handler = self._handlers.of(method)
        with self._services.counts.request(method), self._running, self._services.serving(call):
            # What takes long anyway, or waits for the background itself, makes nothing wait.
            if row.lane not in ("read", "write"):
                return cast(msgspec.Struct, handler(params))
            with self._services.priority.answering():
                return cast(msgspec.Struct, handler(params))

    def _memory_changed(self, workspace: Workspace, id: str, scope: str, change: Change) -> None:
        self._services.notify("memory/didChange", wire_mapping.did_change(workspace.uri, id, scope, change))
        workspace.memories_changed()

    def _candidates_changed(self, workspace: Workspace) -> None:
        waiting = workspace.open().memories.waiting()
        told = wire_mapping.did_change_candidates(workspace.uri, waiting)
        self._services.notify("memory/didChange", told)

    def _files_invalidated(self, workspace: Workspace, files: Sequence[Invalidated]) -> None:
        self._services.notify("file/didInvalidate", wire_mapping.did_invalidate(workspace.uri, files))

    def _session_finished(self, workspace: Workspace, session_id: str, told: list[Told]) -> None:
        kept = workspace.open().enabled
        if kept is not None and workspace.settings.models.sessions != "off" and kept.questions.reads_sessions:
            from sidecar.summaries.session_reading import packed

            kept.questions.session_ended(session_id, packed(told))
