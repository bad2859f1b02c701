"""The memory file, or one page of its directory form, as an editor shows it: sections, entries, problems.

The given text may be saved or not; nothing is changed here, since `sidecar.memory_file` takes in edits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from sidecar.engine.editor.entries import ShownEntries
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.memories.recording import record_writes
from sidecar.memories.wording.naming import is_derived
from sidecar.memory_file import carrying_out, disk
from sidecar.memory_file.text import document as documents
from sidecar.memory_file.text import page as pages
from sidecar.memory_file.text.entry import Entry
from sidecar.runtime.errors import InvalidField, OutsideWorkspace
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import REPOSITORY_SOURCE
from sidecar.text.references import mentions

Form = Literal["file", "page"]
Severity = Literal["error", "warning", "information"]

_SEPARATOR: Final = "=" * 7  # of the two sides of a conflict


@dataclass(frozen=True)
class PageProblem:
    """A problem in the lines `first` to `last`, between two code point indexes; an `end` of None is the line's end.

    `id` is the memory concerned, `entry` the index of its entry in the view.
    """

    code: str
    message: str
    severity: Severity
    first: int
    last: int
    start: int = 0
    end: int | None = None
    id: str | None = None
    entry: int | None = None


@dataclass(frozen=True)
class EntryView:
    """An entry and the memory that it stands for; lines from 0, both ends included."""

    first: int
    last: int
    title: str
    type: str
    category: str | None
    id: str | None = None
    record: MemoryRecord | None = None


@dataclass(frozen=True)
class PageSection:
    """A heading and the lines below it."""

    first: int
    last: int
    title: str


@dataclass
class PageView:
    """The whole document; `comments` are blocks of several lines that are not entries, as (first, last)."""

    form: Form
    entries: list[EntryView] = field(default_factory=list)
    sections: list[PageSection] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)
    problems: list[PageProblem] = field(default_factory=list)


class _EntryRegion(NamedTuple):
    """The lines `first` to `last` in which entry `number` of the view stands."""

    lines: list[str]
    first: int
    last: int
    number: int

    def problem(
        self, code: str, message: str, severity: Severity, names: Collection[str] = (), id: str | None = None
    ) -> PageProblem:
        """Return a problem at the first of the names found in the lines, else at the whole first line."""
        line, start, end = self._locate(names)
        return PageProblem(code, message, severity, line, line, start, end, id, self.number)

    def _locate(self, names: Collection[str]) -> tuple[int, int, int]:
        for name in names:
            for line in range(self.first, min(self.last + 1, len(self.lines))):
                start = self.lines[line].find(name)
                if start >= 0:
                    return line, start, start + len(name)
        return self.first, 0, len(self.lines[self.first]) if self.first < len(self.lines) else 0


def form_of(workspace: OpenWorkspace, uri: str) -> Form | None:
    """Return `file` for the memory file and `page` for a page of its directory form.

    Return None for any other document, and if that form is switched off.
    """
    settings = workspace.settings.memory_file
    try:
        path = workspace.tree.entry(uri)
    except OutsideWorkspace:
        return None
    if settings.mode == "file" and path == settings.path:
        return "file"
    folder, _, name = path.rpartition("/")
    is_page = folder == settings.folder and name.endswith(pages.PAGE_SUFFIX) and not name.startswith(".")
    return "page" if settings.mode == "directory" and is_page else None


def read_page(shown_entries: ShownEntries, workspace: OpenWorkspace, form: Form, text: str, now: int) -> PageView:
    lines = text.replace("\r\n", "\n").split("\n")
    if documents.has_conflict(text):
        return PageView(form, problems=_conflicts(lines))
    view = PageView(form)
    status = workspace.memory_file.status if workspace.is_enabled else None
    if status is not None and status.state == "held":
        view.problems.append(PageProblem("vanished", status.detail or "", "warning", 0, 0))
    if form == "file":
        entries_by_block = _read_blocks_into(view, text)
    else:
        page = pages.parse(text)
        if page is None:
            message = "This is not a memory: it has no readable front matter, or no text. It is left alone."
            view.problems.append(PageProblem("unreadable", message, "error", 0, 0))
            return view
        entries_by_block = {0: (page.entry, 0, max(0, len(lines) - 1))}
    entries = {index: entry for index, (entry, _, _) in entries_by_block.items()}
    placed = shown_entries.memory_ids(workspace.memory_store, entries, now)
    records = workspace.book.searcher.get_many(placed.values())
    for index, (entry, first, last) in entries_by_block.items():
        record = records.get(placed.get(index, ""))
        fits = record is not None and is_derived(record.name, entry.text)  # false while it is being edited
        title = entry.name or (record.name if record and fits else entry.text.split("\n", 1)[0])
        id = record.id if record is not None else None
        view.entries.append(EntryView(first, last, title, entry.type, entry.category, id, record))
        region = _EntryRegion(lines, first, last, len(view.entries) - 1)
        if record is not None:
            view.problems += _stale(record, region)
        else:
            view.problems += _refused(entry, region, now)
            view.problems += _missing(workspace, entry, region)
    foreign = [item for item in view.entries if item.record is not None and item.record.source == REPOSITORY_SOURCE]
    if foreign:
        message = (
            f"Not your words but the repository's, as {len(foreign)} of the entries here. `memory-sidecar review` "
            "makes single ones yours, `memory-sidecar trust` all that it says."
        )
        line = foreign[0].first
        view.problems.append(PageProblem("repository", message, "information", line, line, id=foreign[0].id))
    return view


def places(shown_entries: ShownEntries, workspace: OpenWorkspace, now: int) -> Mapping[str, tuple[str, int, int]]:
    """Return where each memory stands in the file on disk: path, first and last line."""
    settings = workspace.settings.memory_file
    located: dict[str, tuple[str, int, int]] = {}
    try:
        if settings.mode == "file":
            text = disk.read_text(disk.resolve_inside(workspace.tree.root, settings.path))
            if text is not None and not documents.has_conflict(text):
                entries_by_block = _read_blocks_into(PageView("file"), text)
                entries = {index: entry for index, (entry, _, _) in entries_by_block.items()}
                placed = shown_entries.memory_ids(workspace.memory_store, entries, now, match_reworded=False)
                for index, id in placed.items():
                    located[id] = (settings.path, entries_by_block[index][1], entries_by_block[index][2])
        elif settings.mode == "directory":
            folder = disk.resolve_inside(workspace.tree.root, settings.folder)
            by_digits = {id.replace("-", "")[-8:]: id for id in shown_entries.shown_ids(workspace.memory_store, now)}
            for name in disk.names(folder, pages.PAGE_SUFFIX):
                digits = name.removesuffix(pages.PAGE_SUFFIX).rpartition("-")[2]
                if digits in by_digits:
                    located[by_digits[digits]] = (f"{settings.folder}/{name}", 0, 0)
    except disk.UnusableFile:
        return {}
    return located


def _read_blocks_into(view: PageView, text: str) -> dict[int, tuple[Entry, int, int]]:
    """Add the sections and comments of a text to a view; return its entries, with their lines, by block."""
    entries_by_block: dict[int, tuple[Entry, int, int]] = {}
    line, heads = 0, list[tuple[int, str]]()
    for index, block in enumerate(documents.read_document(text).blocks):
        first, line = line, line + len(block.lines)
        last = line - 1
        while last > first and not block.lines[last - first].strip():
            last -= 1
        if block.entry is not None:
            entries_by_block[index] = (block.entry, first, last)
        elif block.kind == "heading":
            heads.append((first, block.lines[0].strip("# \t") or "…"))
        elif block.kind == "other" and last > first:
            view.comments.append((first, last))
    ends = [*(first - 1 for first, _ in heads[1:]), line - 1]
    view.sections = [
        PageSection(first, max(first, end), title) for (first, title), end in zip(heads, ends, strict=False)
    ]
    return entries_by_block


def _conflicts(lines: list[str]) -> list[PageProblem]:
    message = "A conflict marker of git: until it is resolved, nothing of this file is taken into memory."
    return [
        PageProblem("conflict", message, "error", number, number, 0, len(line))
        for number, line in enumerate(lines)
        if documents.has_conflict(line) or line.partition(" ")[0] == _SEPARATOR
    ]


def _stale(record: MemoryRecord, region: _EntryRegion) -> Iterator[PageProblem]:
    for reference in record.references:
        if not reference.stale:
            continue
        gone = reference.gone
        subject = reference.text if reference.symbol is None else f"{reference.symbol} in {reference.path}"
        message = f"{subject} does not exist any more." if gone else f"{subject} has changed since this was recorded."
        names = [name for name in (reference.text, reference.symbol, reference.path, reference.former) if name]
        code = "referenceMissing" if gone else "referenceChanged"
        yield region.problem(code, message, "warning" if gone else "information", names, record.id)


def _missing(workspace: OpenWorkspace, entry: Entry, region: _EntryRegion) -> Iterator[PageProblem]:
    """Yield a problem for each file that an entry names although it does not exist."""
    named_files = [mention for mention in mentions(entry.text) if mention.kind == "path"]
    if not named_files:
        return
    known_paths = {
        reference.text
        for reference in workspace.references.find_references(entry.text, (), local=True).references
        if reference.path
    }
    for mention in named_files:
        if mention.text not in known_paths:
            message = f"{mention.text} does not exist in this workspace."
            yield region.problem("referenceMissing", message, "information", [mention.text])


def _refused(entry: Entry, region: _EntryRegion, now: int) -> Iterator[PageProblem]:
    """Yield a problem if an entry cannot become a memory."""
    try:
        record_writes.prepare(carrying_out.draft_of(entry, carrying_out.USER_SOURCE), now, lambda now: "")
    except InvalidField as error:
        yield region.problem("refused", f"This entry is not taken into memory: {error.message}", "error")
