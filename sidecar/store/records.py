"""What is written to disk: versioned structs, separate from those of the wire.

Every record carries `v`, the version of its layout; a field with a default needs no new version, anything else a
migration in `schema.py`. Times are epoch milliseconds, paths relative POSIX.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all stored records. Unknown fields are tolerated when read."""


class ReferenceRecord(Record, frozen=True, kw_only=True):
    """Something a memory names, with the content it was recorded against."""

    kind: str
    text: str
    path: str | None = None
    hash: str | None = None  # xxh3-128 (hex) of the file, or of the symbol alone, without comments and layout
    symbol: str | None = None  # a dotted name
    file_hash: str | None = None  # of the whole file, beside a symbol's
    former: str | None = None  # the path before the file was moved
    stale: bool = False  # never stored: it has changed in the asking checkout, or ...
    gone: bool = False  # ... never stored: it is not there


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
    restored_from: int | None = None  # the version that an undo of an earlier release brought back
    archived_for: str | None = None  # why it was archived automatically; `left`: the file no longer holds it
    merged_into: str | None = None  # the memory that now says it
    name_given: bool | None = None  # by somebody, else made from the text; None: not recorded
    author: str | None = None  # whose words, if not ours
    useful: int = 0
    not_useful: int = 0


class VersionRecord(Record, frozen=True, kw_only=True):
    """A memory after one change."""

    v: int = 1
    version: int
    change: str
    at: int
    memory: MemoryRecord | None = None  # None once it is gone
    before: MemoryRecord | None = None  # its state until then, if clock or files had moved on
    shows: int | None = None  # the version that an undo or redo brought back, 0 for none
    also: tuple[tuple[str, int], ...] = ()  # other memories that the change touched
    reason: str | None = None


class AccessRecord(Record, frozen=True, kw_only=True):
    """Sessions that were shown a memory: how many before `times` begins, then the times, oldest first."""

    v: int = 1
    earlier: int = 0
    times: tuple[int, ...] = ()


class FrozenBlock(Record, frozen=True, kw_only=True):
    """An injected block to be kept for a session: the rendered text, and the memories it holds."""

    key: str
    text: str
    tokens: int
    etag: str
    items: bytes
    omitted: bytes


class VectorRecord(Record, frozen=True, kw_only=True):
    """The vector that an embedding model made of a memory's text; `print` identifies that text (xxh3-64)."""

    v: int = 1
    print: bytes
    vector: bytes


class SessionRecord(Record, frozen=True, kw_only=True):
    """What one session was shown and how it continues."""

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
    lost: int = 0  # the first of `shown` that were lost in a compaction
    asked: str = ""  # its last prompt that said something by itself, redacted
    process: str | None = None  # with which it ends, if known


class TranscriptRecord(Record, frozen=True, kw_only=True):
    """How far a session's transcript was learned from: up to which event, and the file's state then (`stamp`).

    `said` holds prints of what the user said in it, 8 bytes each, which identify a copy of it.
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
    """The mark that a memory was deleted, without a word of it: what was forgotten is not learned again.

    `key` and `content` are digests (hex) of the normalised key and text. `sketch` is a one-bit min-wise sketch of its
    terms and `marks` 16 bits of a digest of its numbers and negations; a purged memory has neither, since words could
    be guessed from them. `former` are the keys that its former texts gave it.
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
    """Two memories that maintenance would merge, or one of which replaces the other, for a person to decide.

    `versions` are those of `keep` and `other` when it was made; the proposal is void for any others.
    """

    id: str
    kind: str
    keep: str
    other: str
    score: float
    versions: tuple[int, int]


class MaintenanceRecord(Record, frozen=True, kw_only=True):
    """When a store was last maintained and searched for similar memories, and what was proposed."""

    v: int = 1
    ran_at: int | None = None
    consolidated_at: int | None = None
    proposals: tuple[ProposalRecord, ...] = ()
    dismissed: tuple[str, ...] = ()


