"""Telling the client that memories changed: by this process at once, by another one within a second.

The stores are asked for the number of their last change a few times a second, while the client wants to know: it
declares `workspace.codeLens.refreshSupport`, `workspace.diagnostics.refreshSupport` or, for a plugin that draws for
itself, `experimental.memorySidecar.didChange`, or it shows MEMORY.md with diagnostics that we push. It then gets
`memory/didChange`; one without changes means that something changed and everything is to be looked at anew. What a
person writes into MEMORY.md is taken in at the same look, whoever wrote it.
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
"""Between two looks: what others record shows within a second."""

TOGETHER_SECONDS: Final = 0.05
"""Changes so close together make one refresh."""

ANSWER_SECONDS: Final = 10.0
MOST_OWN: Final = 10_000
_DRAWN: Final = ("memory/didChange", "file/didInvalidate")
_SCOPES: Final[dict[str, Scope]] = {"personal": "personal", "project": "project", "global": "global"}


class Follower:
    """Follows the stores of one connection."""

    def __init__(self, server: SidecarServer) -> None:
        self._server = server
        self._lock = threading.Lock()
        self._own: Counter[str] = Counter()  # changes of this process by the id of their memory, since the last look
        self._told: set[str] = set()  # at the last look, as changes of others
        self._seqs: WeakKeyDictionary[MemoryStore, int] = WeakKeyDictionary()
        self._waiting: dict[str, int] = {}  # candidates by workspace, as was last told
        self._loop: asyncio.AbstractEventLoop | None = None
        self._soon: asyncio.TimerHandle | None = None
        self._refreshing = False
        self._again = False
        self._looking = False
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """The client is initialized. On the event loop."""
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._run())
        self.opened()

    def opened(self) -> None:
        """Folders are being opened: changes count from before the first answer to the client, not from a look later."""
        if self._server.abilities.follows and self._loop is not None:
            self._server.lanes.submit("write", self._note)

    def _note(self) -> None:
        """In the write lane, so after the opening and before every request that came later."""
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
        """The engine sends a notification: what is drawn of memories and files may be old now. Any thread."""
        if method not in _DRAWN or self._loop is None:
            return
        if isinstance(params, DidChangeMemories):
            with self._lock:
                if len(self._own) > MOST_OWN:  # nobody looks
                    self._own.clear()
                self._own.update(change.id for change in params.changes)
                if params.candidates is not None:
                    self._waiting[params.workspace_uri] = params.candidates
        self._refresh_soon()

    def _refresh_soon(self) -> None:
        if self._loop is not None and self._soon is None:  # else the refresh to come shows this change, too
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
        """Ask for both at once, and no second time while the client has not answered."""
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
        """On a thread: compare the stores with what was last seen."""
        try:
            editor = self._server.session.engine().editor
            editor.take_in()
            states = editor.states()
            user, seq = editor.user_state()
            with self._lock:
                own, self._own = self._own, Counter()
                told, self._told = self._told, set()
                for id in told:  # a change of ours that was told before we heard of it explains nothing that came after
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
        """Tell how many candidates wait when another process has changed that."""
        now = store.waiting()
        with self._lock:
            before = self._waiting.get(uri, now)
            self._waiting[uri] = now
        if before != now:
            told = DidChangeMemories(workspace_uri=uri, changes=[], candidates=now)
            self._server.notify_client("memory/didChange", told)


def _of_others(ids: tuple[str, ...], count: int, own: Counter[str]) -> list[str]:
    """The memories that another process changed: all, when there were more changes than ours explain.

    `count` is how many there were. Both may have changed the same memory between two looks: to tell of a change of our
    own once more costs the client a refresh, to keep quiet about another's would leave it with what is not so.
    """
    others = [id for id in ids if id not in own]
    explained = sum(own[id] for id in ids) + len(others)
    return others if count <= explained else list(ids)


def _changes(store: MemoryStore, ids: list[str]) -> list[MemoryChange | None]:
    """What became of each; None for one that is gone, whose scope nobody knows any more."""
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
