"""Read Serena's project memories: `.serena/memories/*.md`, also in subfolders; a file's path is its memory's name.

In oraios/serena's own repository they are plain Markdown without front matter (`suggested_commands.md`).
"""

from __future__ import annotations

from collections.abc import Sequence

from sidecar.interchange.formats import front_matter
from sidecar.interchange.parsed import ImportItem, ImportSource, Omission, ParsedImport
from sidecar.interchange.sections import split_item
from sidecar.interchange.values import short_name

FORMAT = "serena"


def read(sources: Sequence[ImportSource]) -> ParsedImport:
    parsed = ParsedImport(FORMAT)
    for source in sources:
        name = source.path.partition(".serena/memories/")[2] or source.path
        name = name.removesuffix(".md")
        if not source.text.strip():
            parsed.skipped.append(Omission(source.path, name, "The file has no text."))
            continue
        item = ImportItem(
            key=source.path,
            where=source.path,
            content=source.text.strip(),
            name=short_name(name),
            updated_at=source.modified_at,
        )
        fields, _ = front_matter.split_front_matter(source.text)
        parsed.items += front_matter.for_audience(split_item(item), fields)
    return parsed
