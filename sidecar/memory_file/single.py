"""One pass over the single file: read it, take in what was done by hand, lay it out, write it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sidecar.checkout import merge_state
from sidecar.exchange.memory_file import document as documents
from sidecar.exchange.memory_file.entry import Entry
from sidecar.exchange.memory_file.layout import Limits, lay_out
from sidecar.exchange.memory_file.plan import Known, plan
from sidecar.memories.book import MemoryBook
from sidecar.memory_file import bridge, disk
from sidecar.memory_file.seen import Seen
from sidecar.memory_file.settling import changed_since
from sidecar.memory_file.shelf import Shelf
from sidecar.memory_file.state import Kept, State, digest
from sidecar.store.memory_store import MemoryStore


@dataclass(frozen=True)
class Parts:
    """What a pass works with. `root` is the workspace's real path, `path` the file's or folder's below it."""

    root: Path
    path: str
    store: MemoryStore
    book: MemoryBook
    kept: Kept
    clock: Callable[[], int]
    changed: bridge.Changed
    shelf: Shelf
    seen: Seen


@dataclass(frozen=True)
class Passed:
    """What a pass came to: whether all is in step and nothing was written (else once more), whether a file was made,
    what to tell, and whether there was no need to read it, so that what was told before still holds.
    """

    settled: bool
    made: bool = False
    problems: tuple[str, ...] = ()
    unread: bool = False


def run(parts: Parts, limits: Limits) -> Passed:
    """One pass. Raises `LeftAlone` when the file is not to be touched now, `StoreUnavailable` and its kin."""
    place = disk.inside(parts.root, parts.path)
    seen = disk.mark(place), disk.mark(place.parent)
    text = disk.read(place)
    state, seq = parts.kept.load(), parts.store.seq()
    if text is not None and state is not None and (state.digest, state.seq) == (digest(text), seq):
        return Passed(settled=True, unread=True)
    before = state.entries if state else {}
    if text is None:
        if before and changed_since(place.parent, seen[1]):
            return Passed(settled=False)
        return _write(parts, place, None, None, {}, _known(parts, {}, ()), limits, [], seq)
    refuse_conflict(parts, text)
    document = documents.read(text)
    units = {at: block.entry for at, block in enumerate(document.blocks) if block.entry is not None}
    trusted = origin(parts, state, digest(text))
    memories = _known(parts, units, before)
    done = plan(units, memories, before, removals=trusted.removals and state is not None)
    if (done.removed or not text.endswith("\n")) and changed_since(place, seen[0]):
        return Passed(settled=False)
    carried = bridge.carry_out(done, memories, parts.book, trusted.source, parts.changed)
    if done.added or done.edited or done.removed:
        memories = _known(parts, units, (*before, *(id for id in carried.placed.values() if id)))
    return _write(parts, place, text, document, carried.placed, memories, limits, carried.problems, seq)


@dataclass(frozen=True)
class Origin:
    """Who changed a file: the source of what is new in it, and whether what is missing was taken out by hand."""

    source: str = bridge.BY_HAND
    removals: bool = True


def origin(parts: Parts, state: State | None, now: str) -> Origin:
    """Tell a person's edit from a commit. `now` is the digest of what the file says.

    A file that is just as committed was changed by git. What such a change lacks was taken out by somebody only
    when the history has it; on another branch it was never there.
    """
    if state is not None and state.digest == now:
        return Origin()
    seen = merge_state.tracked(parts.root, parts.path)
    if not seen.tracked or not seen.clean:
        return Origin()
    blob = state.blobs.get(parts.path) if state is not None else None
    forward = blob is not None and merge_state.was_committed(parts.root, parts.path, blob)
    return Origin(bridge.FROM_GIT, forward)


def refuse_conflict(parts: Parts, text: str) -> None:
    """Raise `LeftAlone` while git's conflict markers stand in a text, or git is in the middle of merging it."""
    name = Path(parts.path).name
    if documents.has_conflict(text):
        raise disk.LeftAlone(f"{name} has conflict markers of git; it is left alone until they are resolved")
    refuse_merge(parts, name)


def refuse_merge(parts: Parts, name: str) -> None:
    """Raise `LeftAlone` while git is in the middle of merging what it tracks of the file or folder called `name`."""
    doing = merge_state.under_way(parts.root)
    if doing is not None and merge_state.tracked(parts.root, parts.path).tracked:
        raise disk.LeftAlone(f"git is in the middle of {doing}; {name} is left alone until that is done")


def _known(parts: Parts, units: Mapping[int, Entry], before: Iterable[str]) -> dict[str, Known]:
    parts.shelf.follow(parts.store)
    return parts.shelf.memories(parts.store, units.values(), before, parts.clock())


def _write(
    parts: Parts,
    place: Path,
    before: str | None,
    document: documents.Document | None,
    placed: dict[int, str | None],
    memories: dict[str, Known],
    limits: Limits,
    problems: list[str],
    seq: int,
) -> Passed:
    if before is None and not memories:
        return Passed(settled=True)
    laid, entries = lay_out(document, placed, memories, limits, parts.shelf.count(parts.clock()))
    text = laid.text()
    same = text == before
    if not same and not disk.write(parts.root, place, text, before):
        return Passed(settled=False)
    blobs = {parts.path: merge_state.blob_id(parts.root, text.encode())}
    state = State(digest=digest(text), seq=seq, entries=entries, blobs=blobs)
    if state != parts.kept.load():
        parts.kept.save(state)
    return Passed(settled=same, made=before is None, problems=tuple(problems))
