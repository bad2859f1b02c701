"""Tools about memories: recall, remember, context, change, forget, link."""

from __future__ import annotations

import re
from textwrap import shorten
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from protocol import memories as api
from protocol.candidates import RejectParams
from protocol.links import LinkKind, LinkParams
from protocol.maintenance import PromoteParams
from protocol.wire import Params
from sidecar.mcp.answers import ToolAnswer, note, note_text, reword_for_model
from sidecar.mcp.tool import tool
from sidecar.mcp.tool_call import ToolCall
from sidecar.memories.retrieval.reasons import UNLIKELY, label
from sidecar.memories.wording.naming import is_derived
from sidecar.runtime.errors import InvalidField, MemoryNotFound
from sidecar.text import fence
from sidecar.text.moments import parse_moment

Text = Annotated[str, Meta(min_length=1)]
Budget = Annotated[int, Meta(ge=1, le=1_000_000)]
MaxItems = Annotated[int, Meta(ge=1, le=50)]
Action = Literal[
    "confirm", "verify", "useful", "notUseful", "resolve", "reopen", "archive", "restore", "promote", "undo", "redo"
]
MemoryRef = Annotated[str, Meta(min_length=1, description="Or the note's words.")]
Workspace = str | None

_MAX_TITLE_CHARS = 100
_MAX_QUERY_CHARS = 2_000
_MAX_ALIKE = 10  # memories that are compared with the words of a note
_NOTE_START = re.compile(r"^(?:- )?(?:\([^()]*\) )?")
# `recall` shows this many hits, even if they are unlikely to be relevant.
_MIN_HITS = 3


class RecallArguments(Params, frozen=True):
    query: str | None = None
    limit: MaxItems = 10
    types: Annotated[list[Text], Meta(description="As in remember.")] | None = None
    categories: list[Text] | None = None
    files: list[Text] | None = None
    since: Annotated[str, Meta(description="last week, 7d, 2026-01-31")] | None = None
    compact: Annotated[bool, Meta(description="Names only.")] = False
    workspace: Workspace = None


# All categories but "directive": blocks show directives as the user's words, so only a person may record one.
Category = Literal["decision", "blocker", "procedure", "fact", "event", "plan", "idea", "conversation", "reminder"]


class RememberArguments(Params, frozen=True):
    content: Text
    name: Annotated[Text, Meta(description="Short title; the same one again adds to that memory.")] | None = None
    type: Annotated[
        api.MemoryType,
        Meta(
            description="user: who the user is, preferences; feedback: corrections, ways of working; project: facts "
            "of this codebase; reference: where to look."
        ),
    ] = "project"
    scope: Annotated[api.Scope, Meta(description="Default: personal for user, else project.")] | None = None
    category: Category | None = None
    files: list[Text] | None = None
    workspace: Workspace = None


class ContextArguments(Params, frozen=True):
    prompt: Annotated[str, Meta(description="The task, in the user's words.")] | None = None
    files: Annotated[list[Text], Meta(description="Paths in play.")] | None = None
    budget_tokens: Budget | None = None
    workspace: Workspace = None


class UpdateArguments(Params, frozen=True):
    id: MemoryRef
    action: Action | None = None
    content: Text | None = None
    name: Text | None = None
    category: Text | None = None
    pinned: bool | None = None
    workspace: Workspace = None


class ForgetArguments(Params, frozen=True):
    id: MemoryRef
    purge: Annotated[bool, Meta(description="With its history; cannot be undone.")] = False
    workspace: Workspace = None


class LinkArguments(Params, frozen=True):
    from_: Text = msgspec.field(name="from")
    to: Text
    kind: LinkKind = "related"
    remove: bool = False
    workspace: Workspace = None


