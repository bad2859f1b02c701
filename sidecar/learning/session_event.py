"""One event of a session, whether it is live, replayed from a journal or read from an agent's transcript."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple


class SessionEvent(NamedTuple):
    """One thing that happened in a session.

    A user's message is empty if no person typed it. For a tool, `status` is the exit status if known, and `refused`
    means that the tool did not do it.
    """

    kind: Literal["user", "agent", "call", "tool", "read", "compaction"]
    at: int = 0  # epoch ms; 0: unknown, or now
    text: str = ""
    id: str = ""  # the agent's own
    tool: str = ""
    input: Any = None
    output: Any = ""
    status: Any = None
    refused: bool = False
    metadata: Any = None
