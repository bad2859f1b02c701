"""Read AGENTS.md, CLAUDE.md and any other Markdown: each section becomes a memory."""

from __future__ import annotations

from sidecar.interchange.formats import front_matter
from sidecar.interchange.parsed import ImportItem, ImportSource, Omission, ParsedImport
from sidecar.interchange.sections import (
    MAX_PART_CHARS,
    bullets_of,
    category_of,
    part_name,
    section_names,
    sections,
    split_text,
)
from sidecar.interchange.values import list_of, short_name, text_of

FORMAT = "markdown"
INSTRUCTIONS = frozenset(
    "agents.md claude.md claude.local.md gemini.md copilot-instructions.md .cursorrules .windsurfrules".split()
)
"""Files that tell agents what to do, in lower case."""


def read(source: ImportSource, format: str = FORMAT) -> ParsedImport:
    """Return one item per section with text; below a heading such as `## Decisions`, one per bullet."""
    parsed = ParsedImport(format)
    fields, body = front_matter.split_front_matter(source.text)
    described, applies = _rule_scope(fields or {})
    if fields and not (described or applies):
        parsed.skipped.append(Omission(f"{source.path}, line 1", "front matter", "It describes the file."))
    private = source.path.lower().endswith(".local.md")  # its tool does not commit it
    lines_before = source.text.count("\n", 0, len(source.text) - len(body))
    all_sections = sections(body)
    directive = _is_instruction_file(source.path)
    filled = [section for section in all_sections if section.text.strip()]
    for section in all_sections:
        depth = len(section.titles)
        has_below = any(len(other.titles) > depth and other.titles[:depth] == section.titles for other in all_sections)
        if not section.text.strip() and not has_below:
            where = f"{source.path}, line {section.line + lines_before}"
            parsed.skipped.append(Omission(where, section.titles[-1], "The section has a heading and no text."))
    for section, name in zip(filled, section_names(filled, short_name(source.stem) or "Notes"), strict=True):
        where = f"{source.path}, line {section.line + lines_before}"
        category = category_of(section.titles)
        bullets = bullets_of(section.text) if category is not None and len(section.text) <= MAX_PART_CHARS else None
        pieces = [bullet + applies for bullet in bullets] if bullets else split_text(section.text + applies)
        for number, piece in enumerate(pieces, start=1):
            parsed.items.append(
                ImportItem(
                    key=f"{source.path}#{name}#{number}",
                    where=where,
                    content=piece,
                    name=None if bullets else part_name(name, number, len(pieces)),
                    category=category or ("directive" if directive else None),
                    description=described,
                    updated_at=source.modified_at,
                    scope="personal" if private else None,
                )
            )
    parsed.items = front_matter.for_audience(parsed.items, fields)
    return parsed


def _is_instruction_file(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name in INSTRUCTIONS or name.endswith((".mdc", ".instructions.md")) or ".cursor/rules/" in path


def _rule_scope(fields: dict[str, object]) -> tuple[str | None, str]:
    """Return the description of a rule of Cursor or Copilot, and a sentence that names the rule's files."""
    patterns = (*list_of(fields, "globs"), *list_of(fields, "applyTo"))
    rule = patterns or "alwaysApply" in fields
    described = short_name(text_of(fields, "description"), 1_000) if rule else None
    listed = ", ".join(f"`{pattern}`" for pattern in patterns if pattern not in ("*", "**", "**/*"))
    return described, f"\n\nThis applies to {listed}." if listed else ""
