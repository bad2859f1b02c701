"""What a pass over either form of the memory file shares: what it works with, and how it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from sidecar.checkout import merge_state
from sidecar.checkout.hand_edits import GitBusy, GitTrace, edited_by_hand
from sidecar.memories.book import MemoryBook
from sidecar.memory_file import bridge, disk
from sidecar.memory_file.bridge import Ref
from sidecar.memory_file.caches import PageCache, ShowableIndex
from sidecar.memory_file.state import StateStore, WrittenState, find_record
from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.layout import FileLimits
from sidecar.memory_file.text.plan import ShownMemory, Written
from sidecar.store.memory_store import MemoryStore

FEW = 3  # entries that may vanish at once
SHARE = 3  # one in this many may vanish at once
VanishedDecision = Literal["archive", "bringBack"]  # what somebody decided about entries that vanished at once


def vanished(removed: int, before: int, *, cut: bool = False) -> int:
    """Count vanished entries if somebody must confirm that, else 0; with `cut`, one more is there only in part."""
    count = removed + cut
    return count if (count > FEW and count * SHARE > before) or (cut and removed) else 0


def message(path: str, count: int) -> str:
    return (
        f"{count} entries are gone from {path} at once. Nothing is archived, and the file is left alone, until you say "
        "`memory-sidecar file archive` if that was meant, `memory-sidecar file bring-back` to have them written again"
    )


@dataclass(frozen=True)
class PassContext:
    """What a pass works with.

    `path` is the file or folder below the real path `root`, `trusted` whether the repository is; call `making` before
    creating a first file.
    """

    root: Path
    path: str
    store: MemoryStore
    book: MemoryBook
    states: StateStore
    clock: Callable[[], int]
    limits: FileLimits
    showable: ShowableIndex
    pages: PageCache
    trusted: Callable[[], bool]
    making: Callable[[], None]


@dataclass(frozen=True)
class PassResult:
    """The result of a pass.

    `settled` means that all is in step and nothing was written, `unread` that there was no need to read; `vanished`
    entries disappeared at once, and nothing was done.
    """

    settled: bool
    problems: tuple[str, ...] = ()
    unread: bool = False
    vanished: int = 0


def authorship(parts: PassContext, state: WrittenState | None, typed: Callable[[Ref], bool]) -> bridge.Authorship[Ref]:
    disputed, refused = (state.disputed, state.refused) if state is not None else ({}, ())
    return bridge.Authorship(typed, parts.trusted(), disputed, refused)


def kept_lines(
    outcome: bridge.PlanOutcome[Ref], units: Mapping[Ref, Entry], memories: Mapping[str, ShownMemory]
) -> set[str]:
    """Return the memories whose lines are the repository's."""
    placed = ((units[ref], id) for ref, id in outcome.placed.items() if id is not None and id in memories)
    return {id for unit, id in placed if bridge.keeps_lines(unit, memories[id], outcome.disputed.get(id))}


def finish(
    parts: PassContext,
    state: WrittenState,
    outcome: bridge.PlanOutcome[Ref],
    repository_ids: set[str],
    write: Callable[[], bool],
    *,
    same: bool,
    before: WrittenState | None = None,
) -> PassResult:
    """End a pass: announce the state, write what differs, and save the state unless it is that of `before`.

    `write` returns False if somebody else wrote first; `same` means that the file already says what it should.
    """
    disputed = {id: lines for id, lines in outcome.disputed.items() if id in repository_ids}
    state = replace(state, at=find_record(), disputed=disputed, refused=tuple(outcome.refused))
    if not same:
        parts.states.announce(state)
    if not write():
        return PassResult(settled=False)
    if before is None or state != replace(before, at=state.at):
        parts.states.save(state)
    return PassResult(same, problems=tuple(outcome.problems))


def base(parts: PassContext, state: WrittenState | None) -> dict[str, Written]:
    """Return what the file said when last known, without what was archived because another checkout's file lacks it."""
    before = state.entries if state else {}
    records = parts.store.get_many(before)
    left_behind = {
        id for id, record in records.items() if record.status == "archived" and record.archived_for == bridge.LEFT
    }
    return {id: entry for id, entry in before.items() if id not in left_behind}


def typed_by_hand(
    parts: PassContext, before: GitTrace | None, now: GitTrace, texts: Mapping[str, str | None]
) -> set[str]:
    """Call `edited_by_hand`. Raises `LeftAlone` while git may be at work."""
    try:
        return edited_by_hand(parts.root, before, now, texts)
    except GitBusy:
        name = Path(parts.path).name
        raise disk.LeftAlone(f"git may be at work on {name}; it is read in a moment") from None


def refuse_merge(parts: PassContext, name: str) -> None:
    """Raise `LeftAlone` if git is in the middle of merging what it tracks of the file or folder called `name`."""
    doing = merge_state.operation_in_progress(parts.root)
    if doing is not None and merge_state.is_tracked(parts.root, parts.path):
        raise disk.LeftAlone(f"git is in the middle of {doing}; {name} is left alone until that is done")
