"""The single list of methods: dispatch, command line help, schema, types, docs and vectors come from it."""

from __future__ import annotations

from typing import Literal

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
    reminders,
    sessions,
    status,
)

Lane = Literal["read", "write", "slow"]


class Method(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table.

    `lane` is the execution policy: requests of the `write` lane run one after another in the order received;
    a `read` starts after the writes received before it have ended, and never waits for another read; `slow`
    work runs apart and delays neither. `sender` says who sends it; a row without `result` is a notification.
    """

    name: str
    params: type[msgspec.Struct]
    result: type[msgspec.Struct] | None = None
    lane: Lane = "read"
    sender: Literal["client", "sidecar"] = "client"
    summary: str

    @property
    def handler(self) -> str:
        """The engine's method for this row: `memory/didChange` → `memory_did_change`."""
        out = []
        for char in self.name.replace("/", "_"):
            out.append(f"_{char.lower()}" if char.isupper() else char)
        return "".join(out)


_ROWS = (
    Method(
        name="memory/record",
        params=memories.RecordParams,
        result=memories.RecordResult,
        lane="write",
        summary="Store one memory; answers the stored memory and whether it was created, merged or known.",
    ),
    Method(
        name="memory/inject",
        params=memories.InjectParams,
        result=memories.InjectResult,
        summary="The block of memories and briefings to put in front of an agent, inside a token budget.",
    ),
    Method(
        name="memory/explain",
        params=memories.ExplainParams,
        result=memories.ExplainResult,
        summary="How likely a memory bears on a prompt, what speaks for it, and what would change it.",
    ),
    Method(
        name="memory/search",
        params=memories.SearchParams,
        result=memories.SearchResult,
        summary="Find memories by text, with filters.",
    ),
    Method(
        name="memory/get",
        params=memories.IdParams,
        result=memories.Memory,
        summary="One memory, whatever its status.",
    ),
    Method(
        name="memory/list",
        params=memories.ListParams,
        result=memories.ListResult,
        summary="Memories by filter, newest first.",
    ),
    Method(
        name="memory/update",
        params=memories.UpdateParams,
        result=memories.UpdateResult,
        lane="write",
        summary="Change fields of a memory; the earlier version is kept.",
    ),
    Method(
        name="memory/archive",
        params=memories.IdParams,
        result=memories.Memory,
        lane="write",
        summary="Take a memory out of retrieval without losing it.",
    ),
    Method(
        name="memory/restore",
        params=memories.IdParams,
        result=memories.Memory,
        lane="write",
        summary="Bring an archived memory back.",
    ),
    Method(
        name="memory/delete",
        params=memories.DeleteParams,
        result=memories.DeleteResult,
        lane="write",
        summary="Forget a memory; its history stays for undo unless purged.",
    ),
    Method(
        name="memory/history",
        params=memories.IdParams,
        result=memories.HistoryResult,
        summary="The versions of a memory, newest first.",
    ),
    Method(
        name="memory/undo",
        params=memories.IdParams,
        result=memories.Memory,
        lane="write",
        summary="Step a memory back to the version before its last change; again steps further back.",
    ),
    Method(
        name="memory/candidates",
        params=candidates.CandidatesParams,
        result=candidates.CandidatesResult,
        summary="What may become a memory, each with the words or commands that it rests on.",
    ),
    Method(
        name="memory/confirm",
        params=candidates.ConfirmParams,
        result=memories.RecordResult,
        lane="write",
        summary="Make a memory of a candidate, as it is or reworded.",
    ),
    Method(
        name="memory/reject",
        params=candidates.RejectParams,
        result=candidates.Candidate,
        lane="write",
        summary="Drop a candidate; it is not proposed again.",
    ),
    Method(
        name="memory/link",
        params=links.LinkParams,
        result=links.LinkResult,
        lane="write",
        summary="Say how two memories belong together, or that they do not.",
    ),
    Method(
        name="memory/links",
        params=links.LinksParams,
        result=links.LinksResult,
        summary="The links of a memory, or of several.",
    ),
    Method(
        name="memory/verify",
        params=memories.IdParams,
        result=memories.Memory,
        lane="write",
        summary="Say that a memory still holds, although its files have changed.",
    ),
    Method(
        name="memory/promote",
        params=maintenance.PromoteParams,
        result=maintenance.PromoteResult,
        lane="write",
        summary="Give a memory a wider scope; one of its name there is merged with it.",
    ),
    Method(
        name="memory/resolve",
        params=memories.IdParams,
        result=memories.Memory,
        lane="write",
        summary="Say that a blocker blocks no more.",
    ),
    Method(
        name="memory/reopen",
        params=memories.IdParams,
        result=memories.Memory,
        lane="write",
        summary="Say that a resolved blocker blocks again.",
    ),
    Method(
        name="memory/maintain",
        params=maintenance.MaintainParams,
        result=maintenance.MaintainResult,
        lane="slow",
        summary="Merge duplicates, let the unused fade, archive, promote, propose merges; or show what would be done.",
    ),
    Method(
        name="memory/export",
        params=exchange.ExportParams,
        result=exchange.ExportResult,
        lane="slow",
        summary="Memories with their versions and links as JSON Lines that restore exactly, page by page.",
    ),
    Method(
        name="memory/import",
        params=exchange.ImportParams,
        result=exchange.ImportResult,
        lane="slow",
        summary="Take in the memories of an export or of another tool's files: all of them, or none.",
    ),
    Method(
        name="memory/bootstrap",
        params=exchange.BootstrapParams,
        result=exchange.BootstrapResult,
        lane="slow",
        summary="Record first facts of the project from its README, manifests and CI files; again adds nothing.",
    ),
    Method(
        name="file/summary",
        params=files.SummaryParams,
        result=files.SummaryResult,
        summary="The briefing of a file, for the bytes that are on disk now.",
    ),
    Method(
        name="session/start",
        params=sessions.StartParams,
        result=sessions.Session,
        lane="write",
        summary="Begin a session, or take an ended or expired one up again.",
    ),
    Method(
        name="session/heartbeat",
        params=sessions.HeartbeatParams,
        result=sessions.Session,
        lane="write",
        summary="Say that a session is still there.",
    ),
    Method(
        name="session/end",
        params=sessions.EndParams,
        result=sessions.Session,
        lane="write",
        summary="End a session; what it learned is stored before the answer, its summary kept as a memory.",
    ),
    Method(
        name="session/list",
        params=sessions.ListSessionsParams,
        result=sessions.ListSessionsResult,
        summary="Who works here now, and on what.",
    ),
    Method(
        name="session/claim",
        params=sessions.ClaimParams,
        result=sessions.ClaimResult,
        lane="write",
        summary="Take an item for one session alone, until it gives it back, ends or expires.",
    ),
    Method(
        name="session/release",
        params=sessions.ClaimParams,
        result=sessions.ReleaseResult,
        lane="write",
        summary="Give a claimed item back.",
    ),
    Method(
        name="reminder/set",
        params=reminders.SetReminderParams,
        result=reminders.SetReminderResult,
        lane="write",
        summary="Keep a reminder for a time, once or again and again.",
    ),
    Method(
        name="reminder/clear",
        params=reminders.ReminderParams,
        result=reminders.Reminder,
        lane="write",
        summary="A reminder is done with, with all its recurrences.",
    ),
    Method(
        name="reminder/advance",
        params=reminders.ReminderParams,
        result=reminders.Reminder,
        lane="write",
        summary="On to a reminder's next occurrence; one that does not recur is cleared.",
    ),
    Method(
        name="reminder/list",
        params=reminders.ListRemindersParams,
        result=reminders.ListRemindersResult,
        summary="Reminders, by the time at which they are due.",
    ),
    Method(
        name="context/boot",
        params=context.BootParams,
        result=context.BootResult,
        summary="What to know at the start of a session: directives, blockers, reminders, who works on what.",
    ),
    Method(
        name="context/entity",
        params=context.EntityParams,
        result=context.EntityResult,
        summary="The memories that name an issue, merge request, epic, user, URL, file or symbol, exactly.",
    ),
    Method(
        name="context/close",
        params=context.CloseParams,
        result=context.CloseResult,
        lane="write",
        summary="Say that an issue or merge request is closed: the blockers that name only it are resolved.",
    ),
    Method(
        name="event/toolCall",
        params=events.ToolCallParams,
        lane="write",
        summary="A tool is about to be used.",
    ),
    Method(
        name="event/toolResult",
        params=events.ToolResultParams,
        lane="write",
        summary="A tool was used: what it printed and how it ended.",
    ),
    Method(
        name="event/userMessage",
        params=events.UserMessageParams,
        lane="write",
        summary="The user said something.",
    ),
    Method(
        name="event/reasoning",
        params=events.ReasoningParams,
        lane="write",
        summary="The agent thought or said something.",
    ),
    Method(
        name="event/compaction",
        params=events.CompactionParams,
        lane="write",
        summary="The agent summed up its context.",
    ),
    Method(
        name="file/recordRead",
        params=files.RecordReadParams,
        result=files.RecordReadResult,
        lane="write",
        summary="An agent has read a file: what it thinks next may be about it.",
    ),
    Method(
        name="file/observe",
        params=files.ObserveParams,
        result=files.ObserveResult,
        lane="write",
        summary="Take durable facts about files from what an agent thought; what is refused says why.",
    ),
    Method(
        name="file/handoff",
        params=files.HandoffParams,
        result=files.HandoffResult,
        summary="The last files of a session in a line each, for a sub-agent.",
    ),
    Method(
        name="file/search",
        params=files.FileSearchParams,
        result=files.FileSearchResult,
        lane="slow",
        summary="The files that a text is about, by what they say and by what similar commits touched.",
    ),
    Method(
        name="workspace/repoMap",
        params=files.RepoMapParams,
        result=files.RepoMapResult,
        lane="slow",
        summary="The repository's files and key symbols, most important first, inside a token budget.",
    ),
    Method(
        name="sidecar/status",
        params=status.StatusParams,
        result=status.StatusResult,
        summary="Health, sizes, queues and hit rates.",
    ),
    Method(
        name="sidecar/metrics",
        params=metrics.MetricsParams,
        result=metrics.MetricsResult,
        lane="slow",
        summary="Figures of this process and its stores in the text format of Prometheus.",
    ),
    Method(
        name="hooks/verify",
        params=hooks.VerifyHooksParams,
        result=hooks.VerifyHooksResult,
        lane="slow",
        summary="Hook scripts that are configured and cannot run, or that nothing is configured to run.",
    ),
    Method(
        name="hooks/run",
        params=hooks.RunHooksParams,
        result=hooks.RunHooksResult,
        lane="slow",
        summary="Run the hooks that match an event and a tool, in order, up to the first that blocks.",
    ),
    Method(
        name="memory/didChange",
        params=memories.DidChangeMemories,
        sender="sidecar",
        summary="Memories changed.",
    ),
    Method(
        name="file/didInvalidate",
        params=files.DidInvalidateFiles,
        sender="sidecar",
        summary="Remembered files changed on disk.",
    ),
)

METHODS: dict[str, Method] = {row.name: row for row in _ROWS}