@tool("read", "memory/search", "memory/list", always_loaded=True)
def recall(call: ToolCall, args: RecallArguments, now: int) -> ToolAnswer:
    """Search what was learned in earlier sessions: preferences, decisions, errors and their fixes, how things
    are done here. Use it before you ask the user, and when a command fails. Without query: the newest.
    """
    filters: dict[str, object] = {"types": args.types, "categories": args.categories, "files": args.files}
    filters |= {"limit": args.limit, "since": _parse_since(args.since)}
    if args.query and args.query.strip():
        matches = call.send("memory/search", {"query": args.query, **filters}).items
        likely = [hit for rank, hit in enumerate(matches) if rank < _MIN_HITS or label(hit.score) != UNLIKELY]
        hits: list[tuple[api.Memory, float | None]] = [(hit.memory, hit.score) for hit in likely]
    else:
        hits = [(memory, None) for memory in call.send("memory/list", filters).items]
    if args.compact:
        hits = [(msgspec.structs.replace(memory, content=_short_title(memory)), score) for memory, score in hits]
    lines = [_compact_item(memory) if args.compact else note_text(memory, now, score) for memory, score in hits]
    text = fence.enclose(*lines)
    if not hits:
        narrowed = args.query or any(value for name, value in filters.items() if name != "limit")
        text = "Nothing is remembered about that." if narrowed else "Nothing is remembered yet."
    return ToolAnswer(text, {"items": [note(memory, score) for memory, score in hits]})


