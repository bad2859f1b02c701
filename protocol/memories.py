"""Structs of `memory/*`: what is remembered, found and injected."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from protocol.wire import Budget, Limit, MaxLines, MemoryId, Millis, PathText, Result, Score, WorkspaceParams

Scope = Literal["personal", "project", "global"]
MemoryType = Literal["user", "feedback", "project", "reference"]
Category = Literal[
    "decision", "blocker", "procedure", "fact", "event", "directive", "plan", "idea", "conversation", "reminder"
]
Status = Literal["active", "archived", "resolved", "suspect", "deleted"]
Include = Literal["archived", "resolved", "expired"]
Text = Annotated[str, msgspec.Meta(min_length=1)]
AgentName = Annotated[str, msgspec.Meta(min_length=1, pattern=r"^(?!\s*\*\s*$)")]
ANY_AGENT = "*"


class Reference(Result, frozen=True):
    """Something outside the memory that its text names, as it was when the memory was recorded.

    `hash` is that of the file's content or, for a `symbol` in a file, of the symbol alone. If the content in this
    checkout differs by now, the reference is `stale`; if it does not exist, `gone`.
    """

    kind: Literal["path", "symbol", "url", "issue", "mergeRequest", "epic", "user"]
    text: str
    path: str | None = None
    hash: str | None = None
    symbol: str | None = None
    stale: bool = False
    gone: bool = False


class Memory(Result, frozen=True):
    """One lesson or fact that outlives a session.

    A `deleted` memory was deleted at `updatedAt`. Only a list of deleted memories shows it.
    """

    id: str
    scope: Scope
    type: MemoryType
    name: str
    content: str
    tags: list[str]
    files: list[str]
    entities: list[str]
    references: list[Reference]
    relevance: float
    access_count: int
    pinned: bool
    status: Status
    source: str
    created_at: Millis
    updated_at: Millis
    version: int
    category: Category | None = None
    description: str | None = None
    agent: str | None = None
    session_id: str | None = None
    accessed_at: Millis | None = None
    verified_at: Millis | None = None
    expires_at: Millis | None = None
    promoted_from: str | None = None
    supersedes: str | None = None
    archived_for: Literal["faded", "old", "merged", "promoted", "left"] | None = None
    merged_into: str | None = None
    author: str | None = None
    useful: int = 0
    not_useful: int = 0


class RecordParams(WorkspaceParams, frozen=True):
    """Store one memory.

    The default `scope` is `personal` for type `user`, else `project`. No agent is named `*`.
    """

    content: Text
    name: Text | None = None
    description: str | None = None
    type: MemoryType = "project"
    scope: Scope | None = None
    category: Category | None = None
    agent: AgentName | None = None
    session_id: Text | None = None
    files: list[PathText] = []
    tags: list[Text] = []
    expires_at: Millis | None = None
    pinned: bool = False


class Similar(Result, frozen=True):
    """A memory that says nearly the same under another name. `score` is in 0..1."""

    id: str
    name: str
    score: Score


class Redaction(Result, frozen=True):
    """A secret that was taken out before anything was written: what kind, in which field, how often."""

    kind: str
    field: str
    count: int


class RecordResult(Result, frozen=True):
    """What became of the record: `created` (new), `merged` (appended to the memory of the same key) or `duplicate`."""

    status: Literal["created", "merged", "duplicate"]
    memory: Memory
    similar: list[Similar]
    redactions: list[Redaction]


class SearchParams(WorkspaceParams, frozen=True):
    """Find memories.

    Filters apply before ranking. Archived, resolved and expired memories are found only on request. A memory of an
    agent is found for that agent only: without `agent`, memories of no agent are found; with a name, also those of that
    agent; with `"*"`, which is for people, those of any agent.
    """

    query: Annotated[str, msgspec.Meta(max_length=16_000)]
    limit: Limit = 10
    scopes: list[Scope] | None = None
    types: list[MemoryType] | None = None
    categories: list[Category] | None = None
    agent: str | None = None
    files: list[PathText] | None = None
    since: Millis | None = None
    include: list[Include] = []
    cursor: str | None = None


class Hit(Result, frozen=True):
    """A memory found, its score and why it was found.

    With a query, `score` is the probability that the memory bears on the query. One of `reasons` says so in words:
    `likely` (from 0.5), `perhaps`, or `only close in words or meaning`; if the best hit is only close, a prompt gets no
    memory. Hits are in the order of the match, in which scores need not fall. Without a query, the score is the
    standing weight.
    """

    memory: Memory
    score: float
    reasons: list[str]


class SearchResult(Result, frozen=True):
    """The hits, best first. `cursor` leads to further hits."""

    items: list[Hit]
    cursor: str | None = None


class InjectParams(WorkspaceParams, frozen=True):
    """Ask for the block to put in front of an agent now, within a budget of tokens (by default a setting's, 5000).

    `brief` is for each prompt of a conversation: about five memories and 400 tokens, and more only of what surely
    matters. A short prompt of a session is read together with the prompt before it.
    """

    prompt: Annotated[str, msgspec.Meta(max_length=200_000)] | None = None
    files: list[PathText] = []
    agent: AgentName | None = None
    session_id: Text | None = None
    budget_tokens: Budget | None = None
    max_lines: MaxLines | None = None
    format: Literal["markdown", "xml"] = "markdown"
    exclude_shown: bool = False
    frozen: bool = False
    brief: bool = False


class InjectedItem(Result, frozen=True):
    """One item of the block: a memory (`id`) or the briefing of a file (`path`)."""

    kind: Literal["memory", "file"]
    section: str
    score: float
    tokens: int
    reasons: list[str]
    id: str | None = None
    path: str | None = None


class OmittedItem(Result, frozen=True):
    """A candidate that is not in the block, and why. `id` is a memory's id, or a file's path."""

    id: str
    reason: Literal["budget", "alreadyShown", "belowFloor", "repeats", "superseded", "contradicted", "fileUnavailable"]


class ExplainParams(WorkspaceParams, frozen=True):
    """Ask why a memory is shown for a prompt or is not. The request does not count as showing the memory."""

    id: MemoryId
    prompt: Annotated[str, msgspec.Meta(max_length=200_000)]
    agent: AgentName | None = None
    session_id: Text | None = None


class Gain(Result, frozen=True):
    """What one kind of evidence adds to the odds: the natural logarithm, compared with a memory of no interest."""

    evidence: Literal["words", "meaning", "prompt", "verdict"]
    gain: float


class ExplainResult(Result, frozen=True):
    """The probability that a memory bears on a prompt, the least probability that is shown, and the evidence.

    `best` is the probability of the likeliest memory; unless it reaches `opens`, no memory is shown. `change` says, in
    a sentence each, what would alter the outcome.
    """

    probability: float
    label: str
    threshold: float
    best: float
    opens: float
    gains: list[Gain]
    words: list[str]
    cosine: float | None
    rank: int | None
    change: list[str]


class InjectResult(Result, frozen=True):
    """The block. `text` is empty if nothing is worth showing.

    The same state and parameters give the same bytes.
    """

    text: str
    tokens: int
    etag: str
    items: list[InjectedItem]
    omitted: list[OmittedItem]


class IdParams(WorkspaceParams, frozen=True):
    """One memory, by its id."""

    id: MemoryId


class ArchiveParams(WorkspaceParams, frozen=True):
    """Archive one memory. `reason` is kept with the version; `memory/history` shows it."""

    id: MemoryId
    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)] | None = None


class RateParams(WorkspaceParams, frozen=True):
    """Record whether a memory helped.

    Each verdict changes the memory's weight, and the odds that it is shown for a prompt. More than four verdicts on one
    side count like four. A memory that mostly did not help is archived sooner.
    """

    id: MemoryId
    useful: bool


class ListParams(WorkspaceParams, frozen=True):
    """List memories by filter, newest first.

    `agent` is a name or `"*"`, as for `memory/search`. The `status` `deleted` stands alone: it lists what was deleted
    and can be restored, the latest deletion first.
    """

    scopes: list[Scope] | None = None
    types: list[MemoryType] | None = None
    categories: list[Category] | None = None
    agent: str | None = None
    files: list[PathText] | None = None
    since: Millis | None = None
    status: list[Status] | Status | None = None
    include: list[Include] = []
    limit: Limit = 50
    cursor: str | None = None


class ListResult(Result, frozen=True):
    """A page of memories; `cursor` leads to the next page."""

    items: list[Memory]
    cursor: str | None = None


class UpdateParams(WorkspaceParams, frozen=True):
    """Change some fields of a memory. The earlier version is kept; `null` clears an optional field.

    With `expectedVersion`, the change is conditional: if the memory has another version, the answer is an error and
    nothing is written.
    """

    id: MemoryId
    content: Text | UnsetType = UNSET
    name: Text | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    type: MemoryType | UnsetType = UNSET
    category: Category | UnsetType | None = UNSET
    agent: AgentName | UnsetType | None = UNSET
    files: list[PathText] | UnsetType = UNSET
    tags: list[Text] | UnsetType = UNSET
    expires_at: Millis | UnsetType | None = UNSET
    pinned: bool | UnsetType = UNSET
    expected_version: Annotated[int, msgspec.Meta(ge=1)] | None = None


class UpdateResult(Result, frozen=True):
    """The memory as it stands now, and what was redacted from the new text.

    A name that was made from the text changes with the text. `nameHint` says that a given name no longer fits the new
    text.
    """

    memory: Memory
    redactions: list[Redaction]
    name_hint: str | None = None


class DeleteParams(WorkspaceParams, frozen=True):
    """Delete a memory.

    Its history stays for `memory/undo` and `memory/restore`, unless `purge` is true. `purge` also removes memories that
    were archived because they said the same as this one.
    """

    id: MemoryId
    purge: bool = False


class DeleteResult(Result, frozen=True):
    """The id of the deleted memory; `undoable` says whether `memory/undo` can bring it back."""

    id: str
    undoable: bool


Change = Literal[
    "created",
    "merged",
    "updated",
    "archived",
    "restored",
    "deleted",
    "undone",
    "redone",
    "promoted",
    "resolved",
    "reopened",
]


class Version(Result, frozen=True):
    """A memory as it was after one change. `memory` is missing if the change deleted it."""

    version: int
    change: Change
    at: Millis
    memory: Memory | None = None
    reason: str | None = None


class HistoryResult(Result, frozen=True):
    """Versions, newest first."""

    versions: list[Version]
