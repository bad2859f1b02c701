"""The key of each kind of row: a text of a prefix and parts.

meta:version            int: version of the database's layout          every database
m:<id>                  MemoryRecord; tag "<scope> <status>"           memories
k:<JSON of MemoryKey>   text: id of the memory that has this key, or had it from a former text  memories
h:<id>␟<number>         VersionRecord, numbered from 1 per memory      memories
c:<seq>                 text: id of the memory that change `seq` touched; the oldest row is the log's base
l:<id>␟<id>␟<kind>[<>]  LinkRecord, once under each of its two ends    memories
t:<memory id>           TombstoneRecord                                memories
meta:forgotten          int: grows with every tombstone made or lifted memories
meta:maintenance        MaintenanceRecord                              activity
meta:learned            int: grows with every change of facets or gists knowledge
meta:saved              int: tokens that briefings spared agents        knowledge
meta:accesses           int: grows with every access noted             activity
a:<memory id>           AccessRecord                                   activity
s:<session id>          SessionRecord; tag: when it was last seen      activity
o:<session id>          TranscriptRecord                               activity
f:<hash>␟<lang>␟<recipe>  ContentRecord                                files
p:<checkout>␟<path>     PointerRecord                                  files
b:<name>                sealed bytes                                   files
v:<model>␟<memory id>   VectorRecord                                   vectors
x:<hash>                FacetsRecord                                   knowledge
y:<symbol hash>␟<hash>  text: name of a symbol that a facet of the content <hash> is grounded in  knowledge
g:<hash>␟<kind>         GistRecord                                     knowledge
q:<kind>␟<hash>[␟<basis>]  JobRecord; tag: checkout, attempts, when it was asked, hash, when it is free  knowledge
d:<day>                 int: tokens that models used on that day (UTC) spending
i:<item>                ClaimRecord                                    activity
j:<scope>␟<memory id>   SharedRecord; scope "reminders": of a reminder    memories
z:<scope>               SharedPlaceRecord                              memories
r:<id>                  ReminderRecord                                 memories
n:<id>                  CandidateRecord; tag: its status               memories
e:<API's address>␟<group/app#12>  TrackedRecord                      trackers
w:<host>                ForgeRecord                                    trackers
u:<model>               int: day since 1970 on which its vectors were last used  vectors
"""

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
CONTENT, POINTER, BLOB = "f:", "p:", "b:"
VECTOR, MODEL_USE = "v:", "u:"
FACETS, GROUND, GIST, JOB = "x:", "y:", "g:", "q:"
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
