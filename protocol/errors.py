"""Error codes of the wire, and the data that goes with them.

The first group is JSON-RPC's and LSP's own. The second is this project's: it lies in the range that JSON-RPC leaves to
implementations (-32099..-32000), clear of LSP's reserved codes.
"""

from __future__ import annotations

from enum import IntEnum

from protocol.wire import Result


class ErrorCode(IntEnum):
    """All codes that a response of the sidecar can carry."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_NOT_INITIALIZED = -32002
    REQUEST_CANCELLED = -32800

    MEMORY_NOT_FOUND = -32010
    OUTSIDE_WORKSPACE = -32011
    FILE_UNAVAILABLE = -32012
    VERSION_CONFLICT = -32013
    STORE_UNAVAILABLE = -32014
    DISABLED = -32015
    WORKSPACE_UNKNOWN = -32016
    SESSION_NOT_ACTIVE = -32017


class ErrorData(Result, frozen=True):
    """What helps a program or a person with an error.

    `path` is the JSON path of the offending field, `reason` a word to switch on, and `hint` says what to do.
    """

    path: str | None = None
    reason: str | None = None
    hint: str | None = None
