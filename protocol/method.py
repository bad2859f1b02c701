"""What the table of methods (`methods.py`) says about each method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

import msgspec

Lane = Literal["read", "write", "slow"]

# Answers a method of the table, given its name and parameters; None for a notification.
CallMethod = Callable[[str, msgspec.Struct], msgspec.Struct | None]
Answer = TypeVar("Answer", bound=msgspec.Struct)


def answer_of(kind: type[Answer], call: CallMethod, method: str, params: msgspec.Struct) -> Answer:
    """Return the answer to one request, which must be of this kind."""
    answer = call(method, params)
    assert isinstance(answer, kind)
    return answer


class Method(msgspec.Struct, frozen=True, kw_only=True):
    """One method of the table."""

    name: str
    params: type[msgspec.Struct]
    result: type[msgspec.Struct] | None = None  # None for a notification
    # `write`: one after another, in the order received. `read`: after the writes received before it have ended, but
    # without waiting for another read. `slow`: apart, delaying neither.
    lane: Lane = "read"
    sender: Literal["client", "sidecar"] = "client"
    summary: str
    # Requests that follow each other are answered together after one commit; `memory/record` has this.
    groups_commits: bool = False
    # How the handler gets the request's workspace: `as is`; `up to date`, with pending lessons stored and edits of
    # MEMORY.md read; `none` if the handler finds workspaces itself.
    workspace: Literal["none", "as is", "up to date"] = "up to date"
    memory_on: bool = False  # the request fails while memory is switched off
    # The field whose paths lead to the workspace if the parameters name none.
    paths_in: Literal["files", "path", "paths"] | None = None
    # Hooks and commands may ask a running server that serves their workspace with their settings, instead of opening
    # the stores themselves. They repeat the request if the server hangs up, so it may be answered twice.
    askable: bool = False

    def paths_of(self, params: msgspec.Struct) -> Sequence[str]:
        """Return the paths in a request that lead to its workspace."""
        paths = getattr(params, self.paths_in) if self.paths_in is not None else None
        return [paths] if isinstance(paths, str) else paths or ()