class LinkRecord(Record, frozen=True, kw_only=True):
    """A link between two memories: what `source` is to `target`, how surely (0..1), and who said so.

    `origin` is `user`, `agent`, `similar` (found to say nearly the same) or `contradiction` (the opposite).
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
    """Yield these symbols and all below them, in order."""
    todo = list(reversed(symbols))
    while todo:
        symbol = todo.pop()
        yield symbol
        todo.extend(reversed(symbol.children))


class ContentRecord(Record, frozen=True, kw_only=True):
    """What is known of one content, at whatever path it stands.

    `hash` is xxh3-128 of the bytes (hex), `recipe` the version of the code that made the rest. `doc` is the first
    sentence of the file's own description, `imports` every module it names as written, `entry_points` how it can be
    run. `partial`: the parser met errors and kept what it could; `unparsed`: the lines with errors, if few. `words` is
    what `sidecar.files.words` packs of it, `inside` what few symbols leave unsaid, `fault` a defect's name.
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
    """Which content stands at a path of a checkout, and what `stat` said when it was read.

    `history` holds earlier content hashes of this path, newest first; contents that no pointer and no history
    names are dropped by the store's compaction.
    """

    v: int = 1
    path: str
    hash: str
    language: str
    size: int
    mtime_ns: int
    history: tuple[str, ...] = ()


class FacetRecord(Record, frozen=True, kw_only=True):
    """One durable fact about a content. `identifiers` occur in the content; `symbols` are the symbols on whose own
    content it rests, each as (qualified name, hash of that content); if none, it rests on the whole file. `path` is
    where the content stood when the fact was learned or carried there. `source` is `stated`, `model:<name>` or
    `import:<format>`, `carried_from` the content of which it was first learned, `partners` other files it is about.
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

    `basis` is a digest of what else it was made from, which reveals an aggregate of fewer facets.
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
    """A question to a model about one content that waits, or that one process has taken.

    `basis` is a digest of what else it asks about; a content may wait for several facets, each of another basis.
    `path` is where the content was seen in `checkout`; `due` is when it may be asked, `taken_by` and `until` say who
    asks now and how long that counts. Times are in epoch milliseconds. `text` is what is asked about besides the
    content, without secrets, and `session_id` its origin.
    """

    v: int = 1
    kind: JobKind
    hash: str
    path: str
    checkout: str
    basis: str = ""
    asked_at: int = 0
    due: int = 0
    attempts: int = 0
    taken_by: str | None = None
    until: int = 0
    error: str | None = None
    text: str = ""
    session_id: str | None = None


class TrackedRecord(Record, frozen=True, kw_only=True):
    """What a forge said of one thing that memories name. `key` is its name with the project, such as `group/app#12`.

    `missing` says why nothing is known (`notFound`, `gone`, `forbidden`). `checked_at` is when an answer last came,
    None before the first. `failures` counts consecutive requests without an answer or with one that the thing is not
    there; `tried_at` is when the last request without an answer failed. `until` is how long one process counts as
    asking. `resolved` are the blockers that were resolved when it was found closed.
    """

    v: int = 1
    key: str
    kind: str = "issue"
    title: str = ""
    state: str = ""
    labels: tuple[str, ...] = ()
    author: str | None = None
    url: str | None = None
    updated_at: int | None = None
    closed_at: int | None = None
    etag: str | None = None
    checked_at: int | None = None
    missing: str | None = None
    failures: int = 0
    tried_at: int | None = None
    until: int = 0
    resolved: tuple[str, ...] = ()


class ForgeRecord(Record, frozen=True, kw_only=True):
    """How to treat a forge: ask nothing before `paused_until`. `reason` says why, and `failures` how often in a row the
    forge could not be reached.
    """

    v: int = 1
    paused_until: int = 0
    reason: str | None = None
    failures: int = 0
