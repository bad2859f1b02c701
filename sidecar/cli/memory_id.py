"""Find the memory a user means by its id, the start or end of its id, or its name."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from protocol.memories import ANY_AGENT, Memory
from sidecar.cli.output import short_id
from sidecar.cli.session import Session
from sidecar.runtime.errors import InvalidField, MemoryNotFound

_SHORTEST = 4


def resolve(session: Session, given: str, *, deleted: bool = False) -> str:
    """Return the full id; with `deleted`, also search deleted memories if no other fits.

    Raises `MemoryNotFound`, and `InvalidField` if several fit.
    """
    if len(given) <= 64:
        with suppress(MemoryNotFound):  # then it is a part of an id, or a name
            found: Memory = session.call("memory/get", {"id": given})
            return found.id
    for memories in (_all(session), _all(session, "deleted") if deleted else ()):
        if (found_id := _fitting(memories, given)) is not None:
            return found_id
    raise MemoryNotFound(
        f"No memory has the id or the name {given[:64]!r}.",
        path="$.id",
        hint="`memory-sidecar list` shows names and ids, `list --deleted` those of what was deleted.",
    )


def ends_with(id: str, given: str) -> bool:
    """Return True if `given` is the whole id or enough of its last characters."""
    return id == given or (len(given) >= _SHORTEST and id.endswith(given.lower()))


def _fitting(every: Sequence[Memory], given: str) -> str | None:
    for fits in (
        [memory for memory in every if memory.name == given],
        [memory for memory in every if ends_with(memory.id, given)],
        [memory for memory in every if len(given) >= _SHORTEST and memory.id.startswith(given.lower())],
        [memory for memory in every if memory.name.casefold() == given.casefold()],
    ):
        if len(fits) == 1:
            return fits[0].id
        if fits:
            listed = ", ".join(f"{short_id(memory.id)} ({memory.name[:40]})" for memory in fits[:5])
            raise InvalidField(
                f"{len(fits)} memories fit {given!r}: {listed}.", path="$.id", hint="Give more of the id."
            )
    return None


def _all(session: Session, status: str | None = None) -> list[Memory]:
    """Return the memories of every agent; with a `status`, only those."""
    shown = {"status": [status]} if status else {"include": ["archived", "resolved", "expired"]}
    return every(session, {"agent": ANY_AGENT, **shown})


def every(session: Session, filters: dict[str, Any]) -> list[Memory]:
    """Return all pages of `memory/list`."""
    params: dict[str, Any] = {"limit": 200, **filters}
    memories: list[Memory] = []
    while True:
        page = session.call("memory/list", params)
        memories += page.items
        if page.cursor is None:
            return memories
        params["cursor"] = page.cursor
