"""Tools about memories: recall, remember, context, change, forget, sessions."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from protocol import memories as wire
from protocol import sessions
from protocol.candidates import Candidate
from protocol.wire import Budget, Params
from sidecar.mcp.answers import Answer, Note, note, note_text
from sidecar.mcp.home import Desk
from sidecar.memories.reasons import UNLIKELY, label
from sidecar.runtime.errors import InvalidField, MemoryNotFound
from sidecar.text import fence

Text = Annotated[str, Meta(min_length=1)]
Few = Annotated[int, Meta(ge=1, le=50)]
Action = Literal["confirm", "verify", "resolve", "reopen", "archive", "restore", "promote", "undo", "redo"]
Workspace = str | None

_ANYHOW = 3  # hits that `recall` shows however unlikely they are


class Recall(Params, frozen=True):
    query: str | None = None
    limit: Few = 10
    types: list[wire.MemoryType] | None = None
    categories: list[wire.Category] | None = None
    files: Annotated[list[Text], Meta(description="About any of these paths.")] | None = None
    workspace: Workspace = None


class Recalled(msgspec.Struct, frozen=True):
    items: list[Note]


class Remember(Params, frozen=True):
    content: Text
    name: Annotated[Text, Meta(description="Short title; the same one again adds to that memory.")] | None = None
    type: Annotated[
        wire.MemoryType,
        Meta(
            description="user: who the user is, preferences; feedback: corrections, ways of working; project: facts "
            "of this codebase; reference: where to look."
        ),
    ] = "project"
    scope: Annotated[wire.Scope, Meta(description="Default: personal for user, else project.")] | None = None
    category: wire.Category | None = None
    files: list[Text] | None = None
    workspace: Workspace = None


class Remembered(msgspec.Struct, frozen=True):
    id: str
    status: str
    similar: list[str]
    redactions: list[str]


class Context(Params, frozen=True):
    prompt: Annotated[str, Meta(description="The task, in the user's words.")] | None = None
    files: Annotated[list[Text], Meta(description="Paths in play.")] | None = None
    budget_tokens: Budget | None = None
    workspace: Workspace = None


class Block(msgspec.Struct, frozen=True):
    text: str
    tokens: int


class Update(Params, frozen=True):
    id: Text
    action: Action | None = None
    content: Text | None = None
    name: Text | None = None
    category: wire.Category | None = None
    pinned: bool | None = None
    workspace: Workspace = None


class Changed(msgspec.Struct, frozen=True):
    """`hint` is set when the name no longer fits the text."""

    memory: Note
    hint: str | None = None


class Forget(Params, frozen=True):
    id: Text
    purge: Annotated[bool, Meta(description="With its history; cannot be undone.")] = False
    workspace: Workspace = None


class Forgotten(msgspec.Struct, frozen=True):
    id: str
    undoable: bool


class SessionCall(Params, frozen=True):
    action: Literal["list", "start", "claim", "release", "end"]
    working_on: Annotated[str, Meta(max_length=1_000)] | None = None
    item: Annotated[str, Meta(description="What to claim: a file, an issue, any name.")] | None = None
    summary: str | None = None
    workspace: Workspace = None


class SessionNote(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Another session at work."""

    id: str
    working_on: str | None = None
    agent: str | None = None


class Sessions(msgspec.Struct, frozen=True, omit_defaults=True):
    sessions: list[SessionNote] = []
    claimed: bool | None = None
    owner: str | None = None


def recall(desk: Desk, given: Recall, now: int) -> Answer:
    """Search, or list the newest; of weak matches show only the best few."""
    filters = {"types": given.types, "categories": given.categories, "files": given.files, "limit": given.limit}
    if given.query and given.query.strip():
        found = desk.call("memory/search", {"query": given.query, **filters}).items
        told = [hit for at, hit in enumerate(found) if at < _ANYHOW or label(hit.score) != UNLIKELY]
        hits: list[tuple[wire.Memory, float | None]] = [(hit.memory, hit.score) for hit in told]
    else:
        hits = [(memory, None) for memory in desk.call("memory/list", filters).items]
    text = fence.fenced(*(note_text(memory, now, score) for memory, score in hits))
    if not hits:
        text = "Nothing is remembered about that." if given.query else "Nothing is remembered yet."
    return Answer(text, Recalled([note(memory, score) for memory, score in hits]))


def remember(desk: Desk, given: Remember, now: int) -> Answer:
    what = {"content": given.content, "name": given.name, "type": given.type, "scope": given.scope}
    where = {"category": given.category, "files": given.files, "sessionId": desk.session_id}
    done: wire.RecordResult = desk.call("memory/record", {**what, **where})
    said = {"created": "Remembered", "merged": "Added to an earlier memory", "duplicate": "Known already"}
    lines = [f"{said[done.status]}: [{done.memory.id}] ({done.memory.scope})."]
    lines += [f"Redacted before storing: {each.kind} in {each.field}." for each in done.redactions]
    text = "\n".join(map(fence.one_line, lines))
    quoted = ["It now says:", note_text(done.memory, now)] if done.status == "merged" else []
    if done.similar:
        quoted.append("Similar, look whether one is outdated:")
        quoted += [fence.item(f"[{each.id}] ", fence.one_line(each.name)) for each in done.similar]
    if quoted:
        text += f"\n{fence.fenced(*quoted)}"
    similar, redacted = [each.id for each in done.similar], [each.kind for each in done.redactions]
    return Answer(text, Remembered(done.memory.id, done.status, similar, redacted))


