"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

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
    reminders,
    sessions,
    stats,
    status,
    transcripts,
)
from protocol.method import answer_of


class Calls(ABC):
    """One method for each request and notification that a client sends."""

    @abstractmethod
    def request(self, method: str, params: object) -> Any: ...

    def notify(self, method: str, params: object) -> None:
        self.request(method, params)

    def memory_record(self, params: memories.RecordParams) -> memories.RecordResult:
        """Store a memory; return it and whether it was created, merged or already known."""
        return answer_of(memories.RecordResult, self.request, "memory/record", params)

    def memory_inject(self, params: memories.InjectParams) -> memories.InjectResult:
        """Return the block of memories and briefings to put in front of an agent, within a token budget."""
        return answer_of(memories.InjectResult, self.request, "memory/inject", params)

    def memory_explain(self, params: memories.ExplainParams) -> memories.ExplainResult:
        """Say how likely a memory is relevant to a prompt, which evidence counts, and what would change that."""
        return answer_of(memories.ExplainResult, self.request, "memory/explain", params)

    def memory_search(self, params: memories.SearchParams) -> memories.SearchResult:
        """Find memories by text, with filters."""
        return answer_of(memories.SearchResult, self.request, "memory/search", params)

    def memory_get(self, params: memories.IdParams) -> memories.Memory:
        """Return one memory, whatever its status."""
        return answer_of(memories.Memory, self.request, "memory/get", params)

    def memory_list(self, params: memories.ListParams) -> memories.ListResult:
        """List the memories that pass the filters, newest first."""
        return answer_of(memories.ListResult, self.request, "memory/list", params)

    def memory_update(self, params: memories.UpdateParams) -> memories.UpdateResult:
        """Change fields of a memory; its earlier version is kept."""
        return answer_of(memories.UpdateResult, self.request, "memory/update", params)

    def memory_archive(self, params: memories.ArchiveParams) -> memories.Memory:
        """Hide a memory from retrieval; it is not lost."""
        return answer_of(memories.Memory, self.request, "memory/archive", params)

    def memory_rate(self, params: memories.RateParams) -> memories.Memory:
        """Record whether a memory helped; this changes its weight."""
        return answer_of(memories.Memory, self.request, "memory/rate", params)

    def memory_restore(self, params: memories.IdParams) -> memories.Memory:
        """Restore an archived or deleted memory."""
        return answer_of(memories.Memory, self.request, "memory/restore", params)

    def memory_delete(self, params: memories.DeleteParams) -> memories.DeleteResult:
        """Delete a memory; its history stays for undo unless it is purged."""
        return answer_of(memories.DeleteResult, self.request, "memory/delete", params)

    def memory_history(self, params: memories.IdParams) -> memories.HistoryResult:
        """List the versions of a memory, newest first."""
        return answer_of(memories.HistoryResult, self.request, "memory/history", params)

    def memory_undo(self, params: memories.IdParams) -> memories.Memory:
        """Undo a memory's last change, with its effects in other scopes; repeat it to go further back."""
        return answer_of(memories.Memory, self.request, "memory/undo", params)

    def memory_redo(self, params: memories.IdParams) -> memories.Memory:
        """Redo the change that was undone last."""
        return answer_of(memories.Memory, self.request, "memory/redo", params)

    def memory_candidates(self, params: candidates.CandidatesParams) -> candidates.CandidatesResult:
        """List what may become a memory, each with the words or commands that support it."""
        return answer_of(candidates.CandidatesResult, self.request, "memory/candidates", params)

    def memory_confirm(self, params: candidates.ConfirmParams) -> memories.RecordResult:
        """Turn a candidate into a memory, as it is or reworded."""
        return answer_of(memories.RecordResult, self.request, "memory/confirm", params)

    def memory_reject(self, params: candidates.RejectParams) -> candidates.Candidate:
        """Reject a candidate for good."""
        return answer_of(candidates.Candidate, self.request, "memory/reject", params)

    def memory_file(self, params: status.MemoryFileParams) -> status.MemoryFileStatus:
        """Synchronise MEMORY.md and memories; trust the repository, or decide what becomes of vanished entries."""
        return answer_of(status.MemoryFileStatus, self.request, "memory/file", params)

    def memory_link(self, params: links.LinkParams) -> links.LinkResult:
        """Link two memories, or remove their link."""
        return answer_of(links.LinkResult, self.request, "memory/link", params)

    def memory_links(self, params: links.LinksParams) -> links.LinksResult:
        """List the links of one or several memories."""
        return answer_of(links.LinksResult, self.request, "memory/links", params)

    def memory_verify(self, params: memories.IdParams) -> memories.Memory:
        """Confirm that a memory still holds although its files have changed."""
        return answer_of(memories.Memory, self.request, "memory/verify", params)

    def memory_promote(self, params: maintenance.PromoteParams) -> maintenance.PromoteResult:
        """Give a memory a wider scope, and merge it with a memory of the same name there."""
        return answer_of(maintenance.PromoteResult, self.request, "memory/promote", params)

    def memory_resolve(self, params: memories.IdParams) -> memories.Memory:
        """Mark a blocker as resolved."""
        return answer_of(memories.Memory, self.request, "memory/resolve", params)

    def memory_reopen(self, params: memories.IdParams) -> memories.Memory:
        """Mark a resolved blocker as blocking again."""
        return answer_of(memories.Memory, self.request, "memory/reopen", params)

    def memory_maintain(self, params: maintenance.MaintainParams) -> maintenance.MaintainResult:
        """Merge duplicates, fade and archive what is unused, promote, propose merges; or preview all this."""
        return answer_of(maintenance.MaintainResult, self.request, "memory/maintain", params)

    def memory_stats(self, params: stats.StatsParams) -> stats.StatsResult:
        """Count what was learned, shown and useful, week by week."""
        return answer_of(stats.StatsResult, self.request, "memory/stats", params)

    def memory_export(self, params: interchange.ExportParams) -> interchange.ExportResult:
        """Export memories with their versions and links as JSON Lines that restore exactly, page by page."""
        return answer_of(interchange.ExportResult, self.request, "memory/export", params)

    def memory_import(self, params: interchange.ImportParams) -> interchange.ImportResult:
        """Import the memories of an export or of another tool's files: all of them, or none."""
        return answer_of(interchange.ImportResult, self.request, "memory/import", params)

    def memory_bootstrap(self, params: interchange.BootstrapParams) -> interchange.BootstrapResult:
        """Record first facts of the project from its README, manifests and CI files; repeating it adds nothing."""
        return answer_of(interchange.BootstrapResult, self.request, "memory/bootstrap", params)

    def file_summary(self, params: files.SummaryParams) -> files.SummaryResult:
        """Return the briefing of a file as it is on disk now."""
        return answer_of(files.SummaryResult, self.request, "file/summary", params)

    def session_start(self, params: sessions.StartParams) -> sessions.Session:
        """Start a session, or resume an ended or expired one."""
        return answer_of(sessions.Session, self.request, "session/start", params)

    def session_heartbeat(self, params: sessions.HeartbeatParams) -> sessions.Session:
        """Report that a session is still running."""
        return answer_of(sessions.Session, self.request, "session/heartbeat", params)

    def session_end(self, params: sessions.EndParams) -> sessions.Session:
        """End a session, after storing what it taught and, as a memory, its summary."""
        return answer_of(sessions.Session, self.request, "session/end", params)

    def session_list(self, params: sessions.ListSessionsParams) -> sessions.ListSessionsResult:
        """List who works here now, and on what."""
        return answer_of(sessions.ListSessionsResult, self.request, "session/list", params)

    def session_claim(self, params: sessions.ClaimParams) -> sessions.ClaimResult:
        """Claim an item for one session, until that releases it, ends or expires."""
        return answer_of(sessions.ClaimResult, self.request, "session/claim", params)

    def session_release(self, params: sessions.ClaimParams) -> sessions.ReleaseResult:
        """Release a claimed item."""
        return answer_of(sessions.ReleaseResult, self.request, "session/release", params)

    def session_import(self, params: transcripts.ImportSessionsParams) -> transcripts.ImportSessionsResult:
        """Learn from this project's sessions that agents keep on this machine; repeating it reads only what is new."""
        return answer_of(transcripts.ImportSessionsResult, self.request, "session/import", params)

    def reminder_set(self, params: reminders.SetReminderParams) -> reminders.SetReminderResult:
        """Set a reminder for a time, once or recurring."""
        return answer_of(reminders.SetReminderResult, self.request, "reminder/set", params)

    def reminder_clear(self, params: reminders.ReminderParams) -> reminders.Reminder:
        """Clear a reminder and all its recurrences."""
        return answer_of(reminders.Reminder, self.request, "reminder/clear", params)

    def reminder_advance(self, params: reminders.ReminderParams) -> reminders.Reminder:
        """Move a reminder to its next occurrence, or clear it if it does not recur."""
        return answer_of(reminders.Reminder, self.request, "reminder/advance", params)

    def reminder_list(self, params: reminders.ListRemindersParams) -> reminders.ListRemindersResult:
        """List reminders by the time at which they are due."""
        return answer_of(reminders.ListRemindersResult, self.request, "reminder/list", params)

    def context_boot(self, params: context.BootParams) -> context.BootResult:
        """Return what to know at the start of a session: directives, blockers, reminders, who works on what."""
        return answer_of(context.BootResult, self.request, "context/boot", params)

    def context_entity(self, params: context.EntityParams) -> context.EntityResult:
        """Return the memories that name exactly this issue, merge request, epic, user, URL, file or symbol."""
        return answer_of(context.EntityResult, self.request, "context/entity", params)

    def context_close(self, params: context.CloseParams) -> context.CloseResult:
        """Report that an issue or merge request is closed; this resolves the blockers that name nothing else."""
        return answer_of(context.CloseResult, self.request, "context/close", params)

    def event_tool_call(self, params: events.ToolCallParams) -> None:
        """Report that a tool is about to be used."""
        self.notify("event/toolCall", params)

    def event_tool_result(self, params: events.ToolResultParams) -> None:
        """Report that a tool was used, what it printed and how it ended."""
        self.notify("event/toolResult", params)

    def event_user_message(self, params: events.UserMessageParams) -> None:
        """Report what the user said."""
        self.notify("event/userMessage", params)

    def event_reasoning(self, params: events.ReasoningParams) -> None:
        """Report what the agent thought or said."""
        self.notify("event/reasoning", params)

    def event_compaction(self, params: events.CompactionParams) -> None:
        """Report an agent's summary of its context."""
        self.notify("event/compaction", params)

    def file_record_read(self, params: files.RecordReadParams) -> files.RecordReadResult:
        """Report that an agent has read a file, which its next words may be about."""
        return answer_of(files.RecordReadResult, self.request, "file/recordRead", params)

    def file_observe(self, params: files.ObserveParams) -> files.ObserveResult:
        """Store durable facts about files; the result says why others were refused."""
        return answer_of(files.ObserveResult, self.request, "file/observe", params)

    def file_handoff(self, params: files.HandoffParams) -> files.HandoffResult:
        """Return a session's last files in a line each, for a sub-agent."""
        return answer_of(files.HandoffResult, self.request, "file/handoff", params)

    def file_search(self, params: files.FileSearchParams) -> files.FileSearchResult:
        """Find the files that a text is about, by their content and by what similar commits touched."""
        return answer_of(files.FileSearchResult, self.request, "file/search", params)

    def workspace_repo_map(self, params: files.RepoMapParams) -> files.RepoMapResult:
        """Return the repository's files and key symbols, most important first, within a token budget."""
        return answer_of(files.RepoMapResult, self.request, "workspace/repoMap", params)

    def sidecar_status(self, params: status.StatusParams) -> status.StatusResult:
        """Return health, sizes, queues and hit rates."""
        return answer_of(status.StatusResult, self.request, "sidecar/status", params)

    def sidecar_metrics(self, params: metrics.MetricsParams) -> metrics.MetricsResult:
        """Return figures of this process and its stores in the text format of Prometheus."""
        return answer_of(metrics.MetricsResult, self.request, "sidecar/metrics", params)

    def hooks_verify(self, params: hooks.VerifyHooksParams) -> hooks.VerifyHooksResult:
        """List hook scripts that are configured but cannot run, or that nothing is configured to run."""
        return answer_of(hooks.VerifyHooksResult, self.request, "hooks/verify", params)

    def hooks_run(self, params: hooks.RunHooksParams) -> hooks.RunHooksResult:
        """Run the hooks that match an event and a tool, in order, up to the first that blocks."""
        return answer_of(hooks.RunHooksResult, self.request, "hooks/run", params)
