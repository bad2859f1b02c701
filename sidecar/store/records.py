"""The structs that are written to disk, separate from the structs of the wire.

Every record carries `v`, the version of its layout. A field with a default needs no new version; any other change needs
a migration in `schema.py`. Times are epoch milliseconds, paths relative POSIX.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all stored records. Unknown fields are tolerated when read."""


class ReferenceRecord(Record, frozen=True, kw_only=True):
    """A file, symbol or the like that a memory names."""

    kind: str
    text: str
    path: str | None = None
    # xxh3-128 (hex) of the file or symbol as recorded; a symbol's leaves out comments and layout
    hash: str | None = None
    symbol: str | None = None  # a dotted name
    file_hash: str | None = None  # for a symbol: the hash of its whole file
    former: str | None = None  # the path before the file was moved
    stale: bool = False  # never stored: in the asking checkout, the content has changed
    gone: bool = False  # never stored: in the asking checkout, the file or symbol does not exist


class FoundReferences(NamedTuple):
    """What a text names, to be stored with its memory."""

    references: tuple[ReferenceRecord, ...] = ()
    entities: tuple[str, ...] = ()


class MemoryRecord(Record, frozen=True, kw_only=True):
    """One memory as it stands. Its accesses are in `AccessRecord`, so that showing a memory does not rewrite it."""

    v: int = 1
    id: str
    scope: str
    type: str
    name: str
    content: str
    source: str
    created_at: int
    updated_at: int
    version: int = 1
    status: str = "active"
    category: str | None = None
    description: str | None = None
    agent: str | None = None
    session_id: str | None = None
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    references: tuple[ReferenceRecord, ...] = ()
    relevance: float = 1.0
    pinned: bool = False
    verified_at: int | None = None
    expires_at: int | None = None
    promoted_from: str | None = None
    supersedes: str | None = None
    archived_for: str | None = None  # why it was archived automatically; `left`: its memory file no longer says it
    merged_into: str | None = None  # the memory that now says what this one said
    name_given: bool | None = None  # False: the name was derived from the text; None: not recorded
    author: str | None = None  # who said it, if not this user
    useful: int = 0
    not_useful: int = 0


class VersionRecord(Record, frozen=True, kw_only=True):
    """A memory after one change."""

    v: int = 1
    version: int
    change: str
    at: int
    memory: MemoryRecord | None = None  # None once it is gone
    before: MemoryRecord | None = None  # the state before the change, if that is not the previous version's
    shows: int | None = None  # the version to which an undo or redo returned; 0: before the first
    also: tuple[tuple[str, int], ...] = ()  # (id, version) of other memories that the change touched
    reason: str | None = None


class AccessRecord(Record, frozen=True, kw_only=True):
    """When sessions were shown a memory."""

    v: int = 1
    earlier: int = 0  # number of accesses before `times`
    times: tuple[int, ...] = ()  # of the latest accesses, oldest first


class FrozenBlock(Record, frozen=True, kw_only=True):
    """An injected block that a session keeps. `items` and `omitted` are its memories and files, encoded."""

    key: str
    text: str
    tokens: int
    etag: str
    items: bytes
    omitted: bytes


class VectorRecord(Record, frozen=True, kw_only=True):
    """The vector that an embedding model made of a memory's text."""

    v: int = 1
    fingerprint: bytes = msgspec.field(name="print")  # xxh3-64 of the text
    vector: bytes


class SessionRecord(Record, frozen=True, kw_only=True):
    """A session: what it works on, and what it was shown."""

    v: int = 1
    id: str
    started_at: int  # all its rankings use the access counts of this time
    seen_at: int
    shown: tuple[str, ...] = ()
    frozen: tuple[FrozenBlock, ...] = ()
    agent: str | None = None
    working_on: str | None = None
    heartbeat_at: int | None = None  # None: the session never started
    ended_at: int | None = None
    summary: str | None = None
    ranked_by: str | None = None  # the model of its rankings, "" for words alone; None until it was shown something
    lost: int = 0  # the first this many of `shown` were lost in a compaction
    asked: str = ""  # the last prompt that did not depend on an earlier one, redacted
    process: str | None = None  # ends together with the session, if known


