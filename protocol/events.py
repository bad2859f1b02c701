"""Structs of `event/*`: what happens while an agent works. All are notifications, so nothing is answered.

The sidecar accepts what agents spell differently. A path may stand in `path`, `file`, `filePath` or `file_path` of
`input`; an exit status in `exitCode`, `exit_code`, `metadata.exit` or `metadata.exitCode`. An exit status that is null
or missing is unknown, never zero. Unknown fields are ignored: a refused event could not be reported, and its news would
be lost.
"""

from typing import Annotated, Any

import msgspec

from protocol.memories import Text
from protocol.wire import WorkspaceParams

SessionId = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
ExitCode = int | float | str | None


class _EventParams(WorkspaceParams, frozen=True, forbid_unknown_fields=False):
    """Parameters of one event."""


class ToolCallParams(_EventParams, frozen=True):
    """A tool is about to be used. `callId` connects the result with this call."""

    session_id: SessionId
    tool: Text
    input: Any = None
    call_id: str | None = None
    agent: Text | None = None


class ToolResultParams(_EventParams, frozen=True):
    """A tool was used. `input` is needed if no call was sent before."""

    session_id: SessionId
    tool: Text
    output: Any = None
    input: Any = None
    exit_code: ExitCode = None
    exit_code_snake_case: ExitCode = msgspec.field(default=None, name="exit_code")
    metadata: Any = None
    call_id: str | None = None
    agent: Text | None = None


class UserMessageParams(_EventParams, frozen=True):
    """The user said something to the agent."""

    session_id: SessionId
    text: str
    agent: Text | None = None


class ReasoningParams(_EventParams, frozen=True):
    """The agent thought or said something."""

    session_id: SessionId
    text: str
    agent: Text | None = None


class CompactionParams(_EventParams, frozen=True):
    """The agent summed up its context. A section "Memory Candidates" of the summary is recorded."""

    session_id: SessionId
    summary: str
    agent: Text | None = None
