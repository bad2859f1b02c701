"""Call an engine's methods from tests, with the types that the protocol gives their results."""

from __future__ import annotations

from typing import Any, Literal, overload

import msgspec

from protocol.calls import Calls
from protocol.candidates import Candidate, CandidatesResult
from protocol.context import BootResult, CloseResult, EntityResult
from protocol.exchange import BootstrapResult, ExportResult, ImportResult
from protocol.files import (
    FileSearchResult,
    HandoffResult,
    ObserveResult,
    RecordReadResult,
    RepoMapResult,
    SummaryResult,
)
from protocol.hooks import RunHooksResult, VerifyHooksResult
from protocol.links import LinkResult, LinksResult
from protocol.maintenance import MaintainResult, PromoteResult
from protocol.memories import (
    DeleteResult,
    ExplainResult,
    HistoryResult,
    InjectResult,
    ListResult,
    Memory,
    RecordResult,
    SearchResult,
    UpdateResult,
)
from protocol.methods import METHODS
from protocol.metrics import MetricsResult
from protocol.reminders import ListRemindersResult, Reminder, SetReminderResult
from protocol.sessions import ClaimResult, ListSessionsResult, ReleaseResult, Session
from protocol.stats import StatsResult
from protocol.status import MemoryFileStatus, StatusResult
from protocol.transcripts import ImportSessionsResult
from sidecar.engine.engine import Engine


class EngineCalls(Calls):
    """One typed method for each request: `EngineCalls(engine).memory_get(IdParams(id=id))`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def request(self, method: str, params: object) -> Any:
        assert isinstance(params, msgspec.Struct)
        return self._engine.call(method, params)

    def notify(self, method: str, params: object) -> None:
        self.request(method, params)


class MethodCaller:
    """Call methods by name, with parameters spelt as on the wire: `call("memory/get", id=id)`."""

    def __init__(self, engine: Engine, **always: object) -> None:
        self.engine = engine
        self._always = always

    @overload
    def __call__(self, method: Literal["memory/record", "memory/confirm"], **params: object) -> RecordResult: ...
    @overload
    def __call__(self, method: Literal["memory/inject"], **params: object) -> InjectResult: ...
    @overload
    def __call__(self, method: Literal["memory/explain"], **params: object) -> ExplainResult: ...
    @overload
    def __call__(self, method: Literal["memory/search"], **params: object) -> SearchResult: ...
    @overload
    def __call__(
        self,
        method: Literal[
            "memory/get",
            "memory/archive",
            "memory/rate",
            "memory/restore",
            "memory/undo",
            "memory/redo",
            "memory/verify",
            "memory/resolve",
            "memory/reopen",
        ],
        **params: object,
    ) -> Memory: ...
    @overload
    def __call__(self, method: Literal["memory/list"], **params: object) -> ListResult: ...
    @overload
    def __call__(self, method: Literal["memory/update"], **params: object) -> UpdateResult: ...
    @overload
    def __call__(self, method: Literal["memory/delete"], **params: object) -> DeleteResult: ...
    @overload
    def __call__(self, method: Literal["memory/history"], **params: object) -> HistoryResult: ...
    @overload
    def __call__(self, method: Literal["memory/candidates"], **params: object) -> CandidatesResult: ...
    @overload
    def __call__(self, method: Literal["memory/reject"], **params: object) -> Candidate: ...
    @overload
    def __call__(self, method: Literal["memory/file"], **params: object) -> MemoryFileStatus: ...
    @overload
    def __call__(self, method: Literal["memory/link"], **params: object) -> LinkResult: ...
    @overload
    def __call__(self, method: Literal["memory/links"], **params: object) -> LinksResult: ...
    @overload
    def __call__(self, method: Literal["memory/promote"], **params: object) -> PromoteResult: ...
    @overload
    def __call__(self, method: Literal["memory/maintain"], **params: object) -> MaintainResult: ...
    @overload
    def __call__(self, method: Literal["memory/stats"], **params: object) -> StatsResult: ...
    @overload
    def __call__(self, method: Literal["memory/export"], **params: object) -> ExportResult: ...
    @overload
    def __call__(self, method: Literal["memory/import"], **params: object) -> ImportResult: ...
    @overload
    def __call__(self, method: Literal["memory/bootstrap"], **params: object) -> BootstrapResult: ...
    @overload
    def __call__(self, method: Literal["file/summary"], **params: object) -> SummaryResult: ...
    @overload
    def __call__(
        self, method: Literal["session/start", "session/heartbeat", "session/end"], **params: object
    ) -> Session: ...
    @overload
    def __call__(self, method: Literal["session/list"], **params: object) -> ListSessionsResult: ...
    @overload
    def __call__(self, method: Literal["session/claim"], **params: object) -> ClaimResult: ...
    @overload
    def __call__(self, method: Literal["session/release"], **params: object) -> ReleaseResult: ...
    @overload
    def __call__(self, method: Literal["session/import"], **params: object) -> ImportSessionsResult: ...
    @overload
    def __call__(self, method: Literal["reminder/set"], **params: object) -> SetReminderResult: ...
    @overload
    def __call__(self, method: Literal["reminder/clear", "reminder/advance"], **params: object) -> Reminder: ...
    @overload
    def __call__(self, method: Literal["reminder/list"], **params: object) -> ListRemindersResult: ...
    @overload
    def __call__(self, method: Literal["context/boot"], **params: object) -> BootResult: ...
    @overload
    def __call__(self, method: Literal["context/entity"], **params: object) -> EntityResult: ...
    @overload
    def __call__(self, method: Literal["context/close"], **params: object) -> CloseResult: ...
    @overload
    def __call__(self, method: Literal["file/recordRead"], **params: object) -> RecordReadResult: ...
    @overload
    def __call__(self, method: Literal["file/observe"], **params: object) -> ObserveResult: ...
    @overload
    def __call__(self, method: Literal["file/handoff"], **params: object) -> HandoffResult: ...
    @overload
    def __call__(self, method: Literal["file/search"], **params: object) -> FileSearchResult: ...
    @overload
    def __call__(self, method: Literal["workspace/repoMap"], **params: object) -> RepoMapResult: ...
    @overload
    def __call__(self, method: Literal["sidecar/status"], **params: object) -> StatusResult: ...
    @overload
    def __call__(self, method: Literal["sidecar/metrics"], **params: object) -> MetricsResult: ...
    @overload
    def __call__(self, method: Literal["hooks/verify"], **params: object) -> VerifyHooksResult: ...
    @overload
    def __call__(self, method: Literal["hooks/run"], **params: object) -> RunHooksResult: ...
    @overload
    def __call__(self, method: str, **params: object) -> object: ...
    def __call__(self, method: str, **params: object) -> object:
        return self.engine.call(method, msgspec.convert({**self._always, **params}, METHODS[method].params))
