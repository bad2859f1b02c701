"""Structs of `file/*`: what is known about a file's content."""

from typing import Annotated, Literal

from msgspec import Meta

from protocol.events import SessionId
from protocol.wire import Budget, Limit, PathText, Result, Score, WorkDoneToken, WorkspaceParams


class SummaryParams(WorkspaceParams, frozen=True):
    """Ask for the briefing of a file.

    `intent: edit` means that the exact text is about to be needed. If `sessionId` is given, the tokens that the session
    need not read are counted.
    """

    path: PathText
    intent: Literal["explore", "edit"] = "explore"
    session_id: SessionId | None = None


class Symbol(Result, frozen=True):
    """A named part of a file. Lines count from 1, both ends included."""

    kind: str
    name: str
    start_line: int
    end_line: int
    signature: str
    doc: str | None = None
    public: bool = True
    children: list["Symbol"] = []


class Facet(Result, frozen=True):
    """One durable fact about a file, learned while an agent worked.

    Its `identifiers` occur in the file. The fact rests on the content of its `symbols`; without any, on the whole file.
    """

    text: str
    symbols: list[str]
    identifiers: list[str] = []


class SummaryResult(Result, frozen=True):
    """What an agent gets instead of the file's content, for the bytes that were on disk at the request.

    `origin` says who wrote `summary`: the sidecar (the outline and the facets as they are), a model about the content,
    or a model about content and facets. `tokens` is the size of `summary`, `fileTokens` that of the file. `advice`, if
    any, says why to read the file instead. `formerFacets` were learned from earlier contents of the file and may no
    longer be true: verify one before you use it, and report it with `file/observe`.
    """

    path: str
    hash: str
    origin: Literal["structural", "model", "aggregated"]
    fresh: bool
    partial: bool
    language: str
    summary: str
    facets: list[Facet]
    outline: list[Symbol]
    lines: int
    tokens: int
    file_tokens: int
    advice: str | None = None
    former_facets: list[Facet] = []


class RecordReadParams(WorkspaceParams, frozen=True):
    """Report that an agent has read a file.

    `contentHash` is the content that the agent saw, if known. If the file differs by now, what the agent says next does
    not count as being about the file.
    """

    path: PathText
    session_id: SessionId
    content_hash: Annotated[str, Meta(min_length=1, max_length=64)] | None = None


class RecordReadResult(Result, frozen=True):
    """What is known about the file that was read.

    `hash` is the content on disk now. `known` says whether a facet or a model's summary of the file is stored.
    """

    path: str
    hash: str
    known: bool


class ObserveParams(WorkspaceParams, frozen=True):
    """Report facts that somebody states about files.

    The files are `paths` or, without any, those that the session has read since its last statement. A short text is
    kept as it is. Of a longer one, the first sentence that qualifies is kept: a statement, a rule of use, or a pair of
    files that change together. Of several files, only those get the fact that define what it names.
    """

    session_id: SessionId
    text: Annotated[str, Meta(min_length=1, max_length=1_000_000)]
    paths: Annotated[list[PathText], Meta(max_length=16)] | None = None


FacetRefusal = Literal[
    "tooShort",
    "tooLong",
    "noIdentifier",
    "notInFile",
    "definedElsewhere",
    "noSuchFile",
    "task",
    "notDurable",
    "question",
    "paraphrase",
    "alreadyInOutline",
    "saysLittle",
    "code",
    "noise",
    "secret",
    "full",
]


class ObservedFacet(Result, frozen=True):
    """A fact that is stored, with the file that it is about."""

    path: str
    text: str
    identifiers: list[str]
    symbols: list[str]


class RefusedFacet(Result, frozen=True):
    """A sentence that is not stored, and why. Without `path`, the reason holds for every file."""

    text: str
    reason: FacetRefusal
    path: str | None = None


class ObserveResult(Result, frozen=True):
    """At most one new fact for each file."""

    facets: list[ObservedFacet]
    refused: list[RefusedFacet]


class HandoffParams(WorkspaceParams, frozen=True):
    """Ask what a sub-agent should know about the files on which a session works.

    `files` are paths that count as older than the session's own, the latest last.
    """

    session_id: SessionId
    files: Annotated[list[PathText], Meta(max_length=100)] = []


class HandoffItem(Result, frozen=True):
    """One file. `text` is its line in the hand-off, at most 150 characters."""

    path: str
    hash: str
    text: str


class HandoffResult(Result, frozen=True):
    """The last files of the session, at most 10, the latest first. `text` is empty without files."""

    text: str
    tokens: int
    items: list[HandoffItem]


class RepoMapParams(WorkspaceParams, frozen=True):
    """Ask for the repository's map as seen from files and identifiers in play; without any, from everywhere."""

    budget_tokens: Budget = 4096
    files: Annotated[list[PathText], Meta(max_length=1_000)] = []
    identifiers: Annotated[list[Annotated[str, Meta(min_length=1, max_length=200)]], Meta(max_length=1_000)] = []
    work_done_token: WorkDoneToken | None = None


class RepoMapResult(Result, frozen=True):
    """Files with their key symbols, most important first, one per line, within the budget.

    `files` are the files in the text, in its order. The map lacks the `pending` files, which are not read yet.
    """

    text: str
    tokens: int
    files: list[str]
    pending: int = 0


FileKind = Literal["source", "test", "docs", "other"]
HistoryState = Literal["off", "waiting", "ready", "unavailable"]


class FileSearchParams(WorkspaceParams, frozen=True):
    """Ask for the files that a text is about: an issue, a task, an error message.

    With `kinds`, files of other kinds are left out.
    """

    query: Annotated[str, Meta(min_length=1, max_length=200_000)]
    limit: Limit = 10
    kinds: list[FileKind] | None = None
    work_done_token: WorkDoneToken | None = None


class FoundFile(Result, frozen=True):
    """One file.

    `score` can be compared within one answer only. `coverage` is the share of the query's words that the file contains
    (0 to 1).
    """

    path: str
    score: Score
    coverage: Score
    reasons: list[str]


class FileSearchResult(Result, frozen=True):
    """The files, likeliest first.

    The answer lacks the `pending` files, which are not read yet. While `history` is `waiting`, past commits are still
    being read and the answer lacks some of them.
    """

    items: list[FoundFile]
    pending: int = 0
    history: HistoryState = "ready"


class InvalidatedFile(Result, frozen=True):
    """A file whose remembered content is no longer on disk. `hash` is missing if the file is gone."""

    path: str
    reason: Literal["changed", "deleted", "renamed"]
    old_hash: str
    hash: str | None = None
    new_path: str | None = None


class DidInvalidateFiles(Result, frozen=True):
    """`file/didInvalidate`: files of a workspace whose memory was invalidated."""

    workspace_uri: str
    files: list[InvalidatedFile]
