"""Tools about who works here and what is to be thought of: sessions and reminders."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from protocol import reminders, sessions
from protocol.wire import Params
from sidecar.mcp.answers import ToolAnswer
from sidecar.mcp.memory_tools import Text, Workspace
from sidecar.mcp.tool import tool
from sidecar.mcp.tool_call import ToolCall
from sidecar.runtime.errors import InvalidField
from sidecar.text import fence


class SessionArguments(Params, frozen=True):
    action: Literal["list", "start", "claim", "release", "end"]
    working_on: Annotated[str, Meta(max_length=1_000)] | None = None
    item: Annotated[str, Meta(description="A file, an issue, any name.")] | None = None
    summary: str | None = None
    workspace: Workspace = None


class OtherSession(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    id: str
    working_on: str | None = None
    agent: str | None = None


class SessionResult(msgspec.Struct, frozen=True, omit_defaults=True):
    sessions: list[OtherSession] = []
    claimed: bool | None = None
    owner: str | None = None


class ReminderArguments(Params, frozen=True):
    action: Literal["set", "list", "clear"]
    text: Text | None = None
    at: Annotated[str, Meta(description="+2h, tomorrow 9am, next monday")] | None = None
    recurrence: reminders.Recurrence | None = None
    id: Annotated[Text, Meta(description="To clear.")] | None = None
    workspace: Workspace = None


class ReminderNote(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    text: str
    at: str
    due: bool
    recurrence: str | None = None


class ReminderToolResult(msgspec.Struct, frozen=True):
    reminders: list[ReminderNote]


@tool("change", SessionResult, "session/start", "session/claim", "session/release")
def session(call: ToolCall, given: SessionArguments, now: int) -> ToolAnswer:
    """Who else works here now and on what; say what you work on (start); claim an item so that no other agent
    takes it up, and release it; end with a summary for the next session.
    """
    me = {"sessionId": call.session_id}
    if given.action in ("claim", "release"):
        if not given.item:
            raise InvalidField("No item is named.", path="$.item", hint="Name what to claim or release.")
        call.request("session/start", {**me, "workingOn": given.working_on})
        done = call.request(f"session/{given.action}", {**me, "item": given.item})
        said = _claimed(given.item, done) if given.action == "claim" else _released(done)
        claimed = given.action == "claim" and done.claimed
        return ToolAnswer(fence.one_line(said), SessionResult(claimed=claimed, owner=done.owner))
    if given.action == "start":
        call.request("session/start", {**me, "workingOn": given.working_on})
    elif given.action == "end":
        call.request("session/start", me)
        call.request("session/end", {**me, "summary": given.summary})
    others: list[sessions.Session] = call.request("session/list", {}).items
    notes = [
        OtherSession(each.session_id, each.working_on, each.agent)
        for each in others
        if each.session_id != call.session_id
    ]
    at_work = [f"{each.agent or 'agent'} {each.id}: {each.working_on or 'nothing said'}" for each in notes]
    lines = [fence.item("", fence.one_line(each)) for each in at_work]
    return ToolAnswer(fence.fenced(*lines) if lines else "No other session is active here.", SessionResult(notes))


def _claimed(item: str, done: sessions.ClaimResult) -> str:
    return f"Claimed: {item}." if done.claimed else f"{item} is claimed by session {done.owner}."


def _released(done: sessions.ReleaseResult) -> str:
    if done.released:
        return f"Released: {done.item}."
    held = f"session {done.owner} has it" if done.owner else "nobody had claimed it"
    return f"Not released: {done.item}; {held}."


@tool("change", ReminderToolResult, "reminder/set", "reminder/list", "reminder/clear")
def reminder(call: ToolCall, given: ReminderArguments, now: int) -> ToolAnswer:
    """Have a later session told of something when it is due: set, list, clear what is done."""
    if given.action == "list":
        found: reminders.ListRemindersResult = call.request("reminder/list", {})
        notes = [_noted(each) for each in found.items]
        lines = [fence.item("", _reminder_line(each)) for each in notes]
        return ToolAnswer(fence.fenced(*lines) if lines else "No reminder waits.", ReminderToolResult(notes))
    if given.action == "clear":
        if given.id is None:
            raise InvalidField("No reminder is named.", path="$.id", hint="List them to see their ids.")
        one, said = call.request("reminder/clear", {"id": given.id}), "Cleared"
    else:
        wanted = {"text": given.text, "at": given.at, "recurrence": given.recurrence, "sessionId": call.session_id}
        set: reminders.SetReminderResult = call.request("reminder/set", wanted)
        one, said = set.reminder, "Set" if set.created else "Set already"
    noted = _noted(one)
    return ToolAnswer(f"{said}:\n{fence.fenced(fence.item('', _reminder_line(noted)))}", ReminderToolResult([noted]))


def _noted(one: reminders.Reminder) -> ReminderNote:
    return ReminderNote(one.id, one.text, one.local, one.due, one.recurrence)


def _reminder_line(one: ReminderNote) -> str:
    again = f", {one.recurrence}" if one.recurrence is not None else ""
    due = ", due" if one.due else ""
    return fence.one_line(f"[{one.id}] ({one.at}{again}{due}) {one.text}")
