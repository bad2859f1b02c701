"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

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

Workspace = TypeVar("Workspace")
"""An open workspace."""

Enabled = TypeVar("Enabled")
"""An open workspace whose memory is on."""

Call = TypeVar("Call")
"""The context of one request."""


class CandidatesFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def memory_candidates(self, params: CandidatesParams, workspace: Workspace, call: Call) -> CandidatesResult: ...

    @abstractmethod
    def memory_confirm(self, params: ConfirmParams, workspace: Enabled, call: Call) -> RecordResult: ...

    @abstractmethod
    def memory_reject(self, params: RejectParams, workspace: Workspace, call: Call) -> Candidate: ...


class ContextFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def context_boot(self, params: BootParams, workspace: Workspace, call: Call) -> BootResult: ...

    @abstractmethod
    def context_entity(self, params: EntityParams, workspace: Enabled, call: Call) -> EntityResult: ...

    @abstractmethod
    def context_close(self, params: CloseParams, workspace: Enabled, call: Call) -> CloseResult: ...


class EventsFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def event_tool_call(self, params: ToolCallParams, call: Call) -> None: ...

    @abstractmethod
    def event_tool_result(self, params: ToolResultParams, call: Call) -> None: ...

    @abstractmethod
    def event_user_message(self, params: UserMessageParams, call: Call) -> None: ...

    @abstractmethod
    def event_reasoning(self, params: ReasoningParams, call: Call) -> None: ...

    @abstractmethod
    def event_compaction(self, params: CompactionParams, call: Call) -> None: ...


class ExchangeFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def memory_export(self, params: ExportParams, workspace: Workspace, call: Call) -> ExportResult: ...

    @abstractmethod
    def memory_import(self, params: ImportParams, workspace: Enabled, call: Call) -> ImportResult: ...

    @abstractmethod
    def memory_bootstrap(self, params: BootstrapParams, workspace: Enabled, call: Call) -> BootstrapResult: ...


class FilesFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def file_summary(self, params: SummaryParams, workspace: Workspace, call: Call) -> SummaryResult: ...

    @abstractmethod
    def file_record_read(self, params: RecordReadParams, workspace: Workspace, call: Call) -> RecordReadResult: ...

    @abstractmethod
    def file_observe(self, params: ObserveParams, workspace: Enabled, call: Call) -> ObserveResult: ...

    @abstractmethod
    def file_handoff(self, params: HandoffParams, workspace: Workspace, call: Call) -> HandoffResult: ...

    @abstractmethod
    def file_search(self, params: FileSearchParams, workspace: Enabled, call: Call) -> FileSearchResult: ...

    @abstractmethod
    def workspace_repo_map(self, params: RepoMapParams, workspace: Enabled, call: Call) -> RepoMapResult: ...


class HooksFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def hooks_verify(self, params: VerifyHooksParams, call: Call) -> VerifyHooksResult: ...

    @abstractmethod
    def hooks_run(self, params: RunHooksParams, call: Call) -> RunHooksResult: ...


class LinksFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def memory_link(self, params: LinkParams, workspace: Enabled, call: Call) -> LinkResult: ...

    @abstractmethod
    def memory_links(self, params: LinksParams, workspace: Workspace, call: Call) -> LinksResult: ...


class MaintenanceFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def memory_promote(self, params: PromoteParams, workspace: Enabled, call: Call) -> PromoteResult: ...

    @abstractmethod
    def memory_maintain(self, params: MaintainParams, workspace: Enabled, call: Call) -> MaintainResult: ...


class MemoriesFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def memory_record(
        self, requests: Sequence[tuple[RecordParams, Call]], workspace_for: Callable[[RecordParams], Enabled]
    ) -> Sequence[RecordResult | BaseException]: ...

    @abstractmethod
    def memory_inject(self, params: InjectParams, workspace: Workspace, call: Call) -> InjectResult: ...

    @abstractmethod
    def memory_explain(self, params: ExplainParams, workspace: Enabled, call: Call) -> ExplainResult: ...

    @abstractmethod
    def memory_search(self, params: SearchParams, workspace: Enabled, call: Call) -> SearchResult: ...

    @abstractmethod
    def memory_get(self, params: IdParams, workspace: Workspace, call: Call) -> Memory: ...

    @abstractmethod
    def memory_list(self, params: ListParams, workspace: Workspace, call: Call) -> ListResult: ...

    @abstractmethod
    def memory_update(self, params: UpdateParams, workspace: Enabled, call: Call) -> UpdateResult: ...

    @abstractmethod
    def memory_archive(self, params: ArchiveParams, workspace: Workspace, call: Call) -> Memory: ...

    @abstractmethod
    def memory_rate(self, params: RateParams, workspace: Enabled, call: Call) -> Memory: ...

    @abstractmethod
    def memory_restore(self, params: IdParams, workspace: Workspace, call: Call) -> Memory: ...

    @abstractmethod
    def memory_delete(self, params: DeleteParams, workspace: Workspace, call: Call) -> DeleteResult: ...

    @abstractmethod
    def memory_history(self, params: IdParams, workspace: Workspace, call: Call) -> HistoryResult: ...

    @abstractmethod
    def memory_undo(self, params: IdParams, workspace: Workspace, call: Call) -> Memory: ...

    @abstractmethod
    def memory_redo(self, params: IdParams, workspace: Workspace, call: Call) -> Memory: ...

    @abstractmethod
    def memory_verify(self, params: IdParams, workspace: Enabled, call: Call) -> Memory: ...

    @abstractmethod
    def memory_resolve(self, params: IdParams, workspace: Workspace, call: Call) -> Memory: ...

    @abstractmethod
    def memory_reopen(self, params: IdParams, workspace: Workspace, call: Call) -> Memory: ...


class MetricsFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def sidecar_metrics(self, params: MetricsParams, call: Call) -> MetricsResult: ...


class RemindersFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def reminder_set(self, params: SetReminderParams, workspace: Enabled, call: Call) -> SetReminderResult: ...

    @abstractmethod
    def reminder_clear(self, params: ReminderParams, workspace: Enabled, call: Call) -> Reminder: ...

    @abstractmethod
    def reminder_advance(self, params: ReminderParams, workspace: Enabled, call: Call) -> Reminder: ...

    @abstractmethod
    def reminder_list(self, params: ListRemindersParams, workspace: Enabled, call: Call) -> ListRemindersResult: ...


class SessionsFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def session_start(self, params: StartParams, workspace: Enabled, call: Call) -> Session: ...

    @abstractmethod
    def session_heartbeat(self, params: HeartbeatParams, workspace: Enabled, call: Call) -> Session: ...

    @abstractmethod
    def session_end(self, params: EndParams, workspace: Enabled, call: Call) -> Session: ...

    @abstractmethod
    def session_list(self, params: ListSessionsParams, workspace: Enabled, call: Call) -> ListSessionsResult: ...

    @abstractmethod
    def session_claim(self, params: ClaimParams, workspace: Enabled, call: Call) -> ClaimResult: ...

    @abstractmethod
    def session_release(self, params: ClaimParams, workspace: Enabled, call: Call) -> ReleaseResult: ...


class StatsFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def memory_stats(self, params: StatsParams, workspace: Workspace, call: Call) -> StatsResult: ...


class StatusFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def memory_file(self, params: MemoryFileParams, workspace: Enabled, call: Call) -> MemoryFileStatus: ...

    @abstractmethod
    def sidecar_status(self, params: StatusParams, call: Call) -> StatusResult: ...


class TranscriptsFamily(ABC, Generic[Workspace, Enabled, Call]):
    @abstractmethod
    def session_import(self, params: ImportSessionsParams, workspace: Enabled, call: Call) -> ImportSessionsResult: ...
