"""What the table of methods says about each method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

import msgspec

Lane = Literal["read", "write", "slow"]

CallMethod = Callable[[str, msgspec.Struct], msgspec.Struct | None]
"""Answers a method of the table, given its name and parameters; None for a notification."""

Answer = TypeVar("Answer", bound=msgspec.Struct)


def answer_of(kind: type[Answer], call: CallMethod, method: str, params: msgspec.Struct) -> Answer:
    """Return the answer to one request, which must be of this kind."""
    answer = call(method, params)
    assert isinstance(answer, kind)
    return answer


class Method(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table.

    `lane` is the execution policy: requests of the `write` lane run one after another in the order received;
    a `read` starts after the writes received before it have ended, and never waits for another read; `slow`
    work runs apart and delays neither. `sender` says who sends it; a row without `result` is a notification.
    Consecutive requests of a method that `shares_commit`, as `memory/record` does, are answered together after one
    commit.

    `workspace` says in which state the engine passes the request's workspace to the handler: `as is`, or `up to date`,
    with pending lessons stored and edits of MEMORY.md read; `none` if the handler finds workspaces itself. With
    `memory_on`, the request fails if memory is switched off. For parameters that name no workspace, the paths in the
    field `paths_in` lead to it.

    `askable` says whether hooks and commands may ask a running server that serves their workspace with their settings,
    instead of opening the stores themselves. The request is repeated if the server hangs up, so it must not matter if
    it is answered twice.
    """

    name: str
    params: type[msgspec.Struct]
    result: type[msgspec.Struct] | None = None
    lane: Lane = "read"
    sender: Literal["client", "sidecar"] = "client"
    summary: str
    shares_commit: bool = False
    workspace: Literal["none", "as is", "up to date"] = "up to date"
    memory_on: bool = False
    paths_in: Literal["files", "path", "paths"] | None = None
    askable: bool = False

    def paths_of(self, params: msgspec.Struct) -> Sequence[str]:
        """Return the paths in a request that lead to its workspace."""
        paths = getattr(params, self.paths_in) if self.paths_in is not None else None
        return [paths] if isinstance(paths, str) else paths or ()

    @property
    def family(self) -> str:
        """Return the name of the module of `protocol` that defines the parameters."""
        return self.params.__module__.removeprefix("protocol.")

    @property
    def handler(self) -> str:
        """Return the name of the handler's method: `memory_did_change` for `memory/didChange`."""
        out = []
        for char in self.name.replace("/", "_"):
            out.append(f"_{char.lower()}" if char.isupper() else char)
        return "".join(out)
