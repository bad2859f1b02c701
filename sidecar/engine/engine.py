"""What every front calls: `Engine.call` answers every method of the table.

A front decodes parameters into the structs of `protocol`, calls `Engine.call` with the method's name and encodes the
result; `sidecar.engine.handlers` do the rest. A front opens and closes workspaces through `Engine.lifecycle`. The LSP
server also reports changed files, reads through `Engine.editor`, which answers with plain values, and follows
`Engine.foreign_changes`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from protocol.methods import METHODS, Method
from sidecar.engine.agent_sessions import AgentSessions
from sidecar.engine.background_reading import WARM_UP_OPERATION
from sidecar.engine.editor.foreign_changes import ForeignChanges
from sidecar.engine.handlers.table import IN_WORKSPACE, OVER_ALL, TOGETHER, Handlers
from sidecar.engine.housekeeping import Housekeeping
from sidecar.engine.lesson_storer import LessonStorer
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.options import EngineOptions
from sidecar.engine.peer_servers import PeerServers
from sidecar.engine.requests import ActiveRequests, Batch, Outcome
from sidecar.engine.services import Services
from sidecar.engine.session_presence import SessionPresence
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.engine.workspace_lifecycle import WorkspaceLifecycle
from sidecar.engine.workspaces import Workspaces
from sidecar.runtime.cancellation import Context
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.made_once import made_once
from sidecar.runtime.operations import Progress
from sidecar.settings import Settings

if TYPE_CHECKING:
    from sidecar.engine.editor.queries import EditorQueries
    from sidecar.engine.server_journals import ServerJournals

log = logging.getLogger(__name__)


class Engine:
    """Every capability of the sidecar, over any number of workspaces. Thread-safe."""

    def __init__(self, settings: Settings, options: EngineOptions | None = None) -> None:
        options = options or EngineOptions()
        clock = options.clock
        self.services = services = Services(settings, options)
        self.requests = ActiveRequests(clock, services.priority)
        self._presence = SessionPresence(options)
        self.workspaces = Workspaces(self._presence)
        self.foreign_changes = ForeignChanges(self.workspaces, services.user_store)
        services.notifier.notifications.subscribe(self.foreign_changes.record_notification)
        self.lessons = LessonStorer(self.workspaces, clock)
        self.agent_sessions = AgentSessions(self.workspaces, self.lessons, clock)
        self.lifecycle = WorkspaceLifecycle(services, self.requests.running, self.workspaces, self.agent_sessions)
        self._journals: ServerJournals | None = None
        if options.keeps_journals and options.process is not None:
            from sidecar.engine.server_journals import ServerJournals  # it imports what sessions are learned from

            self._journals = ServerJournals(self.lessons, options.process)
        self.housekeeping = Housekeeping(self.workspaces, self.requests, clock, services.priority)
        if not options.short_lived:
            self.lifecycle.added.subscribe(self.housekeeping.add)
        self._peer_servers = PeerServers(self.workspaces, self.call) if options.listens else None
        if self._peer_servers is not None:
            self.lifecycle.added.subscribe(self._peer_servers.open)
            self.lifecycle.closed.subscribe(self._peer_servers.close)
        self.handlers = Handlers(
            services, self.requests, self._presence, self.workspaces, self.lessons, self.agent_sessions, self._journals
        )

    @made_once
    def editor(self) -> EditorQueries:
        from sidecar.engine.editor.queries import EditorQueries

        return EditorQueries(self.workspaces, self.services.clock)

    def subscribe(self, listener: Callable[[str, msgspec.Struct], object]) -> None:
        """Call `listener` with each notification to the client, on the thread that changed memories or files."""
        self.services.notifier.notifications.subscribe(listener)
        self.foreign_changes.found.subscribe(listener)

    # -- requests --------------------------------------------------------------------------------------------

    def call(self, name: str, params: msgspec.Struct, context: Context | None = None) -> msgspec.Struct | None:
        """Answer one request, or take in one notification. Raises `SidecarError`; any other exception is a bug."""
        method, context = METHODS[name], context or Context()
        if method.groups_commits:
            (outcome,) = self.call_together(name, [(params, context)])
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome
        with self.requests.answering(method):
            if method.workspace == "none":
                self.lifecycle.reopen_outdated()
                context.check()
                return OVER_ALL[name](self.handlers)(params, context)
            workspace = self._make_ready(method, self.workspaces.find_for(method, params))
            context.check()
            return IN_WORKSPACE[name](self.handlers)(params, workspace, context)

    def call_together(self, name: str, requests: Batch[msgspec.Struct]) -> list[Outcome]:
        """Answer requests of a method that groups commits; consecutive ones of a workspace share them.

        Each has its own result or error.
        """
        method = METHODS[name]
        with self.requests.answering(method) as outcomes:
            for found, group in groupby(requests, lambda request: self._found_or_error(method, request[0])):
                batch = list(group)
                try:
                    if isinstance(found, SidecarError):
                        raise found
                    outcomes += TOGETHER[name](self.handlers)(batch, self._make_ready(method, found))
                except BaseException as error:  # noqa: BLE001 - each request is owed an answer
                    outcomes += [error] * len(batch)
        return outcomes

    def _found_or_error(self, method: Method, params: msgspec.Struct) -> WorkspaceHandle | SidecarError:
        try:
            return self.workspaces.find_for(method, params)
        except SidecarError as error:
            return error

    def _make_ready(self, method: Method, handle: WorkspaceHandle) -> OpenWorkspace:
        """Return a request's workspace in the state that its method asks for. The order of the steps matters.

        Raises `WorkspaceUnknown`, `StoreUnavailable` or `MemoryDisabled`.
        """
        # First, because the other steps are for the object that reopening makes.
        current = self.lifecycle.reopen(handle) if handle.outdated_because else handle
        workspace = current.open()
        if method.memory_on:  # a request that is refused changes nothing
            workspace.require_enabled()
        if method.workspace == "up to date":
            # Lessons before edits of MEMORY.md: what a person wrote there has the last word.
            self.lessons.store_lessons_of(current)
            workspace.take_in_outside_changes()
        return workspace

    # -- the process ends ------------------------------------------------------------------------------------

    def stop_learning(self) -> None:
        """From now on only write events into journals: this process ends, and another will learn from them."""
        if self._journals is not None:
            self._journals.stop_learning()

    def store_lessons(self) -> None:
        """End the sessions in memory and store all pending lessons; the engine keeps running."""
        self.agent_sessions.store_lessons()

    def replay(self, events: Iterable[tuple[str, msgspec.Struct]]) -> None:
        """Replay the events of a session from which another process has learned, to restore the session's state."""
        for method, params in events:
            self.call(method, params, Context(replaying=True))

    def wait_for_models(self, seconds: float) -> bool:
        """Wait up to `seconds` for a model's answers about ended sessions; return True if none is outstanding.

        A process calls this before it ends; outstanding answers are left to the next process. Never raises.
        """
        until, complete = time.monotonic() + seconds, True
        for handle in self.workspaces.all():
            try:
                opened = handle.open()
                if opened.is_enabled and handle.settings.models.sessions != "off":
                    complete = opened.questions.wait_for_sessions(until) and complete
            except SidecarError as error:
                log.info("A model's answers about %s are left to the next process: %s", handle.folder, error.message)
                complete = False
        return complete

    def suspend_sessions(self) -> bool:
        """Store all lessons but leave the sessions open for another process, so that `close` ends none.

        Return False if something could not be stored.
        """
        self.agent_sessions.drop_sessions()
        self.agent_sessions.store_lessons()
        return not self.lessons.pending()

    def close(self) -> None:
        """Stop everything; acknowledged writes are on disk. Idempotent."""
        if self._peer_servers is not None:
            self._peer_servers.close_all()
        self.housekeeping.stop()
        self.agent_sessions.close()
        if self._journals is not None and not self.lessons.pending():
            self._journals.close()
        for handle in self.workspaces.all():
            self.workspaces.remove(handle.uri)
            handle.close()
        self.services.close_stores()

    # -- events from the front -------------------------------------------------------------------------------

    def files_changed(self, uris: Sequence[str]) -> None:
        """Process files that a client reports as created, changed, saved or deleted."""
        with self.requests.running, _continuing_after_errors() as attempt:
            for handle, paths in self.workspaces.group_by_workspace(uris):
                attempt(handle.files_changed, paths)

    def files_renamed(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Process files that a client reports as moved; a move between workspaces is a deletion and a creation."""
        with self.requests.running, _continuing_after_errors() as attempt:
            for old, new in pairs:
                first, second = (self.workspaces.containing(old), self.workspaces.containing(new))
                if first is not None and first is second:
                    attempt(first.files_renamed, [(old, new)])
                else:
                    attempt(self.files_changed, [old, new])

    def warm_up(self, progress: Progress | None = None, cause: str = "asked", *, if_set: bool = False) -> None:
        """Read all unknown files in every workspace, and wait. Progress is (done, total, message).

        `if_set` limits it to workspaces whose settings request it. Raises `StoreUnavailable` and its subclasses.
        """
        with _continuing_after_errors() as attempt:
            for handle in self.workspaces.all():
                if not if_set or handle.settings.files.warm_up:
                    attempt(self._warm_up, handle, progress, cause)

    def _warm_up(self, handle: WorkspaceHandle, progress: Progress | None, cause: str) -> None:
        with self.requests.running:
            thread = handle.warm_up(progress, cause)
        if thread is not None:
            thread.join()

    def cancel_warm_up(self) -> None:
        for handle in self.workspaces.all():
            handle.operations.cancel(WARM_UP_OPERATION)


@contextmanager
def _continuing_after_errors() -> Iterator[Callable[..., None]]:
    """Yield a function that does some work. A `SidecarError` does not end the block; the last is raised afterwards."""
    failed: SidecarError | None = None

    def attempt(work: Callable[..., None], *arguments: object) -> None:
        nonlocal failed
        try:
            work(*arguments)
        except SidecarError as error:
            failed = error

    yield attempt
    if failed is not None:
        raise failed
