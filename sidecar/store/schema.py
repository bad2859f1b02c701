"""What each kind of database holds: its folder, its durability, the layout of its rows, its version."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from sidecar.store import candidates, keys, migrations
from sidecar.store.codec import Codec, unseal
from sidecar.store.database import Value
from sidecar.store.faults import Undecodable
from sidecar.store.mending import Found, mend_memories, mend_nothing
from sidecar.store.migrations import Migration
from sidecar.store.records import (
    AccessRecord,
    ClaimRecord,
    ContentRecord,
    FacetsRecord,
    ForgeRecord,
    GistRecord,
    JobRecord,
    LinkRecord,
    MemoryRecord,
    PointerRecord,
    ReminderRecord,
    SessionRecord,
    TombstoneRecord,
    TrackedRecord,
    TranscriptRecord,
    VectorRecord,
)
from sidecar.store.records import VersionRecord as Version


def _text(value: object) -> str:
    if type(value) is not str:
        raise Undecodable("not a text")
    return value


def _number(value: object) -> int:
    if type(value) is not int:
        raise Undecodable("not a number")
    return value


class Kind(msgspec.Struct, frozen=True):
    """One kind of database.

    `durable`: each commit waits for the disk. `derived`: it can be made again, so a damaged one is not salvaged.
    `layouts`: by key prefix, what a value must pass (`Undecodable` when it does not). `seed`: rows of an empty
    database. `mend`: makes the rows that were salvaged consistent. `migrations[i]` leads from version i + 1 to
    i + 2.
    """

    name: str
    durable: bool
    derived: bool
    layouts: Mapping[str, Callable[[object], object]]
    migrations: tuple[Migration, ...]
    seed: Mapping[str, Value]
    mend: Callable[[dict[str, Found]], dict[str, Found]]

    @property
    def version(self) -> int:
        """The version of the layout that this program writes."""
        return len(self.migrations) + 1

    def problem(
        self, version: int, key: object, raw: object, mode: object, filename: object, value: object
    ) -> str | None:
        """What is wrong with a row of a database of layout `version`; None when nothing is."""
        if type(key) is not str or raw != 1 or mode != 1 or filename is not None:
            return "in a form that memory-sidecar never writes"
        if key == keys.VERSION:
            return None if type(value) is int else "unreadable"
        layout = self.layouts.get(key[:2])
        try:
            if version == self.version and layout is not None:
                layout(value)
            elif type(value) is bytes:
                unseal(value)
        except Undecodable:
            return "unreadable"
        return None


MEMORIES = Kind(
    name="memories",
    durable=True,
    derived=False,
    layouts={
        keys.MEMORY: Codec(MemoryRecord).decode,
        keys.HISTORY: Codec(Version).decode,
        keys.NAME: _text,
        keys.LOG: _text,
        keys.TOMBSTONE: Codec(TombstoneRecord).decode,
        keys.LINK: Codec(LinkRecord).decode,
        keys.REMINDER: Codec(ReminderRecord).decode,
        keys.CANDIDATE: candidates.decode,
    },
    migrations=migrations.MEMORIES,
    seed={keys.of_change(0): ""},
    mend=mend_memories,
)

ACTIVITY = Kind(
    name="activity",
    durable=False,
    derived=False,
    layouts={
        keys.ACCESS: Codec(AccessRecord).decode,
        keys.SESSION: Codec(SessionRecord).decode,
        keys.CLAIM: Codec(ClaimRecord).decode,
        keys.TRANSCRIPT: Codec(TranscriptRecord).decode,
    },
    migrations=migrations.ACTIVITY,
    seed={},
    mend=mend_nothing,
)

FILES = Kind(
    name="files",
    durable=False,
    derived=True,
    layouts={
        keys.CONTENT: Codec(ContentRecord).decode,
        keys.POINTER: Codec(PointerRecord).decode,
        keys.BLOB: unseal,
    },
    migrations=migrations.FILES,
    seed={},
    mend=mend_nothing,
)

VECTORS = Kind(
    name="vectors",
    durable=False,
    derived=True,
    layouts={keys.VECTOR: Codec(VectorRecord).decode},
    migrations=(),
    seed={},
    mend=mend_nothing,
)

KNOWLEDGE = Kind(
    name="knowledge",
    durable=True,
    derived=False,
    layouts={
        keys.FACETS: Codec(FacetsRecord).decode,
        keys.GROUND: _text,
        keys.GIST: Codec(GistRecord).decode,
        keys.JOB: Codec(JobRecord).decode,
    },
    migrations=(),
    seed={},
    mend=mend_nothing,
)

SPENDING = Kind(
    name="spending",
    durable=True,
    derived=False,
    layouts={keys.SPENT: _number},
    migrations=(),
    seed={},
    mend=mend_nothing,
)

TRACKERS = Kind(
    name="trackers",
    durable=False,
    derived=True,
    layouts={keys.TRACKED: Codec(TrackedRecord).decode, keys.FORGE: Codec(ForgeRecord).decode},
    migrations=(),
    seed={},
    mend=mend_nothing,
)
