"""Everything that a store holds of one memory, for export and import."""

from __future__ import annotations

import msgspec

from sidecar.store.records import AccessRecord, LinkRecord, MemoryRecord, VersionRecord


class Bundle(msgspec.Struct, frozen=True):
    """One memory with its versions, oldest first, and the links in its own store; `memory` is None if deleted.

    `named`: the memory still owns its key. `access` is None if the memory was never shown.
    """

    id: str
    memory: MemoryRecord | None
    versions: tuple[VersionRecord, ...]
    named: bool = True
    access: AccessRecord | None = None
    links: tuple[LinkRecord, ...] = ()
