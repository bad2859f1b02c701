"""Hashes of what single symbols contain: in memory for recent contents, and in the store.

To make one, the file must be parsed. A content's symbols never change, so a hash stays valid for ever.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Mapping
from typing import Final

import msgspec

from sidecar.files.outline import RECIPE as OUTLINE_RECIPE
from sidecar.runtime.errors import StoreUnavailable
from sidecar.runtime.recently_used import RecentlyUsed
from sidecar.store.file_store import FileStore
from sidecar.store.records import ContentRecord

log = logging.getLogger(__name__)

# Version of `symbol_hashes`. It stands here so that known hashes are read without importing that.
# Raise it whenever the same symbol may give another hash.
RECIPE: Final = 1
_MAX_CONTENTS: Final = 4_096

_hashes = msgspec.msgpack.Decoder(dict[str, str])


class SymbolCache:
    """The hashes of symbols of any content. Thread-safe. Without a store, they are gone with the cache."""

    def __init__(self, store: FileStore | None) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: RecentlyUsed[tuple[str, str], dict[str, str | None]] = RecentlyUsed(_MAX_CONTENTS)

    def cached(self, path: str, hash: str, names: Collection[str]) -> Mapping[str, str] | None:
        """Return the hashes of those of `names` that the content has; None if some are not made yet."""
        hashes = self._all_hashes((hash, _extension(path)))
        return None if any(name not in hashes for name in names) else _found_hashes(hashes, names)

    def hashes(self, path: str, content: ContentRecord, data: bytes, names: Collection[str]) -> Mapping[str, str]:
        """Return the hashes of those of `names` that `content` has. Missing ones are made from its bytes (`data`)."""
        key = (content.hash, _extension(path))
        known_hashes = self._all_hashes(key)
        missing = [name for name in names if name not in known_hashes]
        if missing:
            from sidecar.files.symbols.hashes import symbol_hashes

            hashes = symbol_hashes(content, data, missing)
            known_hashes = {**known_hashes, **{name: hashes.get(name) for name in missing}}
            with self._lock:
                self._known[key] = known_hashes
            self._store_hashes(key, known_hashes)
        return _found_hashes(known_hashes, names)

    def _all_hashes(self, key: tuple[str, str]) -> dict[str, str | None]:
        with self._lock:
            hashes: dict[str, str | None] | None = self._known.get(key)
        if hashes is None:
            hashes = self._stored(key)
            with self._lock:
                self._known[key] = hashes
        return hashes

    def _stored(self, key: tuple[str, str]) -> dict[str, str | None]:
        try:
            blob = None if self._store is None else self._store.get_blob(_name(key))
            return {} if blob is None else dict(_hashes.decode(blob))
        except (StoreUnavailable, msgspec.MsgspecError) as error:
            log.info("Symbol hashes are recomputed: %s", error)
            return {}

    def _store_hashes(self, key: tuple[str, str], hashes: Mapping[str, str | None]) -> None:
        if self._store is None:
            return
        try:
            value = {name: hash for name, hash in hashes.items() if hash is not None}
            self._store.put_blob(_name(key), msgspec.msgpack.encode(value))
        except StoreUnavailable as error:
            log.info("Symbol hashes were not stored: %s", error.message)


def _found_hashes(hashes: Mapping[str, str | None], names: Collection[str]) -> Mapping[str, str]:
    return {name: value for name in names if (value := hashes.get(name)) is not None}


def _extension(path: str) -> str:
    return path.rsplit("/", 1)[-1].rpartition(".")[2]


def _name(key: tuple[str, str]) -> str:
    return f"symbols {RECIPE} {OUTLINE_RECIPE} {key[0]} {key[1]}"
