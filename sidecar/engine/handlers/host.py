"""What every desk needs of the engine: settings, workspaces, the clock, and how to tell a client."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from protocol.memories import Change
from sidecar.embedding.choice import Models
from sidecar.engine import wire_mapping
from sidecar.engine.workspace import Opened, Workspace
from sidecar.engine.workspaces import Roster
from sidecar.runtime.cancellation import Call
from sidecar.runtime.errors import MemoryDisabled
from sidecar.runtime.priority import Courtesy
from sidecar.settings import Settings
from sidecar.store.location import data_home
from sidecar.store.memory_store import MemoryStore
from sidecar.store.spending import Spending

if TYPE_CHECKING:
    from sidecar.engine.handlers.session_notes import Notes
    from sidecar.models.ways import Chat

Notify = Callable[[str, msgspec.Struct], None]


class Host:
    """Shared by all desks of one engine. Methods may be called from any thread.

    `settle` stores what was learned in a workspace and waits to be stored; `shown` is told of each injected block.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        notify: Notify,
        clock: Callable[[], int],
        new_id: Callable[[int], str],
        source: Literal["agent", "user"],
        settings_problems: Sequence[str],
    ) -> None:
        self.settings = settings
        self.settings_problems = list(settings_problems)
        self.notify = notify
        self.clock = clock
        self.new_id = new_id
        self._source = source
        self.started = clock()
        self.process: str | None = None  # with which sessions are over that are started here
        self.starts_sessions = True  # by their events
        self.notes: Notes | None = None
        self.roster = Roster()
        self.models = Models()
        self.courtesy = Courtesy()
        self.settle: Callable[[Workspace], object] = lambda workspace: None
        self.shown: Callable[[Workspace, str], None] = lambda workspace, text: None
        self.client_model: Callable[[], Chat | None] = lambda: None
        self._serving = threading.local()
        self._lock = threading.Lock()
        self._users: dict[Path, MemoryStore] = {}  # by folder: new settings may name another
        self._spending: dict[Path, Spending] = {}

    @property
    def source(self) -> Literal["agent", "user"]:
        """Who records in the request that this thread answers."""
        call: Call | None = self._serving.__dict__.get("call")
        return "user" if call is not None and call.by_person else self._source

    def find(self, uri: str | None, paths: Sequence[str] = ()) -> tuple[Workspace, Opened]:
        """The workspace that a request means, and its parts. Raises `WorkspaceUnknown`, `StoreUnavailable`."""
        workspace = self.roster.find(uri, paths)
        return workspace, workspace.open()

    def find_current(self, uri: str | None, paths: Sequence[str] = ()) -> tuple[Workspace, Opened]:
        """`find`, and the store has taken in what was learned, and written into the memory file by hand, meanwhile."""
        workspace, opened = self.find(uri, paths)
        self.settle(workspace)
        if opened.kept is not None:
            opened.kept.look_at_memory_file()
        return workspace, opened

    def require_enabled(self, workspace: Workspace) -> None:
        """Raise `MemoryDisabled` where memory is switched off."""
        if not workspace.settings.memory.enabled:
            raise MemoryDisabled(
                "Memory is switched off.", hint="Set memory.enabled to true to record and search."
            )

    @contextlib.contextmanager
    def serving(self, call: Call | None) -> Iterator[None]:
        """The request that this thread answers until the block ends; `step` is about it."""
        before = self._serving.__dict__.get("call")
        self._serving.call = call
        try:
            yield
        finally:
            self._serving.call = before

    def step(self, done: int, total: int, message: str) -> None:
        """Tell who waits for the request that this thread answers; raises `Cancelled` when it was taken back."""
        call: Call | None = self._serving.__dict__.get("call")
        if call is not None:
            call.step(done, total, message)

    def changed(self, workspace: Workspace, id: str, scope: str, change: Change) -> None:
        """Tell the client that a memory changed."""
        self.notify("memory/didChange", wire_mapping.did_change(workspace.uri, id, scope, change))
        workspace.memories_changed()

    def candidates_changed(self, workspace: Workspace) -> None:
        """Tell the client how many candidates wait now."""
        waiting = workspace.open().memories.waiting()
        self.notify("memory/didChange", wire_mapping.did_change_candidates(workspace.uri, waiting))

    def data_home(self) -> Path:
        """The folder of all stores under the settings in force."""
        return data_home(self.settings.store.folder, make=self.settings.memory.enabled)

    def user_store(self) -> MemoryStore:
        """The store of global memories under the settings in force, opened once."""
        with self._lock:
            folder = self.data_home() / "user"
            if folder in self._users and self._users[folder].is_gone:
                self._users.pop(folder).close()
            if folder not in self._users:
                self._users[folder] = MemoryStore.open(folder)
            return self._users[folder]

    def spending(self) -> Spending:
        """The counters of what models used, under the settings in force, opened once."""
        with self._lock:
            folder = self.data_home() / "user"
            if folder in self._spending and self._spending[folder].is_gone:
                self._spending.pop(folder).close()
            if folder not in self._spending:
                self._spending[folder] = Spending.open(folder)
            return self._spending[folder]

    def close_stores(self) -> None:
        """Close what `user_store` and `spending` opened. Safe to call twice."""
        with self._lock:
            stores: list[MemoryStore | Spending] = [*self._users.values(), *self._spending.values()]
            self._users, self._spending = {}, {}
        for store in stores:
            store.close()
