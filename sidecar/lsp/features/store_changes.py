"""Tell the client that memories changed: at once if by this process, within a second if by another.

A few times a second the stores are asked for the number of their last change, while the client wants to know: it
declares `workspace.codeLens.refreshSupport`, `workspace.diagnostics.refreshSupport` or, for a plugin that draws for
itself, `experimental.memorySidecar.didChange`, or it shows MEMORY.md with diagnostics that we push. It then gets
`memory/didChange`; one without changes means that something changed and everything must be read again. Whatever a
person or another process wrote into MEMORY.md is read in the same round.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import Counter
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import msgspec
from pygls.exceptions import JsonRpcException

from protocol.memories import Change, DidChangeMemories, MemoryChange, Scope
from sidecar.runtime.errors import SidecarError

if TYPE_CHECKING:
    from sidecar.lsp.language_server import SidecarServer
    from sidecar.store.memory_store import MemoryStore

logger = logging.getLogger(__name__)

EVERY_SECONDS: Final = 0.4
"""Interval between two looks, so that other processes' memories show within a second."""

TOGETHER_SECONDS: Final = 0.05
"""Changes this close together cause one refresh."""

ANSWER_SECONDS: Final = 10.0
MOST_OWN: Final = 10_000
_DRAWN: Final = ("memory/didChange", "file/didInvalidate")
_SCOPES: Final[dict[str, Scope]] = {"personal": "personal", "project": "project", "global": "global"}


