"""Which memory a person means: its id, the end or the beginning of it, or its name."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from protocol.memories import ANY_AGENT, Memory
from sidecar.cli.output import short_id
from sidecar.cli.session import Session
from sidecar.errors import InvalidField, MemoryNotFound

_SHORTEST = 4


def resolve(session: Session, given: str) -> str:
    """The full id. Raises `MemoryNotFound`, and `InvalidField` when several memories fit."""
    if len(given) <= 64:
        with suppress(MemoryNotFound):  # then it is a part of an id, or a name
            found: Memory = session.call("memory/get", {"id": given})
            return found.id
    every = _every(session)
    for fits in (
        [memory for memory in every if memory.name == given],
        [memory for memory in every if len(given) >= _SHORTEST and memory.id.endswith(given.lower())],
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
    raise MemoryNotFound(
        f"No memory has the id or the name {given[:64]!r}.",
        path="$.id",
        hint="`memory-sidecar list` shows names and ids; a deleted memory needs its full id.",
    )


def _every(session: Session) -> list[Memory]:
    """Every memory, of whichever agent, page by page."""
    params: dict[str, Any] = {
        "limit": 200,
        "include": ["archived", "resolved", "expired"],
        "agent": ANY_AGENT,
    }
    memories: list[Memory] = []
    while True:
        page = session.call("memory/list", params)
        memories += page.items
        if page.cursor is None:
            return memories
        params["cursor"] = page.cursor
