"""The single list of methods. Dispatch, command line help, schema, types, docs and vectors come from it."""

from __future__ import annotations

from functools import partial
from typing import Literal, TypedDict, Unpack

import msgspec

from protocol import (
    candidates,
    context,
    events,
    files,
    hooks,
    interchange,
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
    """The fields of `Method` that few methods set."""

    workspace: Literal["none", "as is", "up to date"]
    memory_on: bool
    groups_commits: bool
    askable: bool
    paths_in: Literal["files", "path", "paths"]


def _method(
    lane: Lane,
    name: str,
    params: type[msgspec.Struct],
    result: type[msgspec.Struct] | None,
    summary: str,
    **policy: Unpack[_Policy],
) -> Method:
    return Method(name=name, params=params, result=result, lane=lane, summary=summary, **policy)


_read, _write, _slow = partial(_method, "read", askable=True), partial(_method, "write"), partial(_method, "slow")

_ON_AS_IS: _Policy = {"workspace": "as is", "memory_on": True}


_ALL = (
    _write(
        "memory/record",
        memories.RecordParams,
        memories.RecordResult,
        "Store a memory; return it and whether it was created, merged or already known.",
        groups_commits=True,
        memory_on=True,
        paths_in="files",
    ),
    _read(
        "memory/inject",
        memories.InjectParams,
        memories.InjectResult,
        "Return the block of memories and briefings to put in front of an agent, within a token budget.",
        paths_in="files",
    ),
    _read(
        "memory/explain",
        memories.ExplainParams,
        memories.ExplainResult,
        "Say how likely a memory is relevant to a prompt, which evidence counts, and what would change that.",
        memory_on=True,
    ),
    _read(
        "memory/search",
        memories.SearchParams,
        memories.SearchResult,
        "Find memories by text, with filters.",
        memory_on=True,
        paths_in="files",
    ),
    _read("memory/get", memories.IdParams, memories.Memory, "Return one memory, whatever its status."),
    _read(
        "memory/list",
        memories.ListParams,
        memories.ListResult,
        "List the memories that pass the filters, newest first.",
        paths_in="files",
    ),
    _write(
        "memory/update",
        memories.UpdateParams,
        memories.UpdateResult,
        "Change fields of a memory; its earlier version is kept.",
        memory_on=True,
        paths_in="files",
    ),
    _write("memory/archive", memories.ArchiveParams, memories.Memory, "Hide a memory from retrieval; it is not lost."),
    _write(
        "memory/rate",
        memories.RateParams,
        memories.Memory,
        "Record whether a memory helped; this changes its weight.",
        memory_on=True,
    ),
    _write("memory/restore", memories.IdParams, memories.Memory, "Restore an archived or deleted memory."),
    _write(
        "memory/delete",
        memories.DeleteParams,
        memories.DeleteResult,
        "Delete a memory; its history stays for undo unless it is purged.",
    ),
    _read("memory/history", memories.IdParams, memories.HistoryResult, "List the versions of a memory, newest first."),
    _write(
        "memory/undo",
        memories.IdParams,
        memories.Memory,
        "Undo a memory's last change, with its effects in other scopes; repeat it to go further back.",
    ),
    _write("memory/redo", memories.IdParams, memories.Memory, "Redo the change that was undone last."),
    _read(
        "memory/candidates",
        candidates.CandidatesParams,
        candidates.CandidatesResult,
        "List what may become a memory, each with the words or commands that support it.",
    ),
    _write(
        "memory/confirm",
        candidates.ConfirmParams,
        memories.RecordResult,
        "Turn a candidate into a memory, as it is or reworded.",
        memory_on=True,
    ),
    _write("memory/reject", candidates.RejectParams, candidates.Candidate, "Reject a candidate for good."),
    _write(
        "memory/file",
        status.MemoryFileParams,
        status.MemoryFileStatus,
        "Synchronise MEMORY.md and memories; trust the repository, or decide what becomes of vanished entries.",
        memory_on=True,
    ),
    _write(
        "memory/link", links.LinkParams, links.LinkResult, "Link two memories, or remove their link.", memory_on=True
    ),
    _read("memory/links", links.LinksParams, links.LinksResult, "List the links of one or several memories."),
    _write(
        "memory/verify",
        memories.IdParams,
        memories.Memory,
        "Confirm that a memory still holds although its files have changed.",
        memory_on=True,
    ),
    _write(
        "memory/promote",
        maintenance.PromoteParams,
        maintenance.PromoteResult,
        "Give a memory a wider scope, and merge it with a memory of the same name there.",
        memory_on=True,
    ),
    _write("memory/resolve", memories.IdParams, memories.Memory, "Mark a blocker as resolved."),
    _write("memory/reopen", memories.IdParams, memories.Memory, "Mark a resolved blocker as blocking again."),
    _slow(
        "memory/maintain",
        maintenance.MaintainParams,
        maintenance.MaintainResult,
        "Merge duplicates, fade and archive what is unused, promote, propose merges; or preview all this.",
        memory_on=True,
    ),
    _slow(
        "memory/stats", stats.StatsParams, stats.StatsResult, "Count what was learned, shown and useful, week by week."
    ),
    _slow(
        "memory/export",
        interchange.ExportParams,
        interchange.ExportResult,
        "Export memories with their versions and links as JSON Lines that restore exactly, page by page.",
        workspace="as is",
    ),
    _slow(
        "memory/import",
        interchange.ImportParams,
        interchange.ImportResult,
        "Import the memories of an export or of another tool's files: all of them, or none.",
        **_ON_AS_IS,
    ),
    _slow(
        "memory/bootstrap",
        interchange.BootstrapParams,
        interchange.BootstrapResult,
        "Record first facts of the project from its README, manifests and CI files; repeating it adds nothing.",
        memory_on=True,
    ),
    _read(
        "file/summary",
        files.SummaryParams,
        files.SummaryResult,
        "Return the briefing of a file as it is on disk now.",
        workspace="as is",
        paths_in="path",
    ),
    _write(
        "session/start",
        sessions.StartParams,
        sessions.Session,
        "Start a session, or resume an ended or expired one.",
        **_ON_AS_IS,
    ),
    _write(
        "session/heartbeat",
        sessions.HeartbeatParams,
        sessions.Session,
        "Report that a session is still running.",
        **_ON_AS_IS,
    ),
    _write(
        "session/end",
        sessions.EndParams,
        sessions.Session,
        "End a session, after storing what it taught and, as a memory, its summary.",
        **_ON_AS_IS,
    ),
    _read(
        "session/list",
        sessions.ListSessionsParams,
        sessions.ListSessionsResult,
        "List who works here now, and on what.",
        **_ON_AS_IS,
    ),
    _write(
        "session/claim",
        sessions.ClaimParams,
        sessions.ClaimResult,
        "Claim an item for one session, until that releases it, ends or expires.",
        **_ON_AS_IS,
    ),
    _write("session/release", sessions.ClaimParams, sessions.ReleaseResult, "Release a claimed item.", **_ON_AS_IS),
    _slow(
        "session/import",
        transcripts.ImportSessionsParams,
        transcripts.ImportSessionsResult,
        "Learn from this project's sessions that agents keep on this machine; repeating it reads only what is new.",
        memory_on=True,
    ),
    _write(
        "reminder/set",
        reminders.SetReminderParams,
        reminders.SetReminderResult,
        "Set a reminder for a time, once or recurring.",
        **_ON_AS_IS,
    ),
    _write(
        "reminder/clear",
        reminders.ReminderParams,
        reminders.Reminder,
        "Clear a reminder and all its recurrences.",
        **_ON_AS_IS,
    ),
    _write(
        "reminder/advance",
        reminders.ReminderParams,
        reminders.Reminder,
        "Move a reminder to its next occurrence, or clear it if it does not recur.",
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
        "Return what to know at the start of a session: directives, blockers, reminders, who works on what.",
    ),
    _read(
        "context/entity",
        context.EntityParams,
        context.EntityResult,
        "Return the memories that name exactly this issue, merge request, epic, user, URL, file or symbol.",
        memory_on=True,
    ),
    _write(
        "context/close",
        context.CloseParams,
        context.CloseResult,
        "Report that an issue or merge request is closed; this resolves the blockers that name nothing else.",
        memory_on=True,
    ),
    _write("event/toolCall", events.ToolCallParams, None, "Report that a tool is about to be used.", workspace="none"),
    _write(
        "event/toolResult",
        events.ToolResultParams,
        None,
        "Report that a tool was used, what it printed and how it ended.",
        workspace="none",
    ),
    _write("event/userMessage", events.UserMessageParams, None, "Report what the user said.", workspace="none"),
    _write("event/reasoning", events.ReasoningParams, None, "Report what the agent thought or said.", workspace="none"),
    _write(
        "event/compaction", events.CompactionParams, None, "Report an agent's summary of its context.", workspace="none"
    ),
    _write(
        "file/recordRead",
        files.RecordReadParams,
        files.RecordReadResult,
        "Report that an agent has read a file, which its next words may be about.",
        workspace="as is",
        paths_in="path",
    ),
    _write(
        "file/observe",
        files.ObserveParams,
        files.ObserveResult,
        "Store durable facts about files; the result says why others were refused.",
        workspace="as is",
        memory_on=True,
        paths_in="paths",
    ),
    _read(
        "file/handoff",
        files.HandoffParams,
        files.HandoffResult,
        "Return a session's last files in a line each, for a sub-agent.",
        workspace="as is",
        askable=False,  # only an agent that is connected hands off
    ),
    _slow(
        "file/search",
        files.FileSearchParams,
        files.FileSearchResult,
        "Find the files that a text is about, by their content and by what similar commits touched.",
        **_ON_AS_IS,
    ),
    _slow(
        "workspace/repoMap",
        files.RepoMapParams,
        files.RepoMapResult,
        "Return the repository's files and key symbols, most important first, within a token budget.",
        workspace="as is",
        memory_on=True,
        paths_in="files",
    ),
    _read(
        "sidecar/status",
        status.StatusParams,
        status.StatusResult,
        "Return health, sizes, queues and hit rates.",
        workspace="none",
        askable=False,  # it describes the process that answers
    ),
    _slow(
        "sidecar/metrics",
        metrics.MetricsParams,
        metrics.MetricsResult,
        "Return figures of this process and its stores in the text format of Prometheus.",
        workspace="none",
    ),
    _slow(
        "hooks/verify",
        hooks.VerifyHooksParams,
        hooks.VerifyHooksResult,
        "List hook scripts that are configured but cannot run, or that nothing is configured to run.",
        workspace="none",
    ),
    _slow(
        "hooks/run",
        hooks.RunHooksParams,
        hooks.RunHooksResult,
        "Run the hooks that match an event and a tool, in order, up to the first that blocks.",
        workspace="none",
    ),
    *notifications.METHODS,
)

METHODS: dict[str, Method] = {method.name: method for method in _ALL}
