"""The key of each kind of row: a prefix and parts; `README.md` beside this file lists them with their values."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from sidecar.runtime.errors import InvalidField
from sidecar.store.records import MemoryRecord

VERSION = "meta:version"
ACCESSES = "meta:accesses"
FORGOTTEN = "meta:forgotten"
KNOWLEDGE_STATE = "meta:learned"
SAVED = "meta:saved"
MAINTENANCE = "meta:maintenance"
MEMORY, NAME, HISTORY, LOG = "m:", "k:", "h:", "c:"
TOMBSTONE = "t:"
LINK = "l:"
SHARED, SHARED_PLACE = "j:", "z:"
ACCESS, SESSION, CLAIM, TRANSCRIPT = "a:", "s:", "i:", "o:"
REMINDER = "r:"
CANDIDATE = "n:"
CONTENT, POINTER, POINTERS, BLOB = "f:", "p:", "P:", "b:"
VECTOR, MODEL_USE = "v:", "u:"
FACETS, GROUND, ANSWER, JOB = "x:", "y:", "g:", "q:"
SPENT = "d:"
TRACKED, FORGE = "e:", "w:"
SEPARATOR = "\x1f"


class MemoryKey(NamedTuple):
    """Two recordings with the same key are the same memory."""

    scope: str
    type: str
    agent: str | None
    name: str


def key_of(record: MemoryRecord) -> MemoryKey:
    """Return the key of a memory."""
    return MemoryKey(record.scope, record.type, record.agent, record.name)


def join_key(prefix: str, *parts: str) -> str:
    """Join parts into a key. Raises `InvalidField` for text that cannot be part of a key."""
    for part in parts:
        if SEPARATOR in part or not part.isascii():
            _check(part)
    return prefix + SEPARATOR.join(parts)


def _check(part: str) -> None:
    if SEPARATOR in part:
        raise InvalidField("An id or path holds the control character U+001F.", reason="control")
    try:
        part.encode()
    except UnicodeEncodeError as error:
        raise InvalidField("An id or path is not Unicode text.", reason="unicode") from error


def name_key(key: MemoryKey) -> str:
    """Return the key of the row that holds the id of the memory with this key; JSON keeps any two keys distinct."""
    try:
        return NAME + msgspec.json.encode(tuple(key)).decode()
    except UnicodeEncodeError as error:
        raise InvalidField("A name holds half a surrogate pair and cannot be stored.", reason="unicode") from error


def version_key(id: str, number: int) -> str:
    return join_key(HISTORY, id, f"{number:010d}")


def version_prefix(id: str) -> str:
    return join_key(HISTORY, id, "")


def change_key(seq: int) -> str:
    """Return the key of a change; sixteen digits leave room for a seq that began as a time in milliseconds."""
    return f"{LOG}{seq:016d}"


def seq_of(key: str) -> int:
    return int(key.removeprefix(LOG))
