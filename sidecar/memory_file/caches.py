"""Caches that live between passes: the memories that the file may show, and the text of pages."""

from __future__ import annotations

import heapq
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from sidecar.memory_file import disk, shown_entries
from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.layout import FileLimits, shown_memory
from sidecar.memory_file.text.matching import matching_keys
from sidecar.memory_file.text.page import MemoryPage, parse, render
from sidecar.memory_file.text.plan import ShownMemory
from sidecar.store.following import FollowingIndex
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import REPOSITORY_SOURCE

# An older time stamp is unique; FAT counts in steps of two seconds.
_SETTLED_NS = 3_000_000_000
_IndexEntry = tuple[tuple[float, ...], int | None, tuple[int, ...], bool]


class PageCache:
    """Caches the pages' texts, their parsed form and shown memories, until file, text or record changes.

    Not thread-safe.
    """

    def __init__(self) -> None:
        self._texts: dict[str, tuple[disk.FileStamp, str]] = {}
        self._pages: dict[str, tuple[str, MemoryPage | None]] = {}
        self._known: dict[str, tuple[MemoryRecord, ShownMemory]] = {}

    def text(self, path: Path, stamp: disk.FileStamp | None) -> str | None:
        """Return a file's text, or None. Raises `UnusableFile`.

        It is read again if `stamp` has changed or is too recent to show another change.
        """
        before = self._texts.pop(path.name, None)
        now = time.time_ns()
        text = before[1] if before is not None and before[0] == stamp else disk.read_text(path)
        if text is not None and stamp is not None and now - stamp[1] > _SETTLED_NS:
            self._texts[path.name] = stamp, text
        return text

    def page(self, name: str, text: str) -> MemoryPage | None:
        before = self._pages.get(name)
        if before is None or before[0] != text:
            before = self._pages[name] = (text, parse(text))
        return before[1]

    def shown_memories(self, records: Mapping[str, MemoryRecord]) -> dict[str, ShownMemory]:
        shown: dict[str, tuple[MemoryRecord, ShownMemory]] = {}
        for id, record in records.items():
            before = self._known.get(id)
            shown[id] = before if before is not None and before[0] == record else (record, _memory_on_page(record))
        self._known = shown
        return {id: memory for id, (_, memory) in shown.items()}

    def keep_only(self, names: Collection[str]) -> None:
        present = set(names)
        self._texts = {name: page for name, page in self._texts.items() if name in present}
        self._pages = {name: page for name, page in self._pages.items() if name in present}


def _memory_on_page(record: MemoryRecord) -> ShownMemory:
    entry = shown_entries.entry_of(record)
    read = parse(render(MemoryPage(entry)))
    shown_entry = replace(entry, text="\n".join(entry.lines)) if read is None else read.entry
    return ShownMemory(entry, shown_entry, foreign=record.source == REPOSITORY_SOURCE)


class ShowableIndex(FollowingIndex):
    """The memories that may be in the file, with their weights and matching keys. Not thread-safe."""

    def __init__(self, limits: FileLimits) -> None:
        super().__init__()
        self._limits = limits
        self._entries: dict[str, _IndexEntry] = {}  # by id: weight, when it expires, digests of its keys, foreign
        self._by_key: dict[int, tuple[str, ...]] = {}  # ids by key; tuples, since sets take four times the memory

    def clear(self) -> None:
        self._entries.clear()
        self._by_key.clear()

    def drop(self, id: str) -> None:
        for key in self._entries.pop(id, ((), None, (), False))[2]:
            others = tuple(other for other in self._by_key.pop(key) if other != id)
            if others:
                self._by_key[key] = others

    def add(self, records: Iterable[MemoryRecord]) -> None:
        for record in records:
            if not shown_entries.may_show(record):
                continue
            key_hashes = tuple({hash(key) for key in matching_keys(self.shown_memory(record).shown)})
            foreign = record.source == REPOSITORY_SOURCE
            self._entries[record.id] = shown_entries.weight(record), record.expires_at, key_hashes, foreign
            for key in key_hashes:
                self._by_key[key] = (*self._by_key.get(key, ()), record.id)

    def shown_memory(self, record: MemoryRecord) -> ShownMemory:
        entry, weight = shown_entries.entry_of(record), shown_entries.weight(record)
        foreign = record.source == REPOSITORY_SOURCE
        return shown_memory(record.id, entry, record.name, weight, self._limits, foreign=foreign)

    def count(self, now: int) -> int:
        return len(self._own_entries(now))

    def _own_entries(self, now: int) -> list[tuple[tuple[float, ...], str]]:
        """Return (weight, id) of each memory that has not expired and that others than the repository's file hold."""
        return [
            (weight, id)
            for id, (weight, expires_at, _, foreign) in self._entries.items()
            if not foreign and shown_entries.is_current(expires_at, now)
        ]

    def memories(
        self, store: MemoryStore, units: Iterable[Entry], before: Iterable[str], now: int
    ) -> dict[str, ShownMemory]:
        """Return, by id, the memories that a unit may match, that the file showed `before`, or that it must show."""
        ids = {id for unit in units for key in matching_keys(unit) for id in self._by_key.get(hash(key), ())}
        ids.update(id for id in before if id in self._entries)
        # A memory takes at least one line, so at most `file_lines` memories fit: the most important ones.
        ids.update(id for _, id in heapq.nlargest(self._limits.file_lines, self._own_entries(now)))
        records = store.get_many(sorted(ids))
        return {
            record.id: self.shown_memory(record)
            for record in sorted(records.values(), key=lambda item: item.id)
            if shown_entries.may_show(record) and shown_entries.is_current(record.expires_at, now)
        }
