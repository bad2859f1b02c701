"""Read Claude Code's own memory folder (`~/.claude/projects/<project>/memory/`): one file per memory, and an index.

Files in public repositories (November 2026) have front matter with `name`, `description` and `metadata` (`node_type:
memory`, `type`, `originSessionId`, `modified`), or older with `type` at the top level. Their text links to others by
`[[name]]`; the index `MEMORY.md` has a line `- [Title](file.md) - hook` for each file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sidecar.interchange.formats import front_matter, markdown
from sidecar.interchange.parsed import ImportSource, ItemLink, Omission, ParsedImport
from sidecar.interchange.values import text_of
from sidecar.store.vocabulary import TYPES

FORMAT = "claude"
_TYPES = {type: (type, None) for type in TYPES}
_WIKI_LINK = re.compile(r"\[\[([^\[\]|#]+)[^\[\]]*\]\]")
_INDEX_LINE = re.compile(r"\s*[-*]\s+\[[^\]]*\]\([^)]+\.md\).*\Z")


def fits(source: ImportSource) -> bool:
    fields, _ = front_matter.split_front_matter(source.text[: 2 * front_matter.MAX_CHARS])
    if fields is None:
        return False
    kind = text_of(fields, "metadata.type", "type")
    return "metadata.node_type" in fields or (kind in _TYPES and "name" in fields)


def read(sources: Sequence[ImportSource]) -> ParsedImport:
    """Return one item per file, and one per section of the index's own text."""
    parsed = ParsedImport(FORMAT)
    keys_by_name: dict[str, str] = {}
    texts: dict[str, str] = {}
    for source in sources:
        if source.path.rpartition("/")[2] == "MEMORY.md":
            parsed.add(_index(source))
            continue
        fields, body = front_matter.split_front_matter(source.text)
        page = front_matter.read_page(source, fields or {}, body, _TYPES, FORMAT)
        parsed.add(page)
        for item in page.items[:1]:
            for name in (item.name or "", source.stem, source.stem.replace("_", "-")):
                keys_by_name.setdefault(name, item.key)
            texts[item.key] = body
    for key, body in texts.items():
        for target in dict.fromkeys(keys_by_name.get(match.strip()) for match in _WIKI_LINK.findall(body)):
            if target is not None and target != key:
                parsed.links.append(ItemLink(key, target))
    return parsed


def _index(source: ImportSource) -> ParsedImport:
    text, pointers = without_index(source.text)
    parsed = markdown.read(replace(source, text=text), FORMAT)
    if pointers:
        parsed.skipped = [Omission(source.path, source.stem, f"{pointers} lines only point to the other files.")]
    return parsed


def without_index(text: str) -> tuple[str, int]:
    """Return the text without the lines that only point to other files, and how many there were."""
    lines = text.splitlines()
    remaining = [line for line in lines if not _INDEX_LINE.match(line)]
    return "\n".join(remaining), len(lines) - len(remaining)
