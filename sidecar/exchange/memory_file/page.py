"""One memory as one file: front matter (YAML between two lines of dashes), then the text.

The name of the file says what the memory is called and ends in digits of its id, so that two people who record
memories on two branches make different files, which git merges without a conflict. No time is written: it would make
every merge one. Keys that are not ours are kept.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any

from sidecar.exchange.memory_file.entry import CATEGORIES, Entry
from sidecar.patterns import lazy

ENDING = ".md"
_FRONT = lazy(r"\A---[ \t]*\r?\n(.*?\r?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_OURS = ("name", "description", "type", "scope", "category", "agent", "tags", "pinned")
_TYPES = ("project", "feedback", "reference", "user")
_SLUG = 60


@dataclass(frozen=True)
class Page:
    """A memory's file. `others` are front matter keys that this program does not know."""

    entry: Entry
    others: dict[str, Any] = field(default_factory=dict)


def file_name(id: str, name: str) -> str:
    """The name of a new file, in lower-case ASCII; the end of the id, which is random, keeps files apart."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = "-".join(re.findall(r"[a-z0-9]+", plain))[:_SLUG].strip("-") or "memory"
    return f"{slug}-{id.replace('-', '')[-8:]}{ENDING}"


def render(page: Page) -> str:
    """The file's text, the same for the same page."""
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
    }
    given = {key: value for key, value in front.items() if value is not None} | page.others
    head = yaml.safe_dump(given, sort_keys=False, allow_unicode=True, width=1_000_000)
    body = "\n".join(line.rstrip() for line in entry.text.split("\n"))
    return f"---\n{head}---\n\n{body}\n"


def parse(text: str) -> Page | None:
    """The page of a file; None when it has no readable front matter or no text, and so is no memory."""
    import yaml

    found = _FRONT.match(text)
    if found is None:
        return None
    try:
        front = yaml.safe_load(found.group(1) or "")
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if not isinstance(front, dict):
        return None
    body = text[found.end() :].replace("\r\n", "\n").strip()
    if not body or _text(front.get("scope")) not in (None, "project"):
        return None
    type, category, tags = _text(front.get("type")), _text(front.get("category")), front.get("tags")
    entry = Entry(
        type=type if type in _TYPES else "project",
        text="\n".join(line.rstrip() for line in body.split("\n")),
        name=_text(front.get("name")),
        category=category if category in CATEGORIES else None,
        agent=_text(front.get("agent")),
        pinned=front.get("pinned") is True,
        description=_text(front.get("description")),
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
    )
    return Page(entry, {str(key): value for key, value in front.items() if key not in _OURS})


def _text(value: object) -> str | None:
    if value is None or isinstance(value, (dict, list)):
        return None
    return " ".join(str(value).split()) or None