def context(desk: Desk, given: Context, now: int) -> Answer:
    """Return the injected block and what else to know."""
    found = desk.opening(given.budget_tokens, prompt=given.prompt, files=given.files)
    return Answer(found.text or "Nothing is remembered that matters here.", Block(found.text, found.tokens))


def update(desk: Desk, given: Update, now: int) -> Answer:
    """Change a memory's fields or its state."""
    fields = {
        name: value for name in ("content", "name", "category", "pinned") if (value := getattr(given, name)) is not None
    }
    if given.action is None and not fields:
        hint = "Give an action, or a field to change."
        raise InvalidField("Nothing is to be changed.", path="$", hint=hint)
    memory, hint = _updated(desk, given, fields)
    if memory.status == "deleted":
        told = f"The recording of {memory.id} is taken back; update_memory with action redo does it again."
        return Answer(fence.one_line(told), Changed(note(memory)))
    said = "\n".join([note_text(memory, now), *([fence.one_line(hint)] if hint else [])])
    return Answer(f"It now says:\n{fence.fenced(said)}", Changed(note(memory), fence.one_line(hint) or None))


def _updated(desk: Desk, given: Update, fields: dict[str, object]) -> tuple[wire.Memory, str]:
    """Change fields, then the state; return the memory and a hint about its name."""
    id, hint = given.id, ""
    if given.action == "confirm":
        pinned = fields.pop("pinned", None)
        memory: wire.Memory = desk.call("memory/confirm", {"id": id, **fields}).memory
        if pinned is not None:
            memory = desk.call("memory/update", {"id": memory.id, "pinned": pinned}).memory
        return memory, hint
    if fields:
        updated: wire.UpdateResult = desk.call("memory/update", {"id": id, **fields})
        memory, hint = updated.memory, updated.name_hint or ""
    if given.action == "promote":
        memory = desk.call("memory/promote", {"id": id, "scope": "project"}).memory
    elif given.action is not None:
        memory = desk.call(f"memory/{given.action}", {"id": id})
    return memory, hint


def forget(desk: Desk, given: Forget, now: int) -> Answer:
    """Delete a memory, or drop a candidate."""
    try:
        done: wire.DeleteResult = desk.call("memory/delete", {"id": given.id, "purge": given.purge})
    except MemoryNotFound as unknown:
        try:
            dropped: Candidate = desk.call("memory/reject", {"id": given.id})
        except MemoryNotFound:
            raise unknown from None
        said = f"Dropped: {dropped.id}. It is not proposed again."
        return Answer(fence.one_line(said), Forgotten(dropped.id, False))
    more = " update_memory with action restore brings it back." if done.undoable else ""
    return Answer(fence.one_line(f"Forgotten: {done.id}.{more}"), Forgotten(done.id, done.undoable))


def session(desk: Desk, given: SessionCall, now: int) -> Answer:
    """List other sessions and their claims."""
    me = {"sessionId": desk.session_id}
    if given.action in ("claim", "release"):
        if not given.item:
            raise InvalidField("No item is named.", path="$.item", hint="Name what to claim or release.")
        desk.call("session/start", {**me, "workingOn": given.working_on})
        done = desk.call(f"session/{given.action}", {**me, "item": given.item})
        said = _claimed(given.item, done) if given.action == "claim" else _released(done)
        claimed = given.action == "claim" and done.claimed
        return Answer(fence.one_line(said), Sessions(claimed=claimed, owner=done.owner))
    if given.action == "start":
        desk.call("session/start", {**me, "workingOn": given.working_on})
    elif given.action == "end":
        desk.call("session/start", me)
        desk.call("session/end", {**me, "summary": given.summary})
    others: list[sessions.Session] = desk.call("session/list", {}).items
    notes = [
        SessionNote(each.session_id, each.working_on, each.agent)
        for each in others
        if each.session_id != desk.session_id
    ]
    at_work = [f"{each.agent or 'agent'} {each.id}: {each.working_on or 'nothing said'}" for each in notes]
    lines = [fence.item("", fence.one_line(each)) for each in at_work]
    return Answer(fence.fenced(*lines) if lines else "No other session is active here.", Sessions(notes))


def _claimed(item: str, done: sessions.ClaimResult) -> str:
    return f"Claimed: {item}." if done.claimed else f"{item} is claimed by session {done.owner}."


def _released(done: sessions.ReleaseResult) -> str:
    if done.released:
        return f"Released: {done.item}."
    held = f"session {done.owner} has it" if done.owner else "nobody had claimed it"
    return f"Not released: {done.item}; {held}."
