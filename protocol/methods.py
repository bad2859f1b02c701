"""The single list of methods: dispatch, command line help, schema, types, docs and vectors come from it."""

from __future__ import annotations

from functools import partial
from typing import Literal, TypedDict, Unpack

import msgspec

from protocol import (
    candidates,
    context,
    events,
    exchange,
    files,
    hooks,
    links,
    maintenance,
    memories,
    metrics,
    notifications,
    reminders,
    sessions,
    stats,
    status,
    transcripts,
)
from protocol.method import Lane, Method

__all__ = ["METHODS", "Lane", "Method"]


class _Policy(TypedDict, total=False):
    """The fields of `Method` that few rows set."""

    workspace: Literal["none", "as is", "up to date"]
    memory_on: bool
    found_by: Literal["files", "path", "paths", "session_id"]
    shares_commit: bool
    askable: bool


def _row(
    lane: Lane,
    name: str,
    params: type[msgspec.Struct],
    result: type[msgspec.Struct] | None,
    summary: str,
    **policy: Unpack[_Policy],
) -> Method:
    return Method(name=name, params=params, result=result, lane=lane, summary=summary, **policy)


_read, _write, _slow = partial(_row, "read", askable=True), partial(_row, "write"), partial(_row, "slow")

_ON_AS_IS: _Policy = {"workspace": "as is", "memory_on": True}
_OF_A_SESSION: _Policy = {**_ON_AS_IS, "found_by": "session_id"}

