"""A text as one memory, or as several where it is longer than one may be."""

from __future__ import annotations

from dataclasses import replace

from sidecar.interchange.parsed import LARGEST, Item
from sidecar.interchange.sections import numbered, sections, split


def fitted(item: Item) -> list[Item]:
    """The item, or its sections under its name, or their parts; all of its text."""
    if len(item.content) <= LARGEST:
        return [item]
    parts: list[str] = []
    current = ""
    for section in sections(item.content):
        heading = f"{'#' * section.level} {section.titles[-1]}\n\n" if section.titles else ""
        for piece in split(f"{heading}{section.text}".strip()):
            if current and len(current) + len(piece) + 2 > LARGEST - 2_000:
                parts.append(current)
                current = ""
            current = f"{current}\n\n{piece}" if current else piece
    parts.append(current)
    kept = [part for part in parts if part.strip()]
    name = item.name or item.key
    return [
        replace(
            item,
            content=part,
            name=numbered(name, number, len(kept)),
            key=item.key if number == 1 else f"{item.key}\0{number}",
        )
        for number, part in enumerate(kept, start=1)
    ]
