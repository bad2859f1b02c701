"""Tools about sessions and reminders."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from protocol import reminders, sessions
from protocol.wire import Params
from sidecar.mcp.answers import ToolAnswer, without_none
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


class ReminderArguments(Params, frozen=True):
    action: Literal["set", "list", "clear"]
    text: Text | None = None
    at: Annotated[str, Meta(description="+2h, tomorrow 9am, next monday")] | None = None
    recurrence: reminders.Recurrence | None = None
    id: Annotated[Text, Meta(description="To clear.")] | None = None
    workspace: Workspace = None


@tool("change", "session/start", "session/claim", "session/release")
def session(call: ToolCall, args: SessionArguments, now: int) -> ToolAnswer:
    """Who else works here now and on what; say what you work on (start); claim an item so that no other agent
    takes it up, and release it; end with a summary for the next session.
    """
    own_id = call.session_id
    start_params = sessions.StartParams(session_id=own_id, working_on=args.working_on)
    if args.action in ("claim", "release"):
        if not args.item:
            raise InvalidField("No item is named.", path="$.item", hint="Name what to claim or release.")
        call.session_start(start_params)
        if args.action == "claim":
            claim = call.session_claim(sessions.ClaimParams(session_id=own_id, item=args.item))
            owned = f"Claimed: {args.item}." if claim.claimed else f"{args.item} is claimed by session {claim.owner}."
            text, data = owned, without_none(claimed=claim.claimed, owner=claim.owner)
        else:
            release = call.session_release(sessions.ClaimParams(session_id=own_id, item=args.item))
            text, data = _release_text(release), without_none(claimed=False, owner=release.owner)
        return ToolAnswer(fence.one_line(text), data)
    if args.action == "start":
        call.session_start(start_params)
    elif args.action == "end":
        call.session_start(sessions.StartParams(session_id=own_id))
        call.session_end(sessions.EndParams(session_id=own_id, summary=args.summary))
    others = call.session_list(sessions.ListSessionsParams()).items
    others = [other for other in others if other.session_id != own_id]
    texts = [f"{other.agent or 'agent'} {other.session_id}: {other.working_on or 'nothing said'}" for other in others]
    lines = [fence.item("", fence.one_line(text)) for text in texts]
    notes = [without_none(id=other.session_id, workingOn=other.working_on, agent=other.agent) for other in others]
    data = {"sessions": notes} if notes else {}
    return ToolAnswer(fence.enclose(*lines) if lines else "No other session is active here.", data)


def _release_text(result: sessions.ReleaseResult) -> str:
    if result.released:
        return f"Released: {result.item}."
    reason = f"session {result.owner} has it" if result.owner else "nobody had claimed it"
    return f"Not released: {result.item}; {reason}."


@tool("change", "reminder/set", "reminder/list", "reminder/clear")
def reminder(call: ToolCall, args: ReminderArguments, now: int) -> ToolAnswer:
    """Have a later session told of something when it is due: set, list, clear what is done."""
    if args.action == "list":
        notes = [reminder_note(note) for note in call.reminder_list(reminders.ListRemindersParams()).items]
        lines = [fence.item("", _reminder_line(note)) for note in notes]
        return ToolAnswer(fence.enclose(*lines) if lines else "No reminder waits.", {"reminders": notes})
    if args.action == "clear":
        if args.id is None:
            raise InvalidField("No reminder is named.", path="$.id", hint="List them to see their ids.")
        changed, verb = call.reminder_clear(reminders.ReminderParams(id=args.id)), "Cleared"
    else:
        fields = {"text": args.text, "at": args.at, "recurrence": args.recurrence, "sessionId": call.session_id}
        set: reminders.SetReminderResult = call.send("reminder/set", fields)
        changed, verb = set.reminder, "Set" if set.created else "Set already"
    note = reminder_note(changed)
    return ToolAnswer(f"{verb}:\n{fence.enclose(fence.item('', _reminder_line(note)))}", {"reminders": [note]})


def reminder_note(reminder: reminders.Reminder) -> dict[str, Any]:
    text = reminder.text if reminder.author is None else f"{reminder.text} (by {reminder.author})"
    due = reminder.due and reminder.delivered_to is None
    return without_none(id=reminder.id, text=text, at=reminder.local, due=due, recurrence=reminder.recurrence)


def _reminder_line(note: dict[str, Any]) -> str:
    again = f", {note['recurrence']}" if "recurrence" in note else ""
    due = ", due" if note["due"] else ""
    return fence.one_line(f"[{note['id']}] ({note['at']}{again}{due}) {note['text']}")
