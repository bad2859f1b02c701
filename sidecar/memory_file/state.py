"""What was last written, kept beside the store: one side of the three-way comparison.

It is derived data and holds digests, no words. Without it nothing is lost: what differs is then taken as added, and
nothing as removed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping

import msgspec

from sidecar.checkout.typed import plain
from sidecar.memory_file.seal import Seal, kept_name
from sidecar.memory_file.seal import digest as digest
from sidecar.memory_file.text.plan import Written
from sidecar.store.file_store import FileStore

log = logging.getLogger(__name__)


class State(Seal, frozen=True, kw_only=True):
    """`digest` of the file's text (of all pages), `seq` of the store at that time, `entries` by memory id, for pages
    the names of their files and a digest of each.

    `trace` is what git had done by then, `at` when it was known, or a little earlier (ns). `disputed` are memories of
    which the repository's file says something else, each as it was then; `refused` are entries that a hand typed and
    that could not be taken in.
    """

    entries: dict[str, Written] = {}
    files: dict[str, str] = {}
    pages: dict[str, str] = {}
    at: int = 0
    disputed: dict[str, Written] = {}
    refused: tuple[Written, ...] = ()


_SLACK_NS = 5_000_000_000
"""Times of files are coarse, and may be another machine's."""


def known_at() -> int:
    """Now, as it is kept: a file that was written before was not typed since."""
    return time.time_ns() - _SLACK_NS


_state = msgspec.msgpack.Decoder(State)


class Kept:
    """The state of one form in one checkout.

    Before a file is written, what it is about to say is kept as well: whoever is killed between the two leaves a file
    that nobody takes for typed.
    """

    def __init__(self, store: FileStore, checkout: str, form: str) -> None:
        self._store = store
        self._name = kept_name(checkout, form)

    def load(self, text: str | None = None, pages: Mapping[str, str] | None = None) -> State | None:
        """What was kept, None when there is nothing usable.

        `text`, or `pages` by name, are what stands there now: where that is what was about to be written, it was.
        """
        state, coming = self._read(self._name), self._read(self._coming)
        if coming is None:
            return state
        if text is not None and coming.digest == digest(plain(text)):
            return coming
        there = {name: digest(plain(page)) for name, page in (pages or {}).items()}
        files = {
            id: name for id, name in coming.files.items() if there.get(name) == coming.pages.get(name, "")
        }
        if not files:
            return state
        state = state or msgspec.structs.replace(coming, entries={}, files={}, pages={})
        return msgspec.structs.replace(
            state,
            entries=state.entries | {id: coming.entries[id] for id in files},
            files=state.files | files,
            pages=state.pages | {name: coming.pages[name] for name in files.values()},
        )

    def announce(self, state: State) -> None:
        """Keep what is about to be written."""
        self._store.put_blob(self._coming, msgspec.msgpack.encode(state))

    def save(self, state: State | None) -> None:
        """Keep a state; None forgets it."""
        self._store.put_blob(self._name, b"" if state is None else msgspec.msgpack.encode(state))
        if self._store.get_blob(self._coming):
            self._store.put_blob(self._coming, b"")

    @property
    def _coming(self) -> str:
        return f"{self._name}:coming"

    def _read(self, name: str) -> State | None:
        found = self._store.get_blob(name)
        if not found:
            return None
        try:
            return _state.decode(found)
        except msgspec.DecodeError as error:
            log.info("The state of the memory file is not used: %s", error)
            return None
