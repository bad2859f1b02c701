"""Structs of `hooks/*`: the hook scripts that agents are configured with, checked and run."""

from typing import Any, Literal

from protocol.events import SessionId
from protocol.memories import Text
from protocol.wire import Result, WorkspaceParams

Origin = Literal["user", "workspace"]


class VerifyHooksParams(WorkspaceParams, frozen=True):
    """Check the hook scripts of this workspace and of the user."""


class HookProblem(Result, frozen=True):
    """A hook script with a problem.

    A hook that is `missing` or `notExecutable` is configured but cannot run; an `orphaned` script is not configured.
    """

    problem: Literal["missing", "notExecutable", "orphaned"]
    path: str
    origin: Origin
    event: str | None = None
    command: str | None = None


class VerifyHooksResult(Result, frozen=True):
    """The problems, in the order of the configuration; `configured` counts the hooks that were checked."""

    problems: list[HookProblem]
    configured: int


class RunHooksParams(WorkspaceParams, frozen=True):
    """Run the hooks of an event whose matcher fits the tool, in order, up to the first that blocks."""

    event: Text
    tool: str | None = None
    input: Any = None
    session_id: SessionId | None = None


class HookOutcome(Result, frozen=True):
    """A hook that ran, or whose recent result was used again. After a time-out, `exitCode` is missing."""

    command: str
    origin: Origin
    blocked: bool
    exit_code: int | None = None
    output: str = ""
    error: str = ""
    timed_out: bool = False
    cached: bool = False


class RunHooksResult(Result, frozen=True):
    """`refused` are the matching commands that the settings do not allow to run (`hooks.run`)."""

    blocked: bool
    outcomes: list[HookOutcome]
    refused: list[str]
    reason: str | None = None
