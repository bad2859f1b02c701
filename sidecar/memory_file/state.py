"""Store digests of the entries last written: the base of the three-way merge in `text/plan.py`."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from sidecar.checkout.hand_edits import normalise_text
from sidecar.checkout.repository_key import digest
from sidecar.memory_file.sync_mark import SyncMark, state_name
from sidecar.memory_file.text.plan import EntryDigests
from sidecar.store.file_store import FileStore

log = logging.getLogger(__name__)


class WrittenState(SyncMark, frozen=True, kw_only=True):
    """The entries as they were last written."""

    entries: dict[str, EntryDigests] = {}  # by id of the memory
    files: dict[str, str] = {}  # directory form: the page's name, by id of the memory
    pages: dict[str, str] = {}  # directory form: the digest of each page, by name
    at: int = 0  # when this was known, in nanoseconds
    disputed: dict[str, EntryDigests] = {}  # memories about which the repository's file contradicts the user
    refused: tuple[EntryDigests, ...] = ()  # entries that were typed and could not be stored
    withheld: str = ""  # digest of a layout not written because git had just written the file


# File times are coarse and may come from another machine.
_SLACK_NS = 5_000_000_000


def state_time() -> int:
    """Return the time to store with a state; a file with an earlier time was not edited since."""
    return time.time_ns() - _SLACK_NS


_state = msgspec.msgpack.Decoder(WrittenState)


class StateStore:
    """Stores the state of one form of the file in one checkout.

    A write announces its state first, so that after a crash the written file does not look edited.
    """

    def __init__(self, store: FileStore, checkout: str, form: str) -> None:
        self._store = store
        self._name = state_name(checkout, form)

    def load(self, text: str | None = None, pages: Mapping[str, str] | None = None) -> WrittenState | None:
        """Return the stored state; if `text` or `pages` show that the announced write was done, the announced state."""
        state, announced = self._read(self._name), self._read(self._announced)
        if announced is None:
            return state
        if text is not None and announced.digest == digest(normalise_text(text)):
            return announced
        digests = {name: digest(normalise_text(page)) for name, page in (pages or {}).items()}
        files = {id: name for id, name in announced.files.items() if digests.get(name) == announced.pages.get(name, "")}
        if not files:
            return state
        state = state or replace(announced, entries={}, files={}, pages={})
        return replace(
            state,
            entries=state.entries | {id: announced.entries[id] for id in files},
            files=state.files | files,
            pages=state.pages | {name: announced.pages[name] for name in files.values()},
        )

    def announce(self, state: WrittenState) -> None:
        self._store.put_blob(self._announced, msgspec.msgpack.encode(state))

    def save(self, state: WrittenState | None) -> None:
        self._store.put_blob(self._name, b"" if state is None else msgspec.msgpack.encode(state))
        if self._store.get_blob(self._announced):
            self._store.put_blob(self._announced, b"")

    @property
    def _announced(self) -> str:
        return f"{self._name}:coming"

    def _read(self, name: str) -> WrittenState | None:
        data = self._store.get_blob(name)
        if not data:
            return None
        try:
            return _state.decode(data)
        except msgspec.DecodeError as error:
            log.info("The state of the memory file is not used: %s.", error)
            return None
