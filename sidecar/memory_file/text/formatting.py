"""Lay MEMORY.md out evenly for an editor's "format document", without changing its content.

Entries get the form that this program writes, white space at line ends goes, and headings get one blank line before and
after. Other text of people keeps its words. A text with git's conflict markers is left alone.
"""

from __future__ import annotations

from sidecar.memory_file.text.document import DocumentBlock, has_conflict, read_document
from sidecar.memory_file.text.entry import parse, render

# Formatting cuts no entry.
_MAX_ENTRY_LINES = 1_000_000


def format_text(text: str) -> str:
    if has_conflict(text):
        return text
    document = read_document(text)
    blocks: list[DocumentBlock] = []
    for block in document.blocks:
        before = blocks[-1] if blocks else None
        if block.kind == "blank":
            if before is not None and before.kind != "blank":
                blocks.append(DocumentBlock("blank", ("",), block.type))
            continue
        heading = block.kind == "heading" or (before is not None and before.kind == "heading")
        if heading and before is not None and before.kind != "blank":
            blocks.append(DocumentBlock("blank", ("",), block.type))
        blocks.append(_format_block(block))
    document.blocks = blocks
    return document.text()


def _format_block(block: DocumentBlock) -> DocumentBlock:
    if block.entry is None:
        bare = tuple(line.rstrip() for line in block.lines) if block.kind == "heading" else block.lines
        return block._replace(lines=bare)
    if block.entry.cut:
        return block._replace(lines=tuple(line.rstrip() for line in block.lines))
    lines = list(block.lines)
    while lines and not lines[-1].strip():
        lines.pop()
    rendered = render(block.entry, _MAX_ENTRY_LINES, "")
    same = parse(rendered, block.type) == block.entry
    return block._replace(lines=tuple(rendered) if same else tuple(line.rstrip() for line in lines))
