"""Lay out the single file: every memory that fits, in the present order; `file_pass.py` then writes it.

Unchanged entries and text of people keep their exact lines. New memories go to the end of their section, the most
important first. If not all fit, the least important are left out, and a last line says so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from sidecar.memory_file.text.document import OVERFLOW_PREFIX, DocumentBlock, MemoryDocument, empty_document
from sidecar.memory_file.text.entry import Entry, show
from sidecar.memory_file.text.plan import EntryDigests, ShownMemory, digest_entry

# Shows the whole of a cut entry.
_SHOW_COMMAND = "memory-sidecar get {id}"
# Shows the memories that do not fit.
_LIST_COMMAND = "memory-sidecar list --scope project"
# The line that counts the missing memories, and the blank line before it.
_OVERFLOW_LINES = 2


@dataclass(frozen=True, slots=True)
class FileLimits:
    file_lines: int = 200
    entry_lines: int = 12


def shown_memory(
    id: str, entry: Entry, name: str, weight: tuple[float, ...], limits: FileLimits, *, foreign: bool = False
) -> ShownMemory:
    """Return a stored memory as the file shows it, named `name` if the entry would be misread without a name."""
    shown_entry, lines = show(entry, name, limits.entry_lines, _SHOW_COMMAND.format(id=id))
    bare = replace(entry, author=None)
    unsigned = tuple(show(bare, name, limits.entry_lines, _SHOW_COMMAND.format(id=id))[1]) if entry.author else ()
    return ShownMemory(entry, shown_entry, tuple(lines), weight, foreign, unsigned)


def lay_out(
    document: MemoryDocument | None,
    placed: Mapping[int, str | None],
    memories: Mapping[str, ShownMemory],
    limits: FileLimits,
    total: int | None = None,
    keep: Collection[str] = (),
) -> tuple[MemoryDocument, dict[str, EntryDigests]]:
    """Return the file to write, and the digests of each memory's entry in it.

    `placed` maps the index of a block to the id of its memory, or to None for an entry that could not be stored and
    stays; other entries are dropped. `memories` holds at least those placed and the `limits.file_lines` most important
    of all `total`. Memories in `keep` keep their lines. A memory that only the repository holds gets no new line.
    """
    own_ids = [id for id, memory in memories.items() if not memory.foreign]
    total = len(own_ids) if total is None else total
    new_document = MemoryDocument(ending=document.ending) if document is not None else empty_document()
    present: set[str] = set()
    for index, block in enumerate(document.blocks if document is not None else ()):
        if block.kind == "other" and block.lines[0].startswith(OVERFLOW_PREFIX):
            continue
        if block.entry is None or (index in placed and placed[index] is None):
            new_document.blocks.append(block)
            continue
        id = placed.get(index)
        if id is not None and id in memories and id not in present:
            present.add(id)
            new_document.blocks.append(block._replace(id=id) if id in keep else _updated_block(block, id, memories[id]))
    missing = sorted(set(own_ids) - present, key=lambda id: _order(id, memories), reverse=True)
    for id in missing[: limits.file_lines]:  # a memory takes at least one line
        entry = memories[id].shown
        new_document.add(DocumentBlock("entry", memories[id].lines, entry.type, entry, id))
    _drop_excess(new_document, memories, limits, total, keep)
    entries = {own.id: own.entry for own in new_document.blocks if own.id is not None and own.entry is not None}
    hidden = total - sum(not memories[id].foreign for id in entries)
    if hidden > 0:
        if new_document.blocks and new_document.blocks[-1].kind != "blank":
            new_document.blocks.append(DocumentBlock("blank", ("",)))
        new_document.blocks.append(DocumentBlock("other", (f"{OVERFLOW_PREFIX}{hidden}. See {_LIST_COMMAND} -->",)))
    return new_document, {id: digest_entry(entry) for id, entry in entries.items()}


def _updated_block(block: DocumentBlock, id: str, memory: ShownMemory) -> DocumentBlock:
    entry, shown_entry = block.entry, memory.shown
    same = entry is not None and (entry.cut, entry.author) == (shown_entry.cut, shown_entry.author)
    if entry is not None and same and digest_entry(entry) == digest_entry(shown_entry):
        return block._replace(id=id)
    return DocumentBlock("entry", memory.lines, block.type, shown_entry, id)


def _order(id: str, memories: Mapping[str, ShownMemory]) -> tuple[tuple[float, ...], str]:
    return memories[id].weight, id


def _drop_excess(
    new_document: MemoryDocument,
    memories: Mapping[str, ShownMemory],
    limits: FileLimits,
    total: int,
    keep: Collection[str],
) -> None:
    """Drop the least important memories until the file is short enough; all other lines stay."""
    everything = new_document.blocks
    own = [block for block in everything if block.id and not memories[block.id].foreign]
    droppable = [block for block in own if block.id not in keep]
    droppable.sort(key=lambda block: _order(block.id or "", memories))

    def fits(dropped: int) -> bool:
        dropped_ids = {block.id for block in droppable[:dropped]}
        new_document.blocks = [block for block in everything if block.id is None or block.id not in dropped_ids]
        new_document.tidy()
        hidden = total - (len(own) - dropped)
        return new_document.line_count() + (_OVERFLOW_LINES if hidden > 0 else 0) <= limits.file_lines

    if fits(0) or not droppable:
        return
    # Each dropped memory shortens the file, but the first one adds the line that counts them.
    min_dropped = bisect_left(range(1, len(droppable)), True, key=fits) + 1
    fits(min_dropped)
