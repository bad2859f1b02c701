"""Structs of `memory/*`: what is remembered, found and injected."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from protocol.wire import Budget, Limit, MaxLines, MemoryId, Millis, Params, PathText, Result, Score

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
    """Something outside the memory that its text names, as it stood when the memory was recorded.

    `hash` is that of the file's content, of a `symbol` in a file that of the symbol alone. In the checkout that asks,
    it is not what it was any more (`stale`) or not even there (`gone`).
    """

    kind: Literal["path", "symbol", "url", "issue", "mergeRequest", "epic", "user"]
    text: str
    path: str | None = None
    hash: str | None = None
    symbol: str | None = None
    stale: bool = False
    gone: bool = False


class Memory(Result, frozen=True):
    """One thing learned that outlives a session. One that is `deleted` was so at `updatedAt`: only a list of those
    shows it, and the step that took it away.
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


class RecordParams(Params, frozen=True):
    """Store one memory. `scope` defaults to `personal` for type `user`, else `project`; no agent is called `*`."""

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
    """`created`: new. `merged`: appended to the memory of the same key. `duplicate`: already said."""

    status: Literal["created", "merged", "duplicate"]
    memory: Memory
    similar: list[Similar]
    redactions: list[Redaction]


class SearchParams(Params, frozen=True):
    """Find memories. Filters apply before ranking; archived, resolved and expired ones only on request.

    A memory that has an agent is found for that agent only: without `agent`, those of no agent are found; with a
    name, those and that agent's; with `"*"`, those of any agent, which is for people.
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

    With a query, `score` is the probability that the memory bears on it, and one of `reasons` says so in words:
    `likely` (from 0.5), `perhaps`, or `only close in words or meaning`: a prompt whose best hit is that is shown
    nothing. The order is that of the match, so that scores need not fall. Without a query the score is the standing
    weight.
    """

    memory: Memory
    score: float
    reasons: list[str]


class SearchResult(Result, frozen=True):
    """Best first; `cursor` is there when more can be had."""

    items: list[Hit]
    cursor: str | None = None


class InjectParams(Params, frozen=True):
    """The block to put in front of an agent now, within a budget of tokens (by default a setting's, 5000).

    `brief` asks for about five memories and 400 tokens, and for more only of what surely matters: for each prompt of a
    conversation. A short prompt of a session is read together with the one before.
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
    """A candidate that is not in the block, and why. `id` is a memory's id or a file's path."""

    id: str
    reason: Literal["budget", "alreadyShown", "belowFloor", "repeats", "superseded", "contradicted", "fileUnavailable"]


class ExplainParams(Params, frozen=True):
    """Why a memory is shown for a prompt, or is not; nothing counts as shown."""

    id: MemoryId
    prompt: Annotated[str, msgspec.Meta(max_length=200_000)]
    agent: AgentName | None = None
    session_id: Text | None = None


class Gain(Result, frozen=True):
    """What one kind of evidence adds to the odds: their natural logarithm, beside a memory of no interest."""

    evidence: Literal["words", "meaning", "prompt", "verdict"]
    gain: float


class ExplainResult(Result, frozen=True):
    """The probability that a memory bears on a prompt and the least that is shown, with what speaks for it.

    `best` is the probability of the likeliest memory, which must reach `opens` for anything to be shown at all;
    `change` says in a sentence each what would alter the outcome.
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
    """The block. `text` is empty when nothing is worth showing. Same state and parameters, same bytes."""

    text: str
    tokens: int
    etag: str
    items: list[InjectedItem]
    omitted: list[OmittedItem]


class IdParams(Params, frozen=True):
    """One memory, by its id."""

    id: MemoryId


class ArchiveParams(Params, frozen=True):
    """Archive one memory; `reason` is kept with the version and shown by `memory/history`."""

    id: MemoryId
    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)] | None = None


class RateParams(Params, frozen=True):
    """Record whether a memory helped. Each verdict changes its weight and the odds that it is shown for a prompt.

    Four more verdicts on one side count as much as any number. A memory that mostly did not help is archived sooner.
    """

    id: MemoryId
    useful: bool


class ListParams(Params, frozen=True):
    """Memories by filter, newest first. `agent` is a name or `"*"`, as for `memory/search`.

    The `status` `deleted` stands alone: what was deleted and can be restored, the latest deletion first.
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
    """A page of memories; `cursor` is there when more can be had."""

    items: list[Memory]
    cursor: str | None = None


class UpdateParams(Params, frozen=True):
    """Change some fields of a memory; the earlier version is kept. `null` clears an optional field.

    `expectedVersion` makes the change conditional: when the memory has moved on, the answer is an error and
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
    """The memory as it now stands, and what was redacted from the new text.

    A name that was made from the text changes with it. `nameHint` says so when a given one tells what the new text no
    longer does.
    """

    memory: Memory
    redactions: list[Redaction]
    name_hint: str | None = None


class DeleteParams(Params, frozen=True):
    """Delete a memory. Its history stays for `memory/undo` and `memory/restore` unless `purge` is true.

    What was archived because this memory says the same is purged with it.
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
    """A memory as it stood after one change. `memory` is missing if the change deleted it."""

    version: int
    change: Change
    at: Millis
    memory: Memory | None = None
    reason: str | None = None


class HistoryResult(Result, frozen=True):
    """Versions, newest first."""

    versions: list[Version]
