"""One pass over the single file: read it, take in what was done to it, lay it out, write it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sidecar.checkout import merge_state
from sidecar.checkout.hand_edits import GitBusy, GitTrace, edited_by_hand, normalised, trace, unexpanded
from sidecar.memories.book import MemoryBook
from sidecar.memory_file import bridge, disk
from sidecar.memory_file.caches import PageCache, ShowableIndex
from sidecar.memory_file.state import StateStore, WrittenState, digest, known_at
from sidecar.memory_file.text import document as documents
from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.layout import FileLimits, lay_out
from sidecar.memory_file.text.plan import ChangePlan, ShownMemory, Written
from sidecar.store.memory_store import MemoryStore

FEW = 3  # entries that may vanish at once
SHARE = 3  # one in this many may vanish at once
VanishedDecision = Literal["archive", "bringBack"]  # what somebody decided about entries that vanished at once


def vanished(removed: int, before: int, *, cut: bool = False) -> int:
    """Count vanished entries if somebody must confirm that, else 0; with `cut`, one more is there only in part."""
    count = removed + cut
    return count if (count > FEW and count * SHARE > before) or (cut and removed) else 0


def cut_off(document: documents.MemoryDocument, memories: Iterable[ShownMemory]) -> int | None:
    """Return the position of the last block if it is the beginning of what the file said of a memory."""
    at = next((at for at in reversed(range(len(document.blocks))) if document.blocks[at].kind != "blank"), None)
    if at is None or document.blocks[at].kind not in ("entry", "other"):
        return None
    written_lines = "\n".join(document.blocks[at].lines)
    lines = ("\n".join(memory.lines) for memory in memories)
    return at if any(len(written_lines) < len(whole) and whole.startswith(written_lines) for whole in lines) else None


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


def run(parts: PassContext, limits: FileLimits, answer: VanishedDecision | None = None) -> PassResult:
    """Make one pass. Raises `LeftAlone` if the file must not be touched now, else `StoreUnavailable` or a subclass."""
    path = disk.inside(parts.root, parts.path)
    now = trace(parts.root)  # from before the file is read: what git does meanwhile is seen at the next look
    marks_before = disk.mark(path), disk.mark(path.parent)
    text = disk.read_text(path)
    state, seq = parts.states.load(text), parts.store.seq()
    if text is not None and state is not None and state.holds(text, seq, now):
        return PassResult(settled=True, unread=True)
    now = trace(parts.root, parts.path)
    before = base(parts, state)
    if text is None:
        if before and disk.changed_since(path.parent, marks_before[1]):
            return PassResult(settled=False)
        memories = _shown_memories(parts, {}, before)
        foreign_plan = ChangePlan[int](removed=[id for id in before if id in memories and memories[id].foreign])
        bridge.carry_out(foreign_plan, {}, memories, parts.book, bridge.Authorship(lambda _: False))
        nothing = bridge.PlanOutcome[int]({}, [], {}, [])
        return _write(parts, path, None, None, nothing, _shown_memories(parts, {}, ()), limits, (seq, now))
    refuse_conflict(parts, text)
    document = documents.read_document(unexpanded(text)) if text.strip() or answer != "bringBack" else documents.new()
    units = {at: block.entry for at, block in enumerate(document.blocks) if block.entry is not None}
    by_hand = _is_typed(parts, state, now, text, marks_before[0])
    whose = bridge.Authorship[int](
        lambda _: by_hand, parts.trusted(), state.disputed if state else {}, state.refused if state else ()
    )
    memories = _shown_memories(parts, units, before)
    cut = None if text.endswith("\n") else cut_off(document, (memories[id] for id in before if id in memories))
    if answer == "bringBack" and cut is not None:
        document.blocks[cut] = document.blocks[cut]._replace(entry=None, lines=())
        units.pop(cut)
    plan = bridge.plan_for(units, memories, before, whose)
    if (plan.removed or not text.endswith("\n")) and disk.changed_since(path, marks_before[0]):
        return PassResult(settled=False)
    if not by_hand:
        plan.removed = [id for id in plan.removed if memories[id].foreign]
    elif answer == "bringBack":
        plan.removed = []
    elif answer is None and (missing := vanished(len(plan.removed), len(before), cut=cut is not None)):
        return PassResult(settled=True, vanished=missing)
    carried = bridge.carry_out(plan, units, memories, parts.book, whose)
    if plan.added or plan.edited or plan.removed:
        memories = _shown_memories(parts, units, (*before, *(id for id in carried.placed.values() if id)))
    return _write(parts, path, text, document, carried, memories, limits, (seq, now))


def base(parts: PassContext, state: WrittenState | None) -> dict[str, Written]:
    """Return what the file said when last known, without what was archived because another checkout's file lacks it."""
    before = state.entries if state else {}
    records = parts.store.get_many(before)
    left_behind = {
        id for id, record in records.items() if record.status == "archived" and record.archived_for == bridge.LEFT
    }
    return {id: entry for id, entry in before.items() if id not in left_behind}