class TranscriptRecord(Record, frozen=True, kw_only=True):
    """How far a transcript was learned from."""

    v: int = 1
    id: str
    stamp: str  # the file's state then
    events: int  # number of events learned from
    said: bytes = b""  # an 8-byte fingerprint of each user message, to recognise a copy


class ClaimRecord(Record, frozen=True, kw_only=True):
    """A session's claim to an item, void once the session has ended or expired."""

    v: int = 1
    item: str
    session_id: str
    at: int  # since when


class TombstoneRecord(Record, frozen=True, kw_only=True):
    """A mark that a memory was deleted, so that it is not learned again; it holds none of the memory's words.

    A purged memory's mark has neither `sketch` nor `marks`, since words could be guessed from them.
    """

    v: int = 1
    id: str
    key: str  # digest (hex) of the normalised key
    content: str  # digest (hex) of the normalised text
    source: str
    at: int
    sketch: bytes = b""  # one-bit min-wise sketch of the text's terms
    marks: int = 0  # 16 bits of a digest of its numbers and negations
    former: tuple[str, ...] = ()  # digests of keys from former texts


class ProposalRecord(Record, frozen=True, kw_only=True):
    """A proposal to merge two memories or let one supersede the other, for a person to decide on."""

    id: str
    kind: str
    keep: str
    other: str
    score: float
    versions: tuple[int, int]  # of `keep` and `other` when proposed; void once either has another


class MaintenanceRecord(Record, frozen=True, kw_only=True):
    """When a store was last maintained and last searched for similar memories, and what was proposed."""

    v: int = 1
    ran_at: int | None = None
    consolidated_at: int | None = None
    proposals: tuple[ProposalRecord, ...] = ()
    dismissed: tuple[str, ...] = ()


class LinkRecord(Record, frozen=True, kw_only=True):
    """A link between two memories: what `source` is to `target`."""

    v: int = 1
    source: str
    target: str
    kind: str
    strength: float  # how sure it is, 0 to 1
    at: int
    origin: str = "agent"  # `user`, `agent`, or how it was found: `similar`, `contradiction`


class SymbolRecord(Record, frozen=True, kw_only=True):
    """A named part of a file."""

    kind: str
    name: str
    start: int  # first line, from 1
    end: int  # last line
    signature: str
    doc: str | None = None
    public: bool = True
    children: "tuple[SymbolRecord, ...]" = ()


def every_symbol(symbols: Sequence[SymbolRecord]) -> Iterator[SymbolRecord]:
    """Yield each of the symbols, followed by its descendants."""
    todo = list(reversed(symbols))
    while todo:
        symbol = todo.pop()
        yield symbol
        todo.extend(reversed(symbol.children))


class ContentRecord(Record, frozen=True, kw_only=True):
    """What is known of one content, whatever paths it has."""

    v: int = 1
    recipe: int  # version of the code that made this record
    hash: str  # xxh3-128 of the bytes (hex)
    language: str
    lines: int
    file_tokens: int
    doc: str | None = None  # first sentence of the file's own description
    imports: tuple[str, ...] = ()  # every imported module, as written
    symbols: tuple[SymbolRecord, ...] = ()
    entry_points: tuple[str, ...] = ()  # how the file can be run
    partial: bool = False  # the parser met errors
    unparsed: tuple[tuple[int, int], ...] = ()  # the lines with errors, if few
    head: str | None = None
    words: bytes = b""  # packed by `sidecar.files.words`
    fault: str = ""  # names a defect
    inside: tuple[SymbolRecord, ...] = ()  # details for the outline of a file with few symbols