_ROWS = (
    _write(
        "memory/record",
        memories.RecordParams,
        memories.RecordResult,
        "Store one memory; answers the stored memory and whether it was created, merged or known.",
        shares_commit=True,
        memory_on=True,
        found_by="files",
    ),
    _read(
        "memory/inject",
        memories.InjectParams,
        memories.InjectResult,
        "The block of memories and briefings to put in front of an agent, inside a token budget.",
        found_by="files",
    ),
    _read(
        "memory/explain",
        memories.ExplainParams,
        memories.ExplainResult,
        "How likely a memory bears on a prompt, what speaks for it, and what would change it.",
        memory_on=True,
    ),
    _read(
        "memory/search",
        memories.SearchParams,
        memories.SearchResult,
        "Find memories by text, with filters.",
        memory_on=True,
        found_by="files",
    ),
    _read("memory/get", memories.IdParams, memories.Memory, "One memory, whatever its status."),
    _read(
        "memory/list", memories.ListParams, memories.ListResult, "Memories by filter, newest first.", found_by="files"
    ),
    _write(
        "memory/update",
        memories.UpdateParams,
        memories.UpdateResult,
        "Change fields of a memory; the earlier version is kept.",
        memory_on=True,
        found_by="files",
    ),
    _write(
        "memory/archive", memories.ArchiveParams, memories.Memory, "Take a memory out of retrieval without losing it."
    ),
    _write(
        "memory/rate",
        memories.RateParams,
        memories.Memory,
        "Say whether a memory was of use, which moves its weight.",
        memory_on=True,
    ),
    _write("memory/restore", memories.IdParams, memories.Memory, "Bring an archived or deleted memory back."),
    _write(
        "memory/delete",
        memories.DeleteParams,
        memories.DeleteResult,
        "Forget a memory; its history stays for undo unless purged.",
    ),
    _read("memory/history", memories.IdParams, memories.HistoryResult, "The versions of a memory, newest first."),
    _write(
        "memory/undo",
        memories.IdParams,
        memories.Memory,
        "Take back all that a memory's last change did, in other scopes too; again steps further back.",
    ),
    _write("memory/redo", memories.IdParams, memories.Memory, "Do again what was undone last."),
    _read(
        "memory/candidates",
        candidates.CandidatesParams,
        candidates.CandidatesResult,
        "What may become a memory, each with the words or commands that it rests on.",
    ),
    _write(
        "memory/confirm",
        candidates.ConfirmParams,
        memories.RecordResult,
        "Make a memory of a candidate, as it is or reworded.",
        memory_on=True,
    ),
    _write(
        "memory/reject", candidates.RejectParams, candidates.Candidate, "Drop a candidate; it is not proposed again."
    ),
    _write(
        "memory/file",
        status.MemoryFileParams,
        status.MemoryFileStatus,
        "Bring MEMORY.md and memories in step; trust the repository, or say what becomes of what vanished.",
        memory_on=True,
    ),
    _write(
        "memory/link",
        links.LinkParams,
        links.LinkResult,
        "Say how two memories belong together, or that they do not.",
        memory_on=True,
    ),
    _read("memory/links", links.LinksParams, links.LinksResult, "The links of a memory, or of several."),
    _write(
        "memory/verify",
        memories.IdParams,
        memories.Memory,
        "Say that a memory still holds, although its files have changed.",
        memory_on=True,
    ),
    _write(
        "memory/promote",
        maintenance.PromoteParams,
        maintenance.PromoteResult,
        "Give a memory a wider scope; one of its name there is merged with it.",
        memory_on=True,
    ),
    _write("memory/resolve", memories.IdParams, memories.Memory, "Say that a blocker blocks no more."),
    _write("memory/reopen", memories.IdParams, memories.Memory, "Say that a resolved blocker blocks again."),
    _slow(
        "memory/maintain",
        maintenance.MaintainParams,
        maintenance.MaintainResult,
        "Merge duplicates, let the unused fade, archive, promote, propose merges; or show what would be done.",
        memory_on=True,
    ),
    _slow(
        "memory/stats", stats.StatsParams, stats.StatsResult, "What was learned, shown and found useful, week by week."
    ),
    _slow(
        "memory/export",
        exchange.ExportParams,
        exchange.ExportResult,
        "Memories with their versions and links as JSON Lines that restore exactly, page by page.",
        workspace="as is",
    ),
    _slow(
        "memory/import",
        exchange.ImportParams,
        exchange.ImportResult,
        "Take in the memories of an export or of another tool's files: all of them, or none.",
        **_ON_AS_IS,
    ),
    _slow(
        "memory/bootstrap",
        exchange.BootstrapParams,
        exchange.BootstrapResult,
        "Record first facts of the project from its README, manifests and CI files; again adds nothing.",
        memory_on=True,
    ),
    _read(
        "file/summary",
        files.SummaryParams,
        files.SummaryResult,
        "The briefing of a file, for the bytes that are on disk now.",
        workspace="as is",
        found_by="path",
    ),
    _write(
        "session/start",
        sessions.StartParams,
        sessions.Session,
        "Begin a session, or take an ended or expired one up again.",
        **_OF_A_SESSION,
    ),
    _write(
        "session/heartbeat",
        sessions.HeartbeatParams,
        sessions.Session,
        "Say that a session is still there.",
        **_OF_A_SESSION,
    ),
    _write(
        "session/end",
        sessions.EndParams,
        sessions.Session,
        "End a session; what it learned is stored before the answer, its summary kept as a memory.",
        **_OF_A_SESSION,
    ),
    _read(
        "session/list",
        sessions.ListSessionsParams,
        sessions.ListSessionsResult,
        "Who works here now, and on what.",
        **_ON_AS_IS,
    ),
    _write(
        "session/claim",
        sessions.ClaimParams,
        sessions.ClaimResult,
        "Take an item for one session alone, until it gives it back, ends or expires.",
        **_OF_A_SESSION,
    ),
    _write(
        "session/release", sessions.ClaimParams, sessions.ReleaseResult, "Give a claimed item back.", **_OF_A_SESSION
    ),
    _slow(
        "session/import",
        transcripts.ImportSessionsParams,
        transcripts.ImportSessionsResult,
        "Learn from this project's sessions that agents kept on this machine; again reads only what is new.",
        memory_on=True,
    ),
    _write(
        "reminder/set",
        reminders.SetReminderParams,
        reminders.SetReminderResult,
        "Keep a reminder for a time, once or again and again.",
        **_ON_AS_IS,
    ),
    _write(
        "reminder/clear",
        reminders.ReminderParams,
        reminders.Reminder,
        "End a reminder, with all its recurrences.",
        **_ON_AS_IS,
    ),
    _write(
        "reminder/advance",
        reminders.ReminderParams,
        reminders.Reminder,
        "Move a reminder to its next occurrence; one that does not recur is cleared.",
        **_ON_AS_IS,
    ),
    _read(
        "reminder/list",
        reminders.ListRemindersParams,
        reminders.ListRemindersResult,
        "List reminders by the time at which they are due.",
        **_ON_AS_IS,
    ),
    _read(
        "context/boot",
        context.BootParams,
        context.BootResult,
        "What to know at the start of a session: directives, blockers, reminders, who works on what.",
    ),
    _read(
        "context/entity",
        context.EntityParams,
        context.EntityResult,
        "The memories that name an issue, merge request, epic, user, URL, file or symbol, exactly.",
        memory_on=True,
    ),
    _write(
        "context/close",
        context.CloseParams,
        context.CloseResult,
        "Say that an issue or merge request is closed: the blockers that name only it are resolved.",
        memory_on=True,
    ),
    _write("event/toolCall", events.ToolCallParams, None, "A tool is about to be used.", workspace="none"),
    _write(
        "event/toolResult",
        events.ToolResultParams,
        None,
        "A tool was used: what it printed and how it ended.",
        workspace="none",
    ),
    _write("event/userMessage", events.UserMessageParams, None, "The user said something.", workspace="none"),
    _write("event/reasoning", events.ReasoningParams, None, "The agent thought or said something.", workspace="none"),
    _write("event/compaction", events.CompactionParams, None, "The agent summed up its context.", workspace="none"),
    _write(
        "file/recordRead",
        files.RecordReadParams,
        files.RecordReadResult,
        "An agent has read a file: what it says next may be about it.",
        workspace="as is",
        found_by="path",
    ),
    _write(
        "file/observe",
        files.ObserveParams,
        files.ObserveResult,
        "Keep durable facts that somebody says of files; what is refused says why.",
        workspace="as is",
        memory_on=True,
        found_by="paths",
    ),
    _read(
        "file/handoff",
        files.HandoffParams,
        files.HandoffResult,
        "The last files of a session in a line each, for a sub-agent.",
        workspace="as is",
        askable=False,  # only an agent that is connected hands off
    ),
    _slow(
        "file/search",
        files.FileSearchParams,
        files.FileSearchResult,
        "The files that a text is about, by what they say and by what similar commits touched.",
        **_ON_AS_IS,
    ),
    _slow(
        "workspace/repoMap",
        files.RepoMapParams,
        files.RepoMapResult,
        "The repository's files and key symbols, most important first, inside a token budget.",
        workspace="as is",
        memory_on=True,
        found_by="files",
    ),
    _read(
        "sidecar/status",
        status.StatusParams,
        status.StatusResult,
        "Health, sizes, queues and hit rates.",
        workspace="none",
        askable=False,  # it describes the process that answers
    ),
    _slow(
        "sidecar/metrics",
        metrics.MetricsParams,
        metrics.MetricsResult,
        "Figures of this process and its stores in the text format of Prometheus.",
        workspace="none",
    ),
    _slow(
        "hooks/verify",
        hooks.VerifyHooksParams,
        hooks.VerifyHooksResult,
        "Hook scripts that are configured and cannot run, or that nothing is configured to run.",
        workspace="none",
    ),
    _slow(
        "hooks/run",
        hooks.RunHooksParams,
        hooks.RunHooksResult,
        "Run the hooks that match an event and a tool, in order, up to the first that blocks.",
        workspace="none",
    ),
    *notifications.ROWS,
)

METHODS: dict[str, Method] = {row.name: row for row in _ROWS}
