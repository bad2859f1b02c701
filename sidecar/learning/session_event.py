"""One event of a session, whether it is live, replayed from a journal or read from an agent's transcript."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple


class SessionEvent(NamedTuple):
    """One thing that happened in a session."""

    kind: Literal["user", "agent", "call", "tool", "read", "compaction"]
    at: int = 0  # epoch milliseconds; 0: unknown, or now
    text: str = ""  # a user's message is "" if no person typed it
    id: str = ""  # of the call, as the agent names it
    tool: str = ""
    input: Any = None
    output: Any = ""
    status: Any = None  # a tool's exit status, if known
    refused: bool = False  # the tool did not do it
    metadata: Any = None
