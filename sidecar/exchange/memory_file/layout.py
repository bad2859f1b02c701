"""The single file as it should be: every memory it has room for, in the order that it has already.

What a person wrote and what is unchanged keep their very lines. New memories go to the end of their section, the
most important first. Where there is no room for all, the least important are left out and a last line says so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from sidecar.exchange.memory_file.document import OVERFLOW, Block, Document, new
from sidecar.exchange.memory_file.entry import Entry, show
from sidecar.exchange.memory_file.plan import Known, Written, written

_OVERFLOW_LINES = 2  # the line that says how many are missing, and the blank one before it


@dataclass(frozen=True, slots=True)
class Limits:
    """Lines of the whole file and of one entry, and the commands that show what they leave out.

    `command` gets the id of a memory.
    """

    file_lines: int = 200
    entry_lines: int = 12
    command: str = "memory-sidecar get {id}"
    list_command: str = "memory-sidecar list --scope project"


def known(id: str, entry: Entry, name: str, weight: tuple[float, ...], limits: Limits) -> Known:
    """A memory of the store as the file shows it. `name` is its name, also when `entry` has none of its own."""
    shown, lines = show(entry, name, limits.entry_lines, limits.command.format(id=id))
    return Known(entry, shown, tuple(lines), weight)


def lay_out(
    document: Document | None,
    placed: Mapping[int, str | None],
    memories: Mapping[str, Known],
    limits: Limits,
    total: int | None = None,
) -> tuple[Document, dict[str, Written]]:
    """The file to write, and what it says of each memory.

    `placed` gives the id of the memory that the block of each position stands for, None for an entry that could not
    be taken into the store and stays as it is; entries that it does not name go. `memories` may leave out those that
    have no place: of the `limits.file_lines` most important ones none. `total` counts them, too.
    """
    total = len(memories) if total is None else total
    laid = Document(ending=document.ending) if document is not None else new()
    there: set[str] = set()
    for at, block in enumerate(document.blocks if document is not None else ()):
        if block.kind == "other" and block.lines[0].startswith(OVERFLOW):
            continue
        if block.entry is None or (at in placed and placed[at] is None):
            laid.blocks.append(block)
            continue
        id = placed.get(at)
        if id is not None and id in memories and id not in there:
            there.add(id)
            laid.blocks.append(_standing_for(block, id, memories[id]))
    missing = sorted(memories.keys() - there, key=lambda id: _order(id, memories), reverse=True)
    for id in missing[: limits.file_lines]:  # each takes a line at least
        shown = memories[id].shown
        laid.add(Block("entry", memories[id].lines, shown.type, shown, id))
    _fit(laid, memories, limits, total)
    shown_ids = [block.id for block in laid.blocks if block.id is not None]
    hidden = total - len(shown_ids)
    if hidden > 0:
        if laid.blocks and laid.blocks[-1].kind != "blank":
            laid.blocks.append(Block("blank", ("",)))
        laid.blocks.append(Block("other", (f"{OVERFLOW}{hidden}. See {limits.list_command} -->",)))
    return laid, {id: written(memories[id].shown) for id in shown_ids}


def _standing_for(block: Block, id: str, memory: Known) -> Block:
    """The block as it was when it says what the store does, else with new lines."""
    if block.entry is not None and _same(block.entry, memory.shown):
        return block._replace(id=id)
    return Block("entry", memory.lines, block.type, memory.shown, id)


def _same(one: Entry, other: Entry) -> bool:
    return written(one) == written(other) and one.cut == other.cut


def _order(id: str, memories: Mapping[str, Known]) -> tuple[tuple[float, ...], str]:
    return memories[id].weight, id


def _fit(laid: Document, memories: Mapping[str, Known], limits: Limits, total: int) -> None:
    """Take out the least important memories until the file is short enough; a person's own lines always stay.

    Which ones go depends on their weights alone, not on which were shown before, so that a second time changes nothing.
    """
    everything = laid.blocks
    shown = sorted((one for one in everything if one.id), key=lambda one: _order(one.id or "", memories))

    def fits(gone: int) -> bool:
        taken = {block.id for block in shown[:gone]}
        laid.blocks = [block for block in everything if block.id is None or block.id not in taken]
        laid.tidy()
        hidden = total - (len(shown) - gone)
        return laid.line_count() + (_OVERFLOW_LINES if hidden > 0 else 0) <= limits.file_lines

    if fits(0) or not shown:
        return
    # The more go the shorter it is, but for the line that says that some are missing, which the first one brings.
    fewest = bisect_left(range(1, len(shown)), True, key=fits) + 1
    fits(fewest)
