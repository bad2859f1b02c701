"""Claude Code's own memory folder (`~/.claude/projects/<project>/memory/`): one file per memory, and an index.

As found in public repositories (November 2026): front matter with `name`, `description` and `metadata` (`node_type:
memory`, `type`, `originSessionId`, `modified`), in older files `type` at the top level; in the text
`[[name-of-another]]`; `MEMORY.md` has a line `- [Title](file.md) - hook` for each file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sidecar.interchange.formats import front_matter, markdown
from sidecar.interchange.parsed import (
    ImportItem,
    ImportSource,
    ItemLink,
    LeftOut,
    ParsedImport,
    millis,
    notes,
    one_line,
    unknown_type,
)
from sidecar.interchange.sections import fitted

FORMAT = "claude"
_TYPES = frozenset(("user", "feedback", "project", "reference"))
_WIKI_LINK = re.compile(r"\[\[([^\[\]|#]+)[^\[\]]*\]\]")
INDEX_LINE = re.compile(r"\s*[-*]\s+\[[^\]]*\]\([^)]+\.md\).*\Z")


def fits(source: ImportSource) -> bool:
    fields, _ = front_matter.split(source.text[: 2 * front_matter.LONGEST])
    if fields is None:
        return False
    kind = front_matter.text_of(fields, "metadata.type", "type")
    return "metadata.node_type" in fields or (kind in _TYPES and "name" in fields)


def read(sources: Sequence[ImportSource]) -> ParsedImport:
    """Return one item per file, and the index's other text by sections."""
    parsed = ParsedImport(FORMAT)
    known: dict[str, str] = {}
    texts: dict[str, str] = {}
    for source in sources:
        if source.path.rpartition("/")[2] == "MEMORY.md":
            parsed.add(_index(source))
            continue
        fields, body = front_matter.split(source.text)
        fields = fields or {}
        if not body.strip():
            parsed.left.append(LeftOut(source.path, source.stem, "The file has no text."))
            continue
        kind = front_matter.text_of(fields, "metadata.type", "type")
        audience = front_matter.audience(fields)
        name = one_line(front_matter.text_of(fields, "name")) or source.stem
        key = source.path
        for given in (name, source.stem, source.stem.replace("_", "-")):
            known.setdefault(given, key)
        texts[key] = body
        parsed.items += fitted(
            ImportItem(
                key=key,
                where=source.path,
                content=body.strip(),
                name=name,
                description=one_line(front_matter.text_of(fields, "description"), 1_000),
                type=kind if kind in _TYPES else "project",
                session_id=one_line(front_matter.text_of(fields, "metadata.originSessionId")),
                created_at=millis(front_matter.text_of(fields, "metadata.created", "created")),
                updated_at=millis(front_matter.text_of(fields, "metadata.modified", "modified")) or source.modified_at,
                scope=audience.scope,
                agent=audience.agent,
                note=notes(audience.note, unknown_type(kind, _TYPES)),
            )
        )
    for key, body in texts.items():
        for target in dict.fromkeys(known.get(match.strip()) for match in _WIKI_LINK.findall(body)):
            if target is not None and target != key:
                parsed.links.append(ItemLink(key, target))
    return parsed


def _index(source: ImportSource) -> ParsedImport:
    lines = source.text.splitlines()
    kept = [line for line in lines if not INDEX_LINE.match(line)]
    parsed = markdown.read(ImportSource(source.path, "\n".join(kept), source.modified_at), FORMAT)
    if len(kept) < len(lines):
        count = len(lines) - len(kept)
        parsed.left = [LeftOut(source.path, source.stem, f"{count} lines only point to the other files.")]
    return parsed
