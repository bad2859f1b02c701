"""The structs that are written to disk, separate from the structs of the wire.

Every record carries `v`, the version of its layout; a field with a default needs no new version, anything else a
migration in `schema.py`. Times are epoch milliseconds, paths relative POSIX.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all stored records. Unknown fields are tolerated when read."""


class ReferenceRecord(Record, frozen=True, kw_only=True):
    """A file, symbol or the like that a memory names, with the hash of its content when the memory was recorded."""

    kind: str
    text: str
    path: str | None = None
    hash: str | None = None  # xxh3-128 (hex) of the file, or of the symbol alone, without comments and layout
    symbol: str | None = None  # a dotted name
    file_hash: str | None = None  # of the whole file, beside a symbol's
    former: str | None = None  # the path before the file was moved
    stale: bool = False  # never stored: in the checkout that asks, the content has changed
    gone: bool = False  # never stored: in the checkout that asks, the file or symbol does not exist


class MemoryRecord(Record, frozen=True, kw_only=True):
    """One memory as it stands. Access counts are in `AccessRecord`, so that showing a memory never rewrites it."""

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
    before: MemoryRecord | None = None  # the state before the change, if it was not the previous version
    shows: int | None = None  # the version that an undo or redo brought back; 0: before the first
    also: tuple[tuple[str, int], ...] = ()  # other memories that the change touched
    reason: str | None = None


class AccessRecord(Record, frozen=True, kw_only=True):
    """Accesses of a memory by sessions: the latest `times`, oldest first, and the number of `earlier` accesses."""

    v: int = 1
    earlier: int = 0
    times: tuple[int, ...] = ()


class FrozenBlock(Record, frozen=True, kw_only=True):
    """An injected block that a session keeps: the rendered text, and the memories in it."""

    key: str
    text: str
    tokens: int
    etag: str
    items: bytes
    omitted: bytes


class VectorRecord(Record, frozen=True, kw_only=True):
    """The vector that an embedding model made of a memory's text; `fingerprint` is that of the text (xxh3-64)."""

    v: int = 1
    fingerprint: bytes = msgspec.field(name="print")
    vector: bytes


class SessionRecord(Record, frozen=True, kw_only=True):
    """A session: what it works on, and what it was shown."""

    v: int = 1
    id: str
    started_at: int  # fixes the access counts that its rankings use
    seen_at: int
    shown: tuple[str, ...] = ()
    frozen: tuple[FrozenBlock, ...] = ()
    agent: str | None = None
    working_on: str | None = None
    heartbeat_at: int | None = None  # None: it never started
    ended_at: int | None = None
    summary: str | None = None
    ranked_by: str | None = None  # the model of its rankings, "" for words alone; None until it was shown something
    lost: int = 0  # how many of `shown`, from the first, were lost in a compaction
    asked: str = ""  # its last prompt that did not depend on an earlier prompt, redacted
    process: str | None = None  # the process with which the session ends, if known


class TranscriptRecord(Record, frozen=True, kw_only=True):
    """The number of events of a transcript from which was learned, and the file's state then (`stamp`).

    `said` holds a fingerprint (8 bytes) of each message of the user, by which a copy of the transcript is recognised.
    """

    v: int = 1
    id: str
    stamp: str
    events: int
    said: bytes = b""


class ClaimRecord(Record, frozen=True, kw_only=True):
    """A session's claim to an item on which it has worked since `at`; void once that session has ended or expired."""

    v: int = 1
    item: str
    session_id: str
    at: int


class TombstoneRecord(Record, frozen=True, kw_only=True):
    """A mark, without any of its words, that a memory was deleted, so that it is not learned again.

    `key` and `content` are digests (hex) of the normalised key and text, `former` of the keys that former texts gave.
    `sketch` is a one-bit min-wise sketch of the text's terms, `marks` are 16 bits of a digest of its numbers and
    negations; a purged memory has neither, since words could be guessed from them.
    """

    v: int = 1
    id: str
    key: str
    content: str
    source: str
    at: int
    sketch: bytes = b""
    marks: int = 0
    former: tuple[str, ...] = ()


class ProposalRecord(Record, frozen=True, kw_only=True):
    """A proposal of maintenance, for a person to decide, to merge two memories or let one supersede the other.

    `versions` are those of `keep` and `other` when the proposal was made; it is void once either has another version.
    """

    id: str
    kind: str
    keep: str
    other: str
    score: float
    versions: tuple[int, int]


class MaintenanceRecord(Record, frozen=True, kw_only=True):
    """The last maintenance of a store, its last search for similar memories, and the proposals then made."""

    v: int = 1
    ran_at: int | None = None
    consolidated_at: int | None = None
    proposals: tuple[ProposalRecord, ...] = ()
    dismissed: tuple[str, ...] = ()


