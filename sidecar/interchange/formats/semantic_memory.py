"""Read the JSON export of opencode-semantic-memory.

Version 0.68.0 writes an object with `version` "1.0", `exported_at`, `filters`, `memories` (`id`, `category`,
`content`, `what`, `why`, `learned`, `project`, `source_file`, `created_at`, `resolved_at`, `entities`), `entities` and
`links` (`source_memory_id`, `target_memory_id`, `link_type`, `strength`, `reason`).
"""

from __future__ import annotations

from typing import Any

from sidecar.interchange.parsed import (
    ImportItem,
    ImportSource,
    ItemLink,
    Omission,
    ParsedImport,
    Status,
    join_notes,
    malformed,
    scope_of,
    unknown_type,
)
from sidecar.interchange.sections import split_item
from sidecar.interchange.values import decode_json, plain_files, short_name, text_of, vocabulary
from sidecar.text.times import millis

FORMAT = "semantic-memory"
_CATEGORIES, _LINKS = vocabulary(FORMAT)


def fits(source: ImportSource) -> bool:
    head = source.text.lstrip()[:4_000]
    return head.startswith("{") and '"exported_at"' in head and '"memories"' in source.text


def read(source: ImportSource) -> ParsedImport:
    """Return one item per memory. Raises InvalidField for a file that is not such an export."""
    export = decode_json(source.text)
    if export is None:
        raise malformed(source.path, "it is not JSON.")
    memories = export.get("memories") if isinstance(export, dict) else None
    if not isinstance(memories, list):
        raise malformed(source.path, "it is not an export of opencode-semantic-memory: it has no list of memories.")
    parsed = ParsedImport(FORMAT)
    for number, memory in enumerate(memories):
        where = f"{source.path}, memories[{number}]"
        content = text_of(memory, "content") if isinstance(memory, dict) else None
        if content is None:
            parsed.skipped.append(Omission(where, "", "It has no content."))
            continue
        parsed.items += split_item(_item(memory, where, content))
    links = export.get("links")
    keys = {item.key for item in parsed.items}
    for number, link in enumerate(links if isinstance(links, list) else []):
        if problem := _add_link(parsed, link, keys):
            parsed.skipped.append(Omission(f"{source.path}, links[{number}]", "", problem))
    entities = export.get("entities")
    if isinstance(entities, list) and entities:
        reason = "Entities are found again in the texts that name them."
        parsed.skipped.append(Omission(f"{source.path}, entities", f"{len(entities)} entities", reason))
    return parsed


def _item(memory: dict[str, Any], where: str, content: str) -> ImportItem:
    own_category, what, project = text_of(memory, "category"), text_of(memory, "what"), text_of(memory, "project")
    kind, category = _CATEGORIES.get(own_category or "", ("project", "fact"))
    for label, field in (("Why", "why"), ("Learned", "learned")):
        if (detail := text_of(memory, field)) and detail not in content:
            content += f"\n{label}: {detail}"
    if what and len(what) > 200 and what not in content:
        content = f"{what}\n{content}"
    scope, note = scope_of(text_of(memory, "scope"))
    resolved = text_of(memory, "resolved_at")
    ended: dict[str | None, Status] = {"blocker": "resolved", "plan": "archived"}
    status = ended.get(category, "active") if resolved else "active"
    created = millis(memory.get("created_at"))
    return ImportItem(
        key=str(memory.get("id", where)),
        where=where,
        content=content,
        name=short_name(what),
        type=kind,
        category=category,
        files=plain_files([memory.get("source_file")]),
        tags=(project[:100],) if project else (),
        created_at=created,
        updated_at=millis(resolved) or created,
        status=status,
        agent=short_name(memory.get("agent"), 100),
        scope=scope,
        note=join_notes(note, unknown_type(own_category, _CATEGORIES)),
    )


def _add_link(parsed: ParsedImport, link: object, known_ids: set[str]) -> str | None:
    """Add a link to the import; if it is skipped, return the reason."""
    kind = link.get("link_type") if isinstance(link, dict) else None
    if not isinstance(link, dict) or not isinstance(kind, str) or kind not in _LINKS:
        return "It is not a link of a known kind."
    source, target = str(link.get("source_memory_id")), str(link.get("target_memory_id"))
    absent = next((key for key in (source, target) if key not in known_ids), None)
    if absent is not None:
        return f"There is no memory “{absent[:60]}”."
    if source == target:
        return "It leads from a memory to itself."
    strength = link.get("strength")
    strength = float(strength) if isinstance(strength, int | float) and 0 <= strength <= 1 else 0.5
    parsed.links.append(ItemLink(source, target, _LINKS[kind], strength))
    return None
