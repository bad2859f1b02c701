"""What the last pass over the directory form made of pages and memories: YAML is slow, and most stay as they are."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from sidecar.memory_file import bridge, disk
from sidecar.memory_file.text.page import Page, parse, render
from sidecar.memory_file.text.plan import Known
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import REPOSITORY

_SURE_NS = 3_000_000_000
"""The coarsest times that file systems keep are two seconds apart (FAT)."""


class Seen:
    """Compared with the file, text or record itself each time, so it is never out of date. One thread at a time."""

    def __init__(self) -> None:
        self._texts: dict[str, tuple[disk.FileMark, str]] = {}
        self._pages: dict[str, tuple[str, Page | None]] = {}
        self._known: dict[str, tuple[MemoryRecord, Known]] = {}

    def text(self, place: Path, mark: disk.FileMark | None) -> str | None:
        """What a file says, of which `mark` was noted before; None when there is none. Raises `LeftAlone`.

        It is not read again while it is as it was, unless it was written shortly before it was read: a second write
        of the same size may then have the same time.
        """
        before = self._texts.get(place.name)
        if before is not None and before[0] == mark:
            return before[1]
        now = time.time_ns()
        text = disk.read(place)
        if text is not None and mark is not None and now - mark[1] > _SURE_NS:
            self._texts[place.name] = mark, text
        else:
            self._texts.pop(place.name, None)
        return text

    def page(self, name: str, text: str) -> Page | None:
        """The page of this text."""
        before = self._pages.get(name)
        if before is None or before[0] != text:
            before = self._pages[name] = (text, parse(text))
        return before[1]

    def known(self, records: Mapping[str, MemoryRecord]) -> dict[str, Known]:
        """These memories as their pages show them; others are forgotten."""
        found: dict[str, tuple[MemoryRecord, Known]] = {}
        for id, record in records.items():
            before = self._known.get(id)
            found[id] = before if before is not None and before[0] == record else (record, _shown(record))
        self._known = found
        return {id: known for id, (_, known) in found.items()}

    def keep(self, names: Collection[str]) -> None:
        """Forget the pages that are there no more."""
        there = set(names)
        self._texts = {name: kept for name, kept in self._texts.items() if name in there}
        self._pages = {name: kept for name, kept in self._pages.items() if name in there}


def _shown(record: MemoryRecord) -> Known:
    entry = bridge.entry_of(record)
    read = parse(render(Page(entry)))
    shown = replace(entry, text="\n".join(entry.lines)) if read is None else read.entry
    return Known(entry, shown, foreign=record.source == REPOSITORY)
