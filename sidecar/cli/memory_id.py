"""Find the memory that a user names: by its id, the start or end of it, its name, or the start of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, get_args

from msgspec.structs import replace

from protocol.candidates import Candidate, CandidatesParams, CandidateStatus
from protocol.memories import ANY_AGENT, IdParams, ListParams, Memory
from sidecar.cli.command_calls import CommandCalls
from sidecar.cli.wording import short_id, title
from sidecar.runtime.errors import InvalidField, MemoryNotFound

# A shorter end of an id would often fit several memories.
_MIN_SUFFIX_CHARS = 4
_MAX_LISTED = 8


def resolve(calls: CommandCalls, ref: str, *, deleted: bool = False) -> str:
    """Return the full id of the memory that `ref` names.

    A candidate's id names the memory that was made of the candidate. With `deleted`, deleted memories are looked at
    last. Raises `MemoryNotFound`, and `InvalidField` if `ref` names several memories.
    """
    if len(ref) <= 64:
        with suppress(MemoryNotFound):  # then `ref` is a part of an id, or a name
            return calls.memory_get(IdParams(id=ref)).id
    for memories in (_all_agents_memories(calls), _all_agents_memories(calls, "deleted") if deleted else ()):
        if (found_id := _match_memory(memories, ref, prefer_active=not deleted)) is not None:
            return found_id
    if (candidate := find_candidate(calls, ref)) is not None and candidate.memory_id is not None:
        return candidate.memory_id
    raise MemoryNotFound(
        f"No memory has the id or the name {ref[:64]!r}.",
        path="$.id",
        hint="`memory-sidecar list` shows names and ids, `list --deleted` what was deleted; `search` finds words.",
    )


def find_candidate(calls: CommandCalls, ref: str) -> Candidate | None:
    """Return the candidate that `ref`, an id or a part of one, names. Raises InvalidField if there are several."""
    requests = (CandidatesParams(status=[status], limit=200) for status in get_args(CandidateStatus))
    candidates = [candidate for params in requests for candidate in calls.memory_candidates(params).items]
    id = match_id({candidate.id: candidate.content for candidate in candidates}, ref, "candidates")
    return next((candidate for candidate in candidates if candidate.id == id), None)


def match_id(texts: Mapping[str, str], ref: str, noun: str) -> str | None:
    """Return the id in `texts` that `ref` names, or None. Raises InvalidField if it names several.

    `texts` has the text of each id. Commands print only the end of an id, so a `ref` is first taken for the beginning
    of that end.
    """
    ref = ref.lower()
    for matches in (
        [id for id in texts if id == ref],
        [id for id in texts if ref and short_id(id).startswith(ref)],
        [id for id in texts if ref and (id.startswith(ref) or (len(ref) >= _MIN_SUFFIX_CHARS and id.endswith(ref)))],
    ):
        if len(matches) > 1:
            raise _ambiguous({id: texts[id] for id in matches}, ref, noun)
        if matches:
            return matches[0]
    return None


def _match_memory(memories: Sequence[Memory], ref: str, *, prefer_active: bool) -> str | None:
    names = {memory.id: memory.name for memory in memories}
    archived = {memory.id for memory in memories if memory.status == "archived"} if prefer_active else set()

    def single_match(matches: Sequence[str]) -> str | None:
        matches = [id for id in matches if id not in archived] or matches  # such as `promote` leaves
        if len(matches) > 1:
            raise _ambiguous({id: names[id] for id in matches}, ref, "memories")
        return matches[0] if matches else None

    folded = ref.casefold()
    return (
        single_match([id for id, name in names.items() if name == ref])
        or single_match([id for id, name in names.items() if name.casefold() == folded or title(name) == ref])
        or match_id(names, ref, "memories")
        or single_match([id for id, name in names.items() if ref.strip() and title(name).casefold().startswith(folded)])
    )


def _ambiguous(matches: Mapping[str, str], ref: str, noun: str) -> InvalidField:
    listing = ", ".join(f"{short_id(id)} ({title(name)[:40]})" for id, name in list(matches.items())[:_MAX_LISTED])
    more = f" and {len(matches) - _MAX_LISTED} more" if len(matches) > _MAX_LISTED else ""
    return InvalidField(
        f"{len(matches)} {noun} fit {ref!r}: {listing}{more}.", path="$.id", hint="Give more of the id."
    )


def _all_agents_memories(calls: CommandCalls, status: str | None = None) -> list[Memory]:
    """Return the memories of all agents, or only those with a `status`."""
    filters = {"status": [status]} if status else {"include": ["archived", "resolved", "expired"]}
    return all_pages(calls, {"agent": ANY_AGENT, **filters})


def all_pages(calls: CommandCalls, filters: dict[str, Any]) -> list[Memory]:
    params = ListParams(limit=200, **filters)
    memories: list[Memory] = []
    while True:
        page = calls.memory_list(params)
        memories += page.items
        if page.cursor is None:
            return memories
        params = replace(params, cursor=page.cursor)