def _is_typed(parts: PassContext, state: WrittenState | None, now: GitTrace, text: str, mark: disk.FileMarks) -> bool:
    """Return whether the file was changed by hand since it was last known; an older file came from somewhere else."""
    written_at = max((file_mark[1] for file_mark in mark), default=0)
    if state is None or state.digest == digest(normalised(text)) or written_at < state.at:
        return False
    return parts.path in typed_by_hand(parts, state.trace, now, {parts.path: text})


def typed_by_hand(
    parts: PassContext, before: GitTrace | None, now: GitTrace, texts: Mapping[str, str | None]
) -> set[str]:
    """Call `edited_by_hand`. Raises `LeftAlone` while git may be at work."""
    try:
        return edited_by_hand(parts.root, before, now, texts)
    except GitBusy:
        name = Path(parts.path).name
        raise disk.LeftAlone(f"git may be at work on {name}; it is read in a moment") from None


def refuse_conflict(parts: PassContext, text: str) -> None:
    """Raise `LeftAlone` if a text has git's conflict markers, or git is in the middle of merging it."""
    name = Path(parts.path).name
    if documents.has_conflict(text):
        raise disk.LeftAlone(f"{name} has conflict markers of git; it is left alone until they are resolved")
    refuse_merge(parts, name)


def refuse_merge(parts: PassContext, name: str) -> None:
    """Raise `LeftAlone` if git is in the middle of merging what it tracks of the file or folder called `name`."""
    doing = merge_state.operation_in_progress(parts.root)
    if doing is not None and merge_state.is_tracked(parts.root, parts.path):
        raise disk.LeftAlone(f"git is in the middle of {doing}; {name} is left alone until that is done")


def _shown_memories(parts: PassContext, units: Mapping[int, Entry], before: Iterable[str]) -> dict[str, ShownMemory]:
    parts.showable.follow(parts.store)
    memories = parts.showable.memories(parts.store, units.values(), before, parts.clock())
    return bridge.signed(memories, parts.root, parts.path)


def _write(
    parts: PassContext,
    path: Path,
    before: str | None,
    document: documents.MemoryDocument | None,
    carried: bridge.PlanOutcome[int],
    memories: dict[str, ShownMemory],
    limits: FileLimits,
    stood: tuple[int, GitTrace],
) -> PassResult:
    """Lay out the file and write it where it differs; `stood` is the state of the store and git before the pass."""
    blocks = document.blocks if document is not None else []
    keep = {
        id
        for at, id in carried.placed.items()
        if id in memories
        and (entry := blocks[at].entry)
        and bridge.keeps_lines(entry, memories[id], carried.disputed.get(id))
    }
    if before is None and all(memory.foreign for memory in memories.values()):
        return PassResult(settled=True)
    count = parts.showable.count(parts.clock())
    laid, entries = lay_out(document, carried.placed, memories, limits, count, keep)
    text = laid.text()
    same = before is not None and normalised(text) == normalised(before)
    if before is None:
        parts.making()
    state = WrittenState(
        digest=digest(normalised(text)),
        seq=stood[0],
        entries=entries,
        trace=stood[1],
        at=known_at(),
        disputed={id: lines for id, lines in carried.disputed.items() if id in keep},
        refused=tuple(carried.refused),
    )
    if not same:
        parts.states.announce(state)
        if not disk.write(parts.root, path, text, before):
            return PassResult(settled=False)
    parts.states.save(state)
    return PassResult(settled=same, problems=tuple(carried.problems))