class LinkRecord(Record, frozen=True, kw_only=True):
    """A link between two memories: what `source` is to `target`, how surely (0..1), and who made the link.

    `origin` is `user`, `agent`, or how the link was found: by `similar` texts or by a `contradiction`.
    """

    v: int = 1
    source: str
    target: str
    kind: str
    strength: float
    at: int
    origin: str = "agent"


class SymbolRecord(Record, frozen=True, kw_only=True):
    """A named part of a file; lines count from 1, both ends included."""

    kind: str
    name: str
    start: int
    end: int
    signature: str
    doc: str | None = None
    public: bool = True
    children: "tuple[SymbolRecord, ...]" = ()


def every_symbol(symbols: Sequence[SymbolRecord]) -> Iterator[SymbolRecord]:
    """Yield these symbols and, after each, its descendants."""
    todo = list(reversed(symbols))
    while todo:
        symbol = todo.pop()
        yield symbol
        todo.extend(reversed(symbol.children))


class ContentRecord(Record, frozen=True, kw_only=True):
    """What is known of one content, at whatever path it stands.

    `hash` is xxh3-128 of the bytes (hex), `recipe` the version of the code that made this record. `doc` is the first
    sentence of the file's own description, `imports` every module that the file imports, as written, `entry_points` how
    the file can be run. `partial`: the parser met errors; `unparsed`: the lines with errors, if few. `words` is packed
    by `sidecar.files.words`, `inside` adds details to an outline of few symbols, `fault` names a defect.
    """

    v: int = 1
    recipe: int
    hash: str
    language: str
    lines: int
    file_tokens: int
    doc: str | None = None
    imports: tuple[str, ...] = ()
    symbols: tuple[SymbolRecord, ...] = ()
    entry_points: tuple[str, ...] = ()
    partial: bool = False
    unparsed: tuple[tuple[int, int], ...] = ()
    head: str | None = None
    words: bytes = b""
    fault: str = ""
    inside: tuple[SymbolRecord, ...] = ()


class PointerRecord(Record, frozen=True, kw_only=True):
    """The content at a path of a checkout, and the file's size and time when it was read.

    `history` holds hashes of earlier contents of this path, newest first; compaction drops contents that neither a
    pointer nor a history names.
    """

    v: int = 1
    path: str
    hash: str
    language: str
    size: int
    mtime_ns: int
    history: tuple[str, ...] = ()


class FacetRecord(Record, frozen=True, kw_only=True):
    """One durable fact about a content.

    `identifiers` occur in the content. `symbols` are the symbols in which the fact is grounded, each as (qualified
    name, hash of the symbol's text); without any, it is grounded in the whole file. `path` is where the content was
    when the fact was learned, or carried over from the content `carried_from`. `source` is `stated`, `model:<name>` or
    `import:<format>`, `partners` are other files that the fact is about.
    """

    text: str
    identifiers: tuple[str, ...]
    at: int
    source: str
    symbols: tuple[tuple[str, str], ...] = ()
    path: str | None = None
    session_id: str | None = None
    carried_from: str | None = None
    partners: tuple[str, ...] = ()


class FacetsRecord(Record, frozen=True, kw_only=True):
    v: int = 1
    hash: str
    facets: tuple[FacetRecord, ...] = ()


class GistRecord(Record, frozen=True, kw_only=True):
    """What a model wrote about one content: `summary`, `long`, or `aggregate` of summary and facets.

    `basis` is a digest of everything else that the model read, which tells whether facets have been added since.
    """

    v: int = 1
    hash: str
    kind: str
    text: str
    model: str
    at: int
    basis: str = ""


JobKind = Literal["summary", "long", "aggregate", "facet", "session"]


class JobRecord(Record, frozen=True, kw_only=True):
    """A question to a model about one content, which waits or was taken by a process."""

    v: int = 1
    kind: JobKind
    hash: str
    path: str  # where `checkout` had the content
    checkout: str
    basis: str = ""  # digest of what else the question is about; facets of a content may have a question for each
    asked_at: int = 0
    due: int = 0  # the earliest time to ask
    attempts: int = 0
    taken_by: str | None = None  # the process that has the question until `until`
    until: int = 0
    error: str | None = None
    text: str = ""  # what else is asked about, without secrets, from `session_id`
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
    tried_at: int | None = None  # when the last request without an answer failed
    until: int = 0  # when the process that is asking stops asking
    resolved: tuple[str, ...] = ()  # blockers that were resolved when it was found closed


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


class ForgeRecord(Record, frozen=True, kw_only=True):
    """How to treat a forge: ask nothing before `paused_until`, for `reason`; `failures` counts consecutive failures."""

    v: int = 1
    paused_until: int = 0
    reason: str | None = None
    failures: int = 0
