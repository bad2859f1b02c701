"""Merge three ways: the file, the store, and the entries last written.

`carrying_out.py` calls this module and carries out its plan. Where the file differs from the entries last written,
somebody edited it: the edit goes into the store. Where the store differs from these entries, it goes into the file. If
both changed a memory, the hand-written lines stay, and new lines of the store are added. Nothing is lost: every change
of the store keeps the version before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.matching import match_entries
from sidecar.runtime.digests import blake2b

Ref = TypeVar("Ref", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ShownMemory:
    """A stored memory, in full and as the file shows it."""

    full: Entry
    shown: Entry
    lines: tuple[str, ...] = ()  # as the file shows them
    weight: tuple[float, ...] = ()  # greater weights come first
    foreign: bool = False  # only the repository's file holds it
    unsigned: tuple[str, ...] = ()  # the lines without the author; empty without an author

    def without_author(self) -> ShownMemory:
        if self.full.author is None:
            return self
        full, shown = replace(self.full, author=None), replace(self.shown, author=None)
        return replace(self, full=full, shown=shown, lines=self.unsigned)


@dataclass(frozen=True, slots=True)
class EntryDigests:
    """Digests of an entry as the file shows it."""

    lines: tuple[str, ...]  # one for each line of the text
    rest: str  # of the other fields together


@dataclass(frozen=True, slots=True)
class Edit:
    """A memory that was changed by hand."""

    id: str
    entry: Entry  # its new fields
    merged: bool = False  # the store had changed it as well


@dataclass
class ChangePlan(Generic[Ref]):
    """The changes to the store that the file's editor wants."""

    added: dict[Ref, Entry] = field(default_factory=dict)
    edited: list[Edit] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    placed: dict[Ref, str] = field(default_factory=dict)  # the memory of each entry that stays


def digest_entry(entry: Entry) -> EntryDigests:
    rest = (entry.type, entry.name, entry.category, entry.agent, entry.pinned, entry.description, entry.tags)
    return EntryDigests(tuple(_digest(line) for line in entry.lines), _digest(repr(rest)))


def plan_changes(
    units: Mapping[Ref, Entry],
    memories: Mapping[str, ShownMemory],
    base: Mapping[str, EntryDigests],
    *,
    claimed: Callable[[Ref, str, bool], bool] = lambda ref, id, changed: False,
) -> ChangePlan[Ref]:
    """Plan the store's changes.

    `claimed(unit, id, changed)` returns True if the unit is to replace its memory as a whole instead of being merged.
    """
    changes: ChangePlan[Ref] = ChangePlan()
    changes.placed, old = _match_unchanged(units, memories, base)
    unmatched = {id: memory.shown for id, memory in memories.items() if id not in set(changes.placed.values())}
    new = {ref: entry for ref, entry in units.items() if ref not in changes.placed and ref not in old}
    changes.placed |= match_entries(new, unmatched, [id for id in base if id in unmatched])
    for ref, entry in units.items():
        id = changes.placed.get(ref)
        if id is None:
            if ref not in old:
                changes.added[ref] = entry
            continue
        if claimed(ref, id, digest_entry(entry) != base.get(id)):
            changes.edited.append(Edit(id, _with_hidden_lines(entry, memories[id])))
            continue
        edit = _find_edit(id, entry, memories[id], base.get(id))
        if edit is not None:
            changes.edited.append(edit)
    present = set(changes.placed.values())
    changes.removed = [id for id in base if id in memories and id not in present]
    return changes


def _match_unchanged(
    units: Mapping[Ref, Entry], memories: Mapping[str, ShownMemory], base: Mapping[str, EntryDigests]
) -> tuple[dict[Ref, str], set[Ref]]:
    """Return the memories of unchanged units, and the units that are still without a memory.

    If an unchanged unit's memory is gone, it gets another memory of the same text.
    """
    ids: dict[EntryDigests, list[str]] = {}
    for id, entry in base.items():
        ids.setdefault(entry, []).append(id)
    candidates = {ref: ids_here for ref, entry in units.items() if (ids_here := ids.get(digest_entry(entry)))}
    placed = {ref: id for ref, ids_here in candidates.items() if ids_here and (id := ids_here.pop(0)) in memories}
    old = candidates.keys() - placed.keys()
    if old:
        ids_in_use = set(placed.values())
        ids_by_text = {digest_entry(memory.shown): id for id, memory in memories.items() if id not in ids_in_use}
        placed.update({ref: id for ref in old if (id := ids_by_text.pop(digest_entry(units[ref]), ""))})
    return placed, old - placed.keys()


def _find_edit(id: str, entry: Entry, memory: ShownMemory, before: EntryDigests | None) -> Edit | None:
    by_hand, in_store = digest_entry(entry), digest_entry(memory.shown)
    if by_hand in (in_store, before):
        return None
    if before is None:  # the file never showed it: add the store's lines that the file lacks
        text = append_new_lines(entry.lines, memory.full.lines, frozenset())
        return None if text == memory.full.text else Edit(id, replace(entry, text=text), merged=True)
    if in_store == before:
        return Edit(id, _with_hidden_lines(entry, memory))
    merged = _three_way(entry, memory, before, by_hand, in_store)
    return None if digest_entry(merged) == digest_entry(memory.full) else Edit(id, merged, merged=True)


def _with_hidden_lines(entry: Entry, memory: ShownMemory) -> Entry:
    if not memory.shown.cut:
        return replace(entry, cut=False)
    hidden = memory.full.text.split("\n")[len(memory.shown.lines) :]
    return replace(entry, text="\n".join([entry.text, *hidden]), cut=False)


def _three_way(
    entry: Entry, memory: ShownMemory, before: EntryDigests, by_hand: EntryDigests, in_store: EntryDigests
) -> Entry:
    """Take each part from the side that changed it; if both changed the text, add the store's new lines."""
    fields = memory.full if by_hand.rest == before.rest else entry
    if by_hand.lines == before.lines:
        return replace(fields, text=memory.full.text, cut=False)
    if in_store.lines == before.lines:
        return replace(fields, text=_with_hidden_lines(entry, memory).text, cut=False)
    text = append_new_lines(entry.lines, memory.full.text.split("\n"), frozenset(before.lines))
    return replace(fields, text=text, cut=False)


def append_new_lines(first: Sequence[str], second: Sequence[str], known_digests: frozenset[str]) -> str:
    """Return the first text, followed by the second's lines that are neither in the first nor known."""
    digests = {_digest(line.rstrip()) for line in first} | known_digests
    new_lines = [line for line in second if line.strip() and _digest(line.rstrip()) not in digests]
    return "\n".join([*first, *new_lines])


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