def _parse_since(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return parse_moment(text, -1)
    except ValueError as error:
        raise InvalidField(str(error), path="$.since") from None


def _short_title(memory: api.Memory) -> str:
    """Return a memory's name; the beginning of its text if the name only repeats that."""
    text = memory.content if is_derived(memory.name, memory.content) else memory.name
    return shorten(" ".join(text.split()), _MAX_TITLE_CHARS, placeholder="…")


def _compact_item(memory: api.Memory) -> str:
    return fence.item(f"[{memory.id}] ", fence.one_line(memory.content))


@tool("write", "memory/record", always_loaded=True)
def remember(call: ToolCall, args: RememberArguments, now: int) -> ToolAnswer:
    """Store one fact for later sessions: above all what the user states as standing (a preference, correction,
    rule), in the user's words; a decision with its reason, a fix, how something is done here. One statement,
    understandable on its own. Not the current task, no secrets.
    """
    params = api.RecordParams(
        content=args.content,
        name=args.name,
        type=args.type,
        scope=args.scope,
        category=args.category,
        files=args.files or [],
        session_id=call.session_id,
    )
    result = call.memory_record(params)
    heads = {"created": "Remembered", "merged": "Added to an earlier memory", "duplicate": "Already known"}
    lines = [f"{heads[result.status]}: [{result.memory.id}] ({result.memory.scope})."]
    lines += [f"Redacted before storing: {redaction.kind} in {redaction.field}." for redaction in result.redactions]
    text = "\n".join(map(fence.one_line, lines))
    quoted = ["It now says:", note_text(result.memory, now)] if result.status == "merged" else []
    if result.similar:
        quoted.append("Similar memories; check whether one is outdated:")
        quoted += [fence.item(f"[{memory.id}] ", fence.one_line(memory.name)) for memory in result.similar]
    if quoted:
        text += f"\n{fence.enclose(*quoted)}"
    similar, redacted = [memory.id for memory in result.similar], [redaction.kind for redaction in result.redactions]
    data = {"id": result.memory.id, "status": result.status, "similar": similar, "redactions": redacted}
    return ToolAnswer(text, data)


@tool("read", "memory/inject", "context/boot")
def context(call: ToolCall, args: ContextArguments, now: int) -> ToolAnswer:
    """The memories that matter for a task, due reminders, open blockers, who else works here and the files in
    hand. Call it at the start of a session, task or sub-agent.
    """
    start = call.start_text(args.budget_tokens, prompt=args.prompt, files=args.files)
    text = start.text or "Nothing is remembered that matters here."
    return ToolAnswer(text, {"text": start.text, "tokens": start.tokens})


@tool("change", "memory/update", "memory/verify", "memory/confirm", "memory/rate", always_loaded=True)
def update_memory(call: ToolCall, args: UpdateArguments, now: int) -> ToolAnswer:
    """Correct a memory, or say that it still holds (verify), was of use (useful, notUseful), blocks no more
    (resolve), is wanted no more (archive), belongs to the whole project (promote), take the last change back (undo;
    redo), or bring back what was forgotten (restore). On the user's word only: make a memory of a candidate
    (confirm).
    """
    changes = dict[str, object](content=args.content, name=args.name, category=args.category, pinned=args.pinned)
    fields = {name: value for name, value in changes.items() if value is not None}
    if args.action is None and not fields:
        hint = "Give an action, or a field to change."
        raise InvalidField("There is nothing to change.", path="$", hint=hint)
    if args.category == "directive":
        hint = "Record it as type feedback, or let the user give the directive in an editor or on the command line."
        raise InvalidField("Only the user gives directives.", path="$.category", hint=hint)
    memory, hint = _apply_update(call, args, fields)
    hint = reword_for_model(hint)
    if memory.status == "deleted":
        text = f"The recording of {memory.id} is taken back; update_memory with action redo does it again."
        return ToolAnswer(fence.one_line(text), {"memory": note(memory), "hint": None})
    body = "\n".join([note_text(memory, now), *([fence.one_line(hint)] if hint else [])])
    data = {"memory": note(memory), "hint": fence.one_line(hint) or None}
    return ToolAnswer(f"It now says:\n{fence.enclose(body)}", data)


def _find_id(call: ToolCall, ref: str) -> str:
    """Return the id of the memory that `ref`, an id or the words of a note as a block shows it, names.

    Raises `MemoryNotFound` unless exactly one memory has these words.
    """
    words = _NOTE_START.sub("", ref.strip()).rstrip(".…")
    if " " not in words:
        return ref
    folded = fence.one_line(words).casefold()
    hits: list[api.Hit] = call.send("memory/search", {"query": words[:_MAX_QUERY_CHARS], "limit": _MAX_ALIKE}).items
    texts = {hit.memory.id: fence.one_line(f"{hit.memory.content}\n{hit.memory.name}").casefold() for hit in hits}
    found = [id for id, text in texts.items() if folded in text]
    if len(found) != 1:
        raise MemoryNotFound(
            f"{len(found) or 'No'} memories have these words.",
            path="$.id",
            hint="`recall` shows memories with their ids.",
        )
    return found[0]


def _apply_update(call: ToolCall, args: UpdateArguments, fields: dict[str, object]) -> tuple[api.Memory, str]:
    """Change first the fields of a memory, then its state. Return the memory and a hint about its name."""
    id, hint = _find_id(call, args.id), ""
    if args.action == "confirm":
        pinned = fields.pop("pinned", None)
        memory: api.Memory = call.send("memory/confirm", {"id": id, **fields}).memory
        if pinned is not None:
            memory = call.send("memory/update", {"id": memory.id, "pinned": pinned}).memory
        return memory, hint
    if fields:
        updated: api.UpdateResult = call.send("memory/update", {"id": id, **fields})
        memory, hint = updated.memory, updated.name_hint or ""
    if args.action == "promote":
        memory = call.memory_promote(PromoteParams(id=id, scope="project")).memory
    elif args.action in ("useful", "notUseful"):
        memory = call.memory_rate(api.RateParams(id=id, useful=args.action == "useful"))
    elif args.action is not None:
        memory = call.send(f"memory/{args.action}", {"id": id})
    return memory, hint


@tool("delete", "memory/delete", "memory/reject")
def forget(call: ToolCall, args: ForgetArguments, now: int) -> ToolAnswer:
    """Delete a memory that is wrong or that the user wants gone, or a candidate that the user says does not
    hold. It is not learned again.
    """
    id = _find_id(call, args.id)
    try:
        result = call.memory_delete(api.DeleteParams(id=id, purge=args.purge))
    except MemoryNotFound as unknown:
        try:
            rejected = call.memory_reject(RejectParams(id=id))
        except MemoryNotFound:
            raise unknown from None
        text = f"Dropped: {rejected.id}. It is not proposed again."
        return ToolAnswer(fence.one_line(text), {"id": rejected.id, "undoable": False})
    more = " update_memory with action restore brings it back." if result.undoable else ""
    data = {"id": result.id, "undoable": result.undoable}
    return ToolAnswer(fence.one_line(f"Forgotten: {result.id}.{more}"), data)


@tool("write", "memory/link")
def link(call: ToolCall, args: LinkArguments, now: int) -> ToolAnswer:
    """Link two memories. What supersedes another is shown in its place."""
    status = call.memory_link(LinkParams(from_=args.from_, to=args.to, kind=args.kind, remove=args.remove)).status
    outcomes = {"created": "Linked.", "changed": "Changed.", "unchanged": "Linked already.", "removed": "Unlinked."}
    return ToolAnswer(outcomes.get(status, "There was no such link."), {"status": status})
