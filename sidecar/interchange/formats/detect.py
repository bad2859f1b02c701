"""Detect the format of files by their names and beginnings, and call its reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sidecar.interchange.formats import claude, markdown, mcp_memory, opencode, records, semantic_memory, serena
from sidecar.interchange.parsed import ImportSource, Omission, ParsedImport, malformed

_FOLDER_READERS: dict[str, Callable[[Sequence[ImportSource]], ParsedImport]] = {
    claude.FORMAT: claude.read,
    serena.FORMAT: serena.read,
    opencode.FORMAT: opencode.read,
}
_FILE_READERS: dict[str, Callable[[ImportSource], ParsedImport]] = {
    mcp_memory.FORMAT: mcp_memory.read,
    semantic_memory.FORMAT: semantic_memory.read,
    records.FORMAT: records.read,
    markdown.FORMAT: markdown.read,
}
FILE_FACTS = "prism"  # facts about files, which `prism.py` reads, because they are not memories
FORMATS = (*_FOLDER_READERS, *_FILE_READERS, FILE_FACTS)


def detect(sources: Sequence[ImportSource]) -> str:
    """Return the format of these files; if nothing tells, Markdown by sections. Raises InvalidField."""
    if any(_has_file_facts(source) for source in sources):
        return FILE_FACTS
    if any(".serena/memories/" in source.path for source in sources):
        return serena.FORMAT
    if any("/.opencode/" in f"/{source.path}" for source in sources):
        return opencode.FORMAT
    for reader in (semantic_memory, mcp_memory, claude, opencode):
        if any(map(reader.fits, sources)):
            return str(reader.FORMAT)
    if sources and all(map(records.fits, sources)):  # one JSON file among Markdown files may be anything
        return records.FORMAT
    if any(source.path.lower().endswith((".md", ".mdc", ".markdown", "rules")) for source in sources):
        return markdown.FORMAT
    path = sources[0].path if sources else "The import"
    raise malformed(path, "its format is not known.", f"Name the format: {', '.join(FORMATS)}.")


def _has_file_facts(source: ImportSource) -> bool:
    inside = "/file-history/" in f"/{source.path}"
    return (inside and source.path.endswith(".jsonl")) or '{"kind":"file"' in source.text[:20].replace(" ", "")


def parse(format: str, sources: Sequence[ImportSource], check: Callable[[], None]) -> ParsedImport:
    """Parse the files. `check` is called between them and may raise to stop. Raises InvalidField."""
    if format in _FOLDER_READERS:
        texts = [source for source in sources if not source.path.lower().endswith((".json", ".jsonl"))]
        parsed = _FOLDER_READERS[format](texts)
        for source in sources:
            if source not in texts:
                parsed.skipped.append(Omission(source.path, source.stem, "It is not Markdown."))
        return parsed
    parsed = ParsedImport(format)
    fits = {reader.FORMAT: reader.fits for reader in (mcp_memory, semantic_memory, records)}.get(format)
    for source in sources:
        check()
        data = source.path.lower().endswith((".json", ".jsonl"))
        if len(sources) > 1 and (not fits(source) if fits is not None else data):
            parsed.skipped.append(Omission(source.path, source.stem, f"It is not of the format {format}."))
            continue
        parsed.add(_FILE_READERS[format](source))
    return parsed
