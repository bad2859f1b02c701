"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from protocol.candidates import Candidate, CandidatesParams, CandidatesResult, ConfirmParams, RejectParams
from protocol.context import BootParams, BootResult, CloseParams, CloseResult, EntityParams, EntityResult
from protocol.events import CompactionParams, ReasoningParams, ToolCallParams, ToolResultParams, UserMessageParams
from protocol.exchange import BootstrapParams, BootstrapResult, ExportParams, ExportResult, ImportParams, ImportResult
from protocol.files import (
    FileSearchParams,
    FileSearchResult,
    HandoffParams,
    HandoffResult,
    ObserveParams,
    ObserveResult,
    RecordReadParams,
    RecordReadResult,
    RepoMapParams,
    RepoMapResult,
    SummaryParams,
    SummaryResult,
)
from protocol.hooks import RunHooksParams, RunHooksResult, VerifyHooksParams, VerifyHooksResult
from protocol.links import LinkParams, LinkResult, LinksParams, LinksResult
from protocol.maintenance import MaintainParams, MaintainResult, PromoteParams, PromoteResult
from protocol.memories import (
    ArchiveParams,
    DeleteParams,
    DeleteResult,
    ExplainParams,
    ExplainResult,
    HistoryResult,
    IdParams,
    InjectParams,
    InjectResult,
    ListParams,
    ListResult,
    Memory,
    RateParams,
    RecordParams,
    RecordResult,
    SearchParams,
    SearchResult,
    UpdateParams,
    UpdateResult,
)
from protocol.metrics import MetricsParams, MetricsResult
from protocol.reminders import (
    ListRemindersParams,
    ListRemindersResult,
    Reminder,
    ReminderParams,
    SetReminderParams,
    SetReminderResult,
)
from protocol.sessions import (
    ClaimParams,
    ClaimResult,
    EndParams,
    HeartbeatParams,
    ListSessionsParams,
    ListSessionsResult,
    ReleaseResult,
    Session,
    StartParams,
)
from protocol.stats import StatsParams, StatsResult
from protocol.status import MemoryFileParams, MemoryFileStatus, StatusParams, StatusResult
from protocol.transcripts import ImportSessionsParams, ImportSessionsResult


