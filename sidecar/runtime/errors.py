"""The tree of errors that requests are answered with.

    SidecarError                  any error that answers a request
    ├── InvalidField              a parameter that can never be valid               -32602
    ├── MemoryNotFound            no open store has a memory of that id             -32010
    ├── OutsideWorkspace          a path in no open workspace                       -32011
    ├── FileUnavailable           missing, a directory, binary, too large, ...      -32012
    ├── VersionConflict           the memory changed since the caller read it       -32013
    ├── StoreUnavailable          a store or the engine cannot be used now          -32014
    │   └── StoreTooNew           written by a newer version; left untouched
    ├── MemoryDisabled            `memory.enabled` is false                         -32015
    ├── WorkspaceUnknown          no such workspace, or several and none named      -32016
    ├── SessionNotActive          no such session, or it has ended or expired       -32017
    └── Cancelled                 the caller cancelled the request                  -32800

A message says what is wrong in one sentence; `hint` says what to do about it. Neither ever carries a traceback or the
content of a memory.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from protocol.errors import ErrorCode, ErrorData

FileReason = Literal["missing", "directory", "binary", "generated", "tooLarge", "unreadable", "ignored", "special"]


class SidecarError(Exception):
    """Base of the tree. `path` is the JSON path of the offending field, such as `$.files[0]`."""

    code: ClassVar[ErrorCode] = ErrorCode.INTERNAL_ERROR

    def __init__(
        self, message: str, *, path: str | None = None, reason: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.data = ErrorData(path=path, reason=reason, hint=hint)


class InvalidField(SidecarError):
    code = ErrorCode.INVALID_PARAMS


class MemoryNotFound(SidecarError):
    code = ErrorCode.MEMORY_NOT_FOUND


class OutsideWorkspace(SidecarError):
    """A path that lies in no open workspace; nothing was read."""

    code = ErrorCode.OUTSIDE_WORKSPACE


class FileUnavailable(SidecarError):
    """A file that has no briefing; `reason` is one of `FileReason`."""

    code = ErrorCode.FILE_UNAVAILABLE

    def __init__(self, message: str, *, reason: FileReason, hint: str | None = None) -> None:
        super().__init__(message, reason=reason, hint=hint)
        self.reason: FileReason = reason


class VersionConflict(SidecarError):
    """`expectedVersion` is not the version that is stored; nothing was written."""

    code = ErrorCode.VERSION_CONFLICT


class StoreUnavailable(SidecarError):
    """A store, the engine or the team's database cannot be used now; no data was lost."""

    code = ErrorCode.STORE_UNAVAILABLE


class StoreTooNew(StoreUnavailable):
    """The store was written by a newer version and is left untouched."""


class MemoryDisabled(SidecarError):
    code = ErrorCode.DISABLED


class WorkspaceUnknown(SidecarError):
    code = ErrorCode.WORKSPACE_UNKNOWN


class SessionNotActive(SidecarError):
    """The session was never started, has ended or has expired; `reason` says which."""

    code = ErrorCode.SESSION_NOT_ACTIVE

    def __init__(self, message: str, *, reason: Literal["unknown", "ended", "expired"], hint: str) -> None:
        super().__init__(message, path="$.sessionId", reason=reason, hint=hint)


class Cancelled(SidecarError):
    code = ErrorCode.REQUEST_CANCELLED

    def __init__(self, message: str = "The request was cancelled.") -> None:
        super().__init__(message)
