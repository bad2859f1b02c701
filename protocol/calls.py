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
        """Store one memory; answers the stored memory and whether it was created, merged or known."""
        result: RecordResult = self.request("memory/record", params)
        return result

    def memory_inject(self, params: InjectParams) -> InjectResult:
        """The block of memories and briefings to put in front of an agent, inside a token budget."""
        result: InjectResult = self.request("memory/inject", params)
        return result

    def memory_explain(self, params: ExplainParams) -> ExplainResult:
        """How likely a memory bears on a prompt, what speaks for it, and what would change it."""
        result: ExplainResult = self.request("memory/explain", params)
        return result

    def memory_search(self, params: SearchParams) -> SearchResult:
        """Find memories by text, with filters."""
        result: SearchResult = self.request("memory/search", params)
        return result

    def memory_get(self, params: IdParams) -> Memory:
        """One memory, whatever its status."""
        result: Memory = self.request("memory/get", params)
        return result

    def memory_list(self, params: ListParams) -> ListResult:
        """Memories by filter, newest first."""
        result: ListResult = self.request("memory/list", params)
        return result

    def memory_update(self, params: UpdateParams) -> UpdateResult:
        """Change fields of a memory; the earlier version is kept."""
        result: UpdateResult = self.request("memory/update", params)
        return result

    def memory_archive(self, params: ArchiveParams) -> Memory:
        """Take a memory out of retrieval without losing it."""
        result: Memory = self.request("memory/archive", params)
        return result

    def memory_rate(self, params: RateParams) -> Memory:
        """Say whether a memory was of use, which moves its weight."""
        result: Memory = self.request("memory/rate", params)
        return result

    def memory_restore(self, params: IdParams) -> Memory:
        """Bring an archived or deleted memory back."""
        result: Memory = self.request("memory/restore", params)
        return result

    def memory_delete(self, params: DeleteParams) -> DeleteResult:
        """Forget a memory; its history stays for undo unless purged."""
        result: DeleteResult = self.request("memory/delete", params)
        return result

    def memory_history(self, params: IdParams) -> HistoryResult:
        """The versions of a memory, newest first."""
        result: HistoryResult = self.request("memory/history", params)
        return result

    def memory_undo(self, params: IdParams) -> Memory:
        """Take back all that a memory's last change did, in other scopes too; again steps further back."""
        result: Memory = self.request("memory/undo", params)
        return result

    def memory_redo(self, params: IdParams) -> Memory:
        """Do again what was undone last."""
        result: Memory = self.request("memory/redo", params)
        return result

    def memory_candidates(self, params: CandidatesParams) -> CandidatesResult:
        """What may become a memory, each with the words or commands that it rests on."""
        result: CandidatesResult = self.request("memory/candidates", params)
        return result

    def memory_confirm(self, params: ConfirmParams) -> RecordResult:
        """Make a memory of a candidate, as it is or reworded."""
        result: RecordResult = self.request("memory/confirm", params)
        return result

    def memory_reject(self, params: RejectParams) -> Candidate:
        """Drop a candidate; it is not proposed again."""
        result: Candidate = self.request("memory/reject", params)
        return result

    def memory_file(self, params: MemoryFileParams) -> MemoryFileStatus:
        """Bring MEMORY.md and memories in step; trust the repository, or say what becomes of what vanished."""
        result: MemoryFileStatus = self.request("memory/file", params)
        return result

    def memory_link(self, params: LinkParams) -> LinkResult:
        """Say how two memories belong together, or that they do not."""
        result: LinkResult = self.request("memory/link", params)
        return result

    def memory_links(self, params: LinksParams) -> LinksResult:
        """The links of a memory, or of several."""
        result: LinksResult = self.request("memory/links", params)
        return result

    def memory_verify(self, params: IdParams) -> Memory:
        """Say that a memory still holds, although its files have changed."""
        result: Memory = self.request("memory/verify", params)
        return result

    def memory_promote(self, params: PromoteParams) -> PromoteResult:
        """Give a memory a wider scope; one of its name there is merged with it."""
        result: PromoteResult = self.request("memory/promote", params)
        return result

    def memory_resolve(self, params: IdParams) -> Memory:
        """Say that a blocker blocks no more."""
        result: Memory = self.request("memory/resolve", params)
        return result

    def memory_reopen(self, params: IdParams) -> Memory:
        """Say that a resolved blocker blocks again."""
        result: Memory = self.request("memory/reopen", params)
        return result

    def memory_maintain(self, params: MaintainParams) -> MaintainResult:
        """Merge duplicates, let the unused fade, archive, promote, propose merges; or show what would be done."""
        result: MaintainResult = self.request("memory/maintain", params)
        return result

    def memory_stats(self, params: StatsParams) -> StatsResult:
        """What was learned, shown and found useful, week by week."""
        result: StatsResult = self.request("memory/stats", params)
        return result

    def memory_export(self, params: ExportParams) -> ExportResult:
        """Memories with their versions and links as JSON Lines that restore exactly, page by page."""
        result: ExportResult = self.request("memory/export", params)
        return result

    def memory_import(self, params: ImportParams) -> ImportResult:
        """Take in the memories of an export or of another tool's files: all of them, or none."""
        result: ImportResult = self.request("memory/import", params)
        return result

    def memory_bootstrap(self, params: BootstrapParams) -> BootstrapResult:
        """Record first facts of the project from its README, manifests and CI files; again adds nothing."""
        result: BootstrapResult = self.request("memory/bootstrap", params)
        return result

    def file_summary(self, params: SummaryParams) -> SummaryResult:
        """The briefing of a file, for the bytes that are on disk now."""
        result: SummaryResult = self.request("file/summary", params)
        return result

    def session_start(self, params: StartParams) -> Session:
        """Begin a session, or take an ended or expired one up again."""
        result: Session = self.request("session/start", params)
        return result

    def session_heartbeat(self, params: HeartbeatParams) -> Session:
        """Say that a session is still there."""
        result: Session = self.request("session/heartbeat", params)
        return result

    def session_end(self, params: EndParams) -> Session:
        """End a session; what it learned is stored before the answer, its summary kept as a memory."""
        result: Session = self.request("session/end", params)
        return result

    def session_list(self, params: ListSessionsParams) -> ListSessionsResult:
        """Who works here now, and on what."""
        result: ListSessionsResult = self.request("session/list", params)
        return result

    def session_claim(self, params: ClaimParams) -> ClaimResult:
        """Take an item for one session alone, until it gives it back, ends or expires."""
        result: ClaimResult = self.request("session/claim", params)
        return result

    def session_release(self, params: ClaimParams) -> ReleaseResult:
        """Give a claimed item back."""
        result: ReleaseResult = self.request("session/release", params)
        return result

    def session_import(self, params: ImportSessionsParams) -> ImportSessionsResult:
        """Learn from this project's sessions that agents kept on this machine; again reads only what is new."""
        result: ImportSessionsResult = self.request("session/import", params)
        return result

    def reminder_set(self, params: SetReminderParams) -> SetReminderResult:
        """Keep a reminder for a time, once or again and again."""
        result: SetReminderResult = self.request("reminder/set", params)
        return result

    def reminder_clear(self, params: ReminderParams) -> Reminder:
        """End a reminder, with all its recurrences."""
        result: Reminder = self.request("reminder/clear", params)
        return result

    def reminder_advance(self, params: ReminderParams) -> Reminder:
        """Move a reminder to its next occurrence; one that does not recur is cleared."""
        result: Reminder = self.request("reminder/advance", params)
        return result

    def reminder_list(self, params: ListRemindersParams) -> ListRemindersResult:
        """List reminders by the time at which they are due."""
        result: ListRemindersResult = self.request("reminder/list", params)
        return result

    def context_boot(self, params: BootParams) -> BootResult:
        """What to know at the start of a session: directives, blockers, reminders, who works on what."""
        result: BootResult = self.request("context/boot", params)
        return result

    def context_entity(self, params: EntityParams) -> EntityResult:
        """The memories that name an issue, merge request, epic, user, URL, file or symbol, exactly."""
        result: EntityResult = self.request("context/entity", params)
        return result

    def context_close(self, params: CloseParams) -> CloseResult:
        """Say that an issue or merge request is closed: the blockers that name only it are resolved."""
        result: CloseResult = self.request("context/close", params)
        return result

    def event_tool_call(self, params: ToolCallParams) -> None:
        """A tool is about to be used."""
        self.notify("event/toolCall", params)

    def event_tool_result(self, params: ToolResultParams) -> None:
        """A tool was used: what it printed and how it ended."""
        self.notify("event/toolResult", params)

    def event_user_message(self, params: UserMessageParams) -> None:
        """The user said something."""
        self.notify("event/userMessage", params)

    def event_reasoning(self, params: ReasoningParams) -> None:
        """The agent thought or said something."""
        self.notify("event/reasoning", params)

    def event_compaction(self, params: CompactionParams) -> None:
        """The agent summed up its context."""
        self.notify("event/compaction", params)

    def file_record_read(self, params: RecordReadParams) -> RecordReadResult:
        """An agent has read a file: what it says next may be about it."""
        result: RecordReadResult = self.request("file/recordRead", params)
        return result

    def file_observe(self, params: ObserveParams) -> ObserveResult:
        """Keep durable facts that somebody says of files; what is refused says why."""
        result: ObserveResult = self.request("file/observe", params)
        return result

    def file_handoff(self, params: HandoffParams) -> HandoffResult:
        """The last files of a session in a line each, for a sub-agent."""
        result: HandoffResult = self.request("file/handoff", params)
        return result

    def file_search(self, params: FileSearchParams) -> FileSearchResult:
        """The files that a text is about, by what they say and by what similar commits touched."""
        result: FileSearchResult = self.request("file/search", params)
        return result

    def workspace_repo_map(self, params: RepoMapParams) -> RepoMapResult:
        """The repository's files and key symbols, most important first, inside a token budget."""
        result: RepoMapResult = self.request("workspace/repoMap", params)
        return result

    def sidecar_status(self, params: StatusParams) -> StatusResult:
        """Health, sizes, queues and hit rates."""
        result: StatusResult = self.request("sidecar/status", params)
        return result

    def sidecar_metrics(self, params: MetricsParams) -> MetricsResult:
        """Figures of this process and its stores in the text format of Prometheus."""
        result: MetricsResult = self.request("sidecar/metrics", params)
        return result

    def hooks_verify(self, params: VerifyHooksParams) -> VerifyHooksResult:
        """Hook scripts that are configured and cannot run, or that nothing is configured to run."""
        result: VerifyHooksResult = self.request("hooks/verify", params)
        return result

    def hooks_run(self, params: RunHooksParams) -> RunHooksResult:
        """Run the hooks that match an event and a tool, in order, up to the first that blocks."""
        result: RunHooksResult = self.request("hooks/run", params)
        return result