class Calls(ABC):
    """One method for each request and notification that a client sends."""

    @abstractmethod
    def request(self, method: str, params: object) -> Any: ...

    @abstractmethod
    def notify(self, method: str, params: object) -> None: ...

    def memory_record(self, params: RecordParams) -> RecordResult:
        """Store a memory; return it and whether it was created, merged or already known."""
        result: RecordResult = self.request("memory/record", params)
        return result

    def memory_inject(self, params: InjectParams) -> InjectResult:
        """Return the block of memories and briefings to put in front of an agent, within a token budget."""
        result: InjectResult = self.request("memory/inject", params)
        return result

    def memory_explain(self, params: ExplainParams) -> ExplainResult:
        """Say how likely a memory is relevant to a prompt, which evidence counts, and what would change that."""
        result: ExplainResult = self.request("memory/explain", params)
        return result

    def memory_search(self, params: SearchParams) -> SearchResult:
        """Find memories by text, with filters."""
        result: SearchResult = self.request("memory/search", params)
        return result

    def memory_get(self, params: IdParams) -> Memory:
        """Return one memory, whatever its status."""
        result: Memory = self.request("memory/get", params)
        return result

    def memory_list(self, params: ListParams) -> ListResult:
        """List the memories that pass the filters, newest first."""
        result: ListResult = self.request("memory/list", params)
        return result

    def memory_update(self, params: UpdateParams) -> UpdateResult:
        """Change fields of a memory; its earlier version is kept."""
        result: UpdateResult = self.request("memory/update", params)
        return result

    def memory_archive(self, params: ArchiveParams) -> Memory:
        """Hide a memory from retrieval; it is not lost."""
        result: Memory = self.request("memory/archive", params)
        return result

    def memory_rate(self, params: RateParams) -> Memory:
        """Record whether a memory helped; this changes its weight."""
        result: Memory = self.request("memory/rate", params)
        return result

    def memory_restore(self, params: IdParams) -> Memory:
        """Restore an archived or deleted memory."""
        result: Memory = self.request("memory/restore", params)
        return result

    def memory_delete(self, params: DeleteParams) -> DeleteResult:
        """Delete a memory; its history stays for undo unless it is purged."""
        result: DeleteResult = self.request("memory/delete", params)
        return result

    def memory_history(self, params: IdParams) -> HistoryResult:
        """List the versions of a memory, newest first."""
        result: HistoryResult = self.request("memory/history", params)
        return result

    def memory_undo(self, params: IdParams) -> Memory:
        """Undo a memory's last change, with its effects in other scopes; repeat it to go further back."""
        result: Memory = self.request("memory/undo", params)
        return result

    def memory_redo(self, params: IdParams) -> Memory:
        """Redo the change that was undone last."""
        result: Memory = self.request("memory/redo", params)
        return result

    def memory_candidates(self, params: CandidatesParams) -> CandidatesResult:
        """List what may become a memory, each with the words or commands that support it."""
        result: CandidatesResult = self.request("memory/candidates", params)
        return result

    def memory_confirm(self, params: ConfirmParams) -> RecordResult:
        """Turn a candidate into a memory, as it is or reworded."""
        result: RecordResult = self.request("memory/confirm", params)
        return result

    def memory_reject(self, params: RejectParams) -> Candidate:
        """Reject a candidate for good."""
        result: Candidate = self.request("memory/reject", params)
        return result

    def memory_file(self, params: MemoryFileParams) -> MemoryFileStatus:
        """Synchronise MEMORY.md and memories; trust the repository, or decide what becomes of vanished entries."""
        result: MemoryFileStatus = self.request("memory/file", params)
        return result

    def memory_link(self, params: LinkParams) -> LinkResult:
        """Link two memories, or remove their link."""
        result: LinkResult = self.request("memory/link", params)
        return result

    def memory_links(self, params: LinksParams) -> LinksResult:
        """List the links of one or several memories."""
        result: LinksResult = self.request("memory/links", params)
        return result

    def memory_verify(self, params: IdParams) -> Memory:
        """Confirm that a memory still holds although its files have changed."""
        result: Memory = self.request("memory/verify", params)
        return result

    def memory_promote(self, params: PromoteParams) -> PromoteResult:
        """Give a memory a wider scope, and merge it with a memory of the same name there."""
        result: PromoteResult = self.request("memory/promote", params)
        return result

    def memory_resolve(self, params: IdParams) -> Memory:
        """Mark a blocker as resolved."""
        result: Memory = self.request("memory/resolve", params)
        return result

    def memory_reopen(self, params: IdParams) -> Memory:
        """Mark a resolved blocker as blocking again."""
        result: Memory = self.request("memory/reopen", params)
        return result

    def memory_maintain(self, params: MaintainParams) -> MaintainResult:
        """Merge duplicates, fade and archive what is unused, promote, propose merges; or preview all this."""
        result: MaintainResult = self.request("memory/maintain", params)
        return result

    def memory_stats(self, params: StatsParams) -> StatsResult:
        """Count what was learned, shown and useful, week by week."""
        result: StatsResult = self.request("memory/stats", params)
        return result

    def memory_export(self, params: ExportParams) -> ExportResult:
        """Export memories with their versions and links as JSON Lines that restore exactly, page by page."""
        result: ExportResult = self.request("memory/export", params)
        return result

    def memory_import(self, params: ImportParams) -> ImportResult:
        """Import the memories of an export or of another tool's files: all of them, or none."""
        result: ImportResult = self.request("memory/import", params)
        return result

    def memory_bootstrap(self, params: BootstrapParams) -> BootstrapResult:
        """Record first facts of the project from its README, manifests and CI files; repeating it adds nothing."""
        result: BootstrapResult = self.request("memory/bootstrap", params)
        return result

    def file_summary(self, params: SummaryParams) -> SummaryResult:
        """Return the briefing of a file as it is on disk now."""
        result: SummaryResult = self.request("file/summary", params)
        return result

    def session_start(self, params: StartParams) -> Session:
        """Start a session, or resume an ended or expired one."""
        result: Session = self.request("session/start", params)
        return result

    def session_heartbeat(self, params: HeartbeatParams) -> Session:
        """Report that a session is still running."""
        result: Session = self.request("session/heartbeat", params)
        return result

    def session_end(self, params: EndParams) -> Session:
        """End a session, after storing what it taught and, as a memory, its summary."""
        result: Session = self.request("session/end", params)
        return result

    def session_list(self, params: ListSessionsParams) -> ListSessionsResult:
        """List who works here now, and on what."""
        result: ListSessionsResult = self.request("session/list", params)
        return result

    def session_claim(self, params: ClaimParams) -> ClaimResult:
        """Claim an item for one session, until that releases it, ends or expires."""
        result: ClaimResult = self.request("session/claim", params)
        return result

    def session_release(self, params: ClaimParams) -> ReleaseResult:
        """Release a claimed item."""
        result: ReleaseResult = self.request("session/release", params)
        return result

    def session_import(self, params: ImportSessionsParams) -> ImportSessionsResult:
        """Learn from this project's sessions that agents keep on this machine; repeating it reads only what is new."""
        result: ImportSessionsResult = self.request("session/import", params)
        return result

    def reminder_set(self, params: SetReminderParams) -> SetReminderResult:
        """Set a reminder for a time, once or recurring."""
        result: SetReminderResult = self.request("reminder/set", params)
        return result

    def reminder_clear(self, params: ReminderParams) -> Reminder:
        """Clear a reminder and all its recurrences."""
        result: Reminder = self.request("reminder/clear", params)
        return result

    def reminder_advance(self, params: ReminderParams) -> Reminder:
        """Move a reminder to its next occurrence, or clear it if it does not recur."""
        result: Reminder = self.request("reminder/advance", params)
        return result

    def reminder_list(self, params: ListRemindersParams) -> ListRemindersResult:
        """List reminders by the time at which they are due."""
        result: ListRemindersResult = self.request("reminder/list", params)
        return result

    def context_boot(self, params: BootParams) -> BootResult:
        """Return what to know at the start of a session: directives, blockers, reminders, who works on what."""
        result: BootResult = self.request("context/boot", params)
        return result

    def context_entity(self, params: EntityParams) -> EntityResult:
        """Return the memories that name exactly this issue, merge request, epic, user, URL, file or symbol."""
        result: EntityResult = self.request("context/entity", params)
        return result

    def context_close(self, params: CloseParams) -> CloseResult:
        """Report that an issue or merge request is closed; this resolves the blockers that name nothing else."""
        result: CloseResult = self.request("context/close", params)
        return result

    def event_tool_call(self, params: ToolCallParams) -> None:
        """Report that a tool is about to be used."""
        self.notify("event/toolCall", params)

    def event_tool_result(self, params: ToolResultParams) -> None:
        """Report that a tool was used, what it printed and how it ended."""
        self.notify("event/toolResult", params)

    def event_user_message(self, params: UserMessageParams) -> None:
        """Report what the user said."""
        self.notify("event/userMessage", params)

    def event_reasoning(self, params: ReasoningParams) -> None:
        """Report what the agent thought or said."""
        self.notify("event/reasoning", params)

    def event_compaction(self, params: CompactionParams) -> None:
        """Report an agent's summary of its context."""
        self.notify("event/compaction", params)

    def file_record_read(self, params: RecordReadParams) -> RecordReadResult:
        """Report that an agent has read a file, which its next words may be about."""
        result: RecordReadResult = self.request("file/recordRead", params)
        return result

    def file_observe(self, params: ObserveParams) -> ObserveResult:
        """Store durable facts about files; the result says why others were refused."""
        result: ObserveResult = self.request("file/observe", params)
        return result

    def file_handoff(self, params: HandoffParams) -> HandoffResult:
        """Return a session's last files in a line each, for a sub-agent."""
        result: HandoffResult = self.request("file/handoff", params)
        return result

    def file_search(self, params: FileSearchParams) -> FileSearchResult:
        """Find the files that a text is about, by their content and by what similar commits touched."""
        result: FileSearchResult = self.request("file/search", params)
        return result

    def workspace_repo_map(self, params: RepoMapParams) -> RepoMapResult:
        """Return the repository's files and key symbols, most important first, within a token budget."""
        result: RepoMapResult = self.request("workspace/repoMap", params)
        return result

    def sidecar_status(self, params: StatusParams) -> StatusResult:
        """Return health, sizes, queues and hit rates."""
        result: StatusResult = self.request("sidecar/status", params)
        return result

    def sidecar_metrics(self, params: MetricsParams) -> MetricsResult:
        """Return figures of this process and its stores in the text format of Prometheus."""
        result: MetricsResult = self.request("sidecar/metrics", params)
        return result

    def hooks_verify(self, params: VerifyHooksParams) -> VerifyHooksResult:
        """List hook scripts that are configured but cannot run, or that nothing is configured to run."""
        result: VerifyHooksResult = self.request("hooks/verify", params)
        return result

    def hooks_run(self, params: RunHooksParams) -> RunHooksResult:
        """Run the hooks that match an event and a tool, in order, up to the first that blocks."""
        result: RunHooksResult = self.request("hooks/run", params)
        return result