class PointerRecord(Record, frozen=True, kw_only=True):
    """Which content is at a path of a checkout."""

    v: int = 1
    path: str
    hash: str
    language: str
    size: int  # when it was read
    mtime_ns: int  # when it was read
    history: tuple[str, ...] = ()  # hashes of earlier contents, newest first, which compaction keeps


class PointersRecord(Record, frozen=True, kw_only=True):
    """All pointers of a checkout at one moment, which are read in a tenth of the time of as many rows."""

    v: int = 1
    files: dict[str, tuple[str, str, int, int]] = {}  # by path: hash, language, size, mtime_ns
    histories: dict[str, tuple[str, ...]] = {}  # by path


class FacetRecord(Record, frozen=True, kw_only=True):
    """One lasting fact about a content."""

    text: str
    identifiers: tuple[str, ...]  # that occur in the content
    at: int
    source: str  # `stated`, `model:<name>` or `import:<format>`
    # grounds: (qualified name, hash of the symbol's text); if empty, the file
    symbols: tuple[tuple[str, str], ...] = ()
    path: str | None = None  # where the content was when the fact was learned or carried over
    session_id: str | None = None
    carried_from: str | None = None  # hash of the earlier content that had the fact
    partners: tuple[str, ...] = ()  # other files that the fact is about


class FacetsRecord(Record, frozen=True, kw_only=True):
    v: int = 1
    hash: str
    facets: tuple[FacetRecord, ...] = ()


class AnswerRecord(Record, frozen=True, kw_only=True):
    """What a model wrote about one content."""

    v: int = 1
    hash: str
    kind: str  # `summary`, `long`, or `aggregate` of summary and facets
    text: str
    model: str
    at: int
    basis: str = ""  # digest of what else the model read: tells whether facets were added


JobKind = Literal["summary", "long", "aggregate", "facet", "session"]


class JobRecord(Record, frozen=True, kw_only=True):
    """A question to a model about one content; it waits, or a process has taken it."""

    v: int = 1
    kind: JobKind
    hash: str
    path: str  # where `checkout` had the content
    checkout: str
    basis: str = ""  # digest of what else it is about: facets of one content may have several questions
    asked_at: int = 0
    due: int = 0  # the earliest time to ask
    attempts: int = 0
    taken_by: str | None = None  # the process that may ask it until `until`
    until: int = 0
    error: str | None = None
    text: str = ""  # what else the model is asked to read, from `session_id`, redacted
    session_id: str | None = None


class TrackedRecord(Record, frozen=True, kw_only=True):
    """What a forge reported about an issue or merge request."""

    v: int = 1
    key: str  # the qualified number: `group/app#12`
    kind: str = "issue"
    title: str = ""
    state: str = ""
    labels: tuple[str, ...] = ()
    author: str | None = None
    url: str | None = None
    updated_at: int | None = None
    closed_at: int | None = None
    etag: str | None = None
    checked_at: int | None = None  # when the last answer came
    missing: str | None = None  # why nothing is known: `notFound`, `gone`, `forbidden`
    failures: int = 0  # consecutive requests that failed or did not find it
    tried_at: int | None = None  # when a request last failed
    until: int = 0  # until when a process is asking
    resolved: tuple[str, ...] = ()  # blockers that were resolved when it was found closed


class Bundle(msgspec.Struct, frozen=True):
    """One memory with everything that belongs to it."""

    id: str
    memory: MemoryRecord | None  # None if deleted
    versions: tuple[VersionRecord, ...]  # oldest first
    named: bool = True  # it still owns its key
    access: AccessRecord | None = None  # None if it was never shown
    links: tuple[LinkRecord, ...] = ()  # in its own store


class ForgeRecord(Record, frozen=True, kw_only=True):
    """How to treat a forge."""

    v: int = 1
    paused_until: int = 0  # ask nothing before
    reason: str | None = None  # why it is paused
    failures: int = 0  # consecutive
