"""Write and read one memory as one file: front matter (YAML between two lines of dashes), then the text.

The file's name ends in digits of the memory's id, so that memories of two branches get different files, which git
merges without a conflict. The file holds no time, which would conflict in every merge. Unknown keys are kept.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any

from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.front_matter import FrontMatter, read_front
from sidecar.store.vocabulary import CATEGORIES, TYPES
from sidecar.text.lazy_patterns import lazy

PAGE_SUFFIX = ".md"
_FRONT_MATTER = lazy(r"\A---[ \t]*\r?\n(.*?\r?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_OWN_FIELDS = ("name", "description", "type", "scope", "category", "agent", "tags", "pinned", "by")
_MAX_SLUG_CHARS = 60


@dataclass(frozen=True)
class MemoryPage:
    """A memory's page."""

    entry: Entry
    others: dict[str, Any] = field(default_factory=dict)  # front matter that this program does not know


def file_name(id: str, name: str) -> str:
    """Return the name of a new page: the memory's name in lower-case ASCII, then the random end of its id."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = "-".join(re.findall(r"[a-z0-9]+", plain))[:_MAX_SLUG_CHARS].strip("-") or "memory"
    return f"{slug}-{id.replace('-', '')[-8:]}{PAGE_SUFFIX}"


def render(page: MemoryPage) -> str:
    import yaml

    entry = page.entry
    front: dict[str, Any] = {
        "name": entry.name,
        "description": entry.description,
        "type": entry.type,
        "scope": "project",
        "category": entry.category,
        "agent": entry.agent,
        "tags": list(entry.tags) or None,
        "pinned": entry.pinned or None,
        "by": entry.author,
    }
    fields = {key: value for key, value in front.items() if value is not None} | page.others
    head = yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=1_000_000)
    body = "\n".join(line.rstrip() for line in entry.text.split("\n"))
    return f"---\n{head}---\n\n{body}\n"


def parse(text: str) -> MemoryPage | None:
    """Parse a page; return None without readable front matter or text."""
    match = _FRONT_MATTER.match(text)
    front = read_front(match.group(1) or "", _OWN_FIELDS) if match is not None else None
    if match is None or front is None:
        return None
    body = text[match.end() :].replace("\r\n", "\n").strip()
    if not body or _front_text(front, "scope") not in (None, "project"):
        return None
    type, category, tags = _front_text(front, "type"), _front_text(front, "category"), front.own_fields.get("tags")
    entry = Entry(
        type=type if type in TYPES else "project",
        text="\n".join(line.rstrip() for line in body.split("\n")),
        name=_front_text(front, "name"),
        category=category if category in CATEGORIES else None,
        agent=_front_text(front, "agent"),
        pinned=(_front_text(front, "pinned") or "").lower() in ("true", "yes", "on"),
        description=_front_text(front, "description"),
        tags=tuple(tags) if isinstance(tags, list) else (),
        author=_front_text(front, "by"),
    )
    return MemoryPage(entry, front.other_fields)


def _front_text(front: FrontMatter, name: str) -> str | None:
    value = front.own_fields.get(name)
    return " ".join(value.split()) or None if isinstance(value, str) else None