class StoreFollower:
    """Follow the stores of one connection."""

    def __init__(self, server: SidecarServer) -> None:
        self._server = server
        self._lock = threading.Lock()
        self._own: Counter[str] = Counter()  # this process' changes since the last look, by memory id
        self._told: set[str] = set()  # ids told as others' changes at the last look
        self._seqs: WeakKeyDictionary[MemoryStore, int] = WeakKeyDictionary()
        self._waiting: dict[str, int] = {}  # number of candidates last told, by workspace
        self._loop: asyncio.AbstractEventLoop | None = None
        self._soon: asyncio.TimerHandle | None = None
        self._refreshing = False
        self._again = False
        self._looking = False
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Start following once the client is initialized; on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._run())
        self.opened()

    def opened(self) -> None:
        """Note the stores' state now, so that changes count from before the client's first answer, not from a look
        later.
        """
        if self._server.abilities.follows and self._loop is not None:
            self._server.lanes.submit("write", self._note)

    def _note(self) -> None:
        """Runs in the write lane, so after the opening and before every later request."""
        try:
            editor = self._server.session.engine().editor
            states = editor.states()
            for store, seq in [*states.values(), editor.user_state()]:
                with self._lock:
                    self._seqs.setdefault(store, seq)
            for uri, (store, _) in states.items():
                self._waiting.setdefault(uri, store.waiting())
        except SidecarError as error:
            logger.debug("The stores were not looked at: %s", error.message)

    def noticed(self, method: str, params: msgspec.Struct) -> None:
        """Take note of a notification of the engine that makes drawn memories or files stale; any thread."""
        if method not in _DRAWN or self._loop is None:
            return
        if isinstance(params, DidChangeMemories):
            with self._lock:
                if len(self._own) > MOST_OWN:  # nobody is looking
                    self._own.clear()
                self._own.update(change.id for change in params.changes)
                if params.candidates is not None:
                    self._waiting[params.workspace_uri] = params.candidates
        self._refresh_soon()

    def _refresh_soon(self) -> None:
        if self._loop is not None:
            try:
                self._loop.call_soon_threadsafe(self._wait_for_more)
            except RuntimeError:
                logger.debug("The loop is closed: nobody is to be told.")

    def _wait_for_more(self) -> None:
        if self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(TOGETHER_SECONDS, self._refresh)

    def _refresh(self) -> None:
        self._soon = None
        self._server.publisher.look_again()
        abilities = self._server.abilities
        if not abilities.refreshes_lenses and not abilities.refreshes_diagnostics:
            return
        if self._refreshing:
            self._again = True
        else:
            self._refreshing = True
            self._server.protocol.run(self._refreshed, "refresh")

    async def _refreshed(self) -> None:
        """Ask for both refreshes at once, and never again before the client has answered."""
        abilities = self._server.abilities
        asked = []
        if abilities.refreshes_lenses:
            asked.append(self._server.workspace_code_lens_refresh_async(None))
        if abilities.refreshes_diagnostics:
            asked.append(self._server.workspace_diagnostic_refresh_async(None))
        try:
            await asyncio.wait_for(asyncio.gather(*asked), ANSWER_SECONDS)
        except (JsonRpcException, TimeoutError):
            logger.info("The client did not refresh.")
        finally:
            self._refreshing = False
            if self._again:
                self._again = False
                self._wait_for_more()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            wanted = self._server.abilities.follows or self._server.publisher.concerned
            if wanted and not self._looking and self._server.protocol.phase == "running":
                self._looking = True
                self._server.lanes.submit_now(self._look)

    def _look(self) -> None:
        """On a thread: compare the stores with their state at the last look."""
        try:
            editor = self._server.session.engine().editor
            editor.take_in()
            states = editor.states()
            user, seq = editor.user_state()
            with self._lock:
                own, self._own = self._own, Counter()
                told, self._told = self._told, set()
                for id in told:  # reported before we knew it was ours: it explains no later change
                    own.pop(id, None)
                before = dict(self._seqs)
                self._seqs.update([*states.values(), (user, seq)])
            for uri, (store, now) in states.items():
                if before.get(store, now) != now:
                    self._tell([uri], store, before[store], now, own)
                self._count(uri, store)
            if before.get(user, seq) != seq:
                self._tell(list(states), user, before[user], seq, own)
        except SidecarError as error:
            logger.debug("The stores were not looked at: %s", error.message)
        finally:
            self._looking = False

    def _tell(self, uris: list[str], store: MemoryStore, since: int, now: int, own: Counter[str]) -> None:
        ids = store.changes(since).ids
        others = [] if ids is None else _of_others(ids, now - since, own)
        if ids is not None and not others:
            return
        with self._lock:
            self._told.update(others)
        changes = _changes(store, others)
        if any(change is None for change in changes):
            changes = []
        told = [change for change in changes if change is not None]
        for uri in uris:
            self._server.notify_client("memory/didChange", DidChangeMemories(workspace_uri=uri, changes=told))
        with self._lock:
            for change in told:  # they were another's
                del self._own[change.id]
        self._refresh_soon()

    def _count(self, uri: str, store: MemoryStore) -> None:
        """Tell how many candidates wait if another process has changed their number."""
        now = store.waiting()
        with self._lock:
            before = self._waiting.get(uri, now)
            self._waiting[uri] = now
        if before != now:
            told = DidChangeMemories(workspace_uri=uri, changes=[], candidates=now)
            self._server.notify_client("memory/didChange", told)


def _of_others(ids: tuple[str, ...], count: int, own: Counter[str]) -> list[str]:
    """Return the memories that another process changed: all, if there were more changes than ours explain.

    `count` is the number of changes. Both processes may have changed the same memory between two looks: repeating one
    of our changes costs the client a refresh, hiding another's would leave it with stale memories.
    """
    others = [id for id in ids if id not in own]
    explained = sum(own[id] for id in ids) + len(others)
    return others if count <= explained else list(ids)


def _changes(store: MemoryStore, ids: list[str]) -> list[MemoryChange | None]:
    """Return what happened to each, or None for a deleted one, whose scope is unknown."""
    records = store.get_many(ids)
    found: list[MemoryChange | None] = []
    for id in ids:
        record = records.get(id)
        scope = _SCOPES.get(record.scope) if record is not None else None
        if record is None or scope is None:
            found.append(None)
            continue
        change: Change = "created" if record.version == 1 else "updated"
        if record.status == "archived":
            change = "archived"
        elif record.status == "resolved":
            change = "resolved"
        found.append(MemoryChange(id=id, scope=scope, change=change))
    return found
