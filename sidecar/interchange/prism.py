"""Facts about files in JSON Lines: our own form, and a tolerant reading of Prism's `file-history/*.jsonl`.

Our form, one object a line, camelCase, times in epoch milliseconds:

    {"kind": "header", "format": "memory-sidecar-files", "version": 1}
    {"kind": "file", "path": "src/pool.py", "hash": "<xxh3-128, hex>", "summary": "...",
     "facets": [{"text": "...", "identifiers": ["Pool.take"], "symbols": ["Pool.take"], "createdAt": 0,
                 "source": "distiller"}]}

`summary` is a model's text and left out without one. Prism's seeds have two kinds of lines: the content of a file
(`{filepath, contentHash, kind}`) and what is known about a content (`{hash, summary, facets[]}`); the latter applies to
every path that the former maps to its hash. Reading also accepts our fields and likely other names. An object is about
a file or a single fact. The path is `path`, `file`, `filePath`, `filepath`, `file_path` or `filename` (else the
caller's name), the content `hash`, `contentHash`, `content_hash`, `fileHash`, `file_hash` or `sha256`, the summary
`summary`, `description` or `aggregate`; facts are `facets`, `facts` or `notes` (texts or objects), or one `facet`,
`fact`, `note`, `text` or `content`; times are `createdAt`, `created_at`, `timestamp`, `ts`, `at` or `time`, in seconds,
milliseconds or ISO 8601. A line with none of these is skipped and reported with what is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sidecar.interchange.values import decode_json, text_of, time_of

FORMAT: Final = "memory-sidecar-files"
VERSION: Final = 1
MAX_LINE: Final = 4 * 1024 * 1024

_PATH: Final = ("path", "file", "filePath", "filepath", "file_path", "filename")
_HASH: Final = ("hash", "contentHash", "content_hash", "fileHash", "file_hash", "sha256")
_SUMMARY: Final = ("summary", "description", "aggregate")
_FACTS: Final = ("facets", "facts", "notes")
_FACT: Final = ("facet", "fact", "note", "notes", "text", "content")
_TIME: Final = ("createdAt", "created_at", "timestamp", "ts", "at", "time")
_INSIDE: Final = ("data", "entry", "record", "payload")


@dataclass(frozen=True, slots=True)
class FileFacet:
    """One fact about a file, or (`summary`) a description; `hash` is the content it was learned from, as given."""

    path: str
    text: str
    summary: bool = False
    hash: str | None = None
    identifiers: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    at: int | None = None
    source: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class FacetFile:
    """The facts in the order of the lines, and the lines that could not be read, with the reason."""

    facts: tuple[FileFacet, ...]
    problems: tuple[tuple[int, str], ...]


def pointers(data: bytes) -> dict[str, list[str]]:
    """Return the paths of each content hash: Prism's facts about a content name only its hash."""
    paths_of: dict[str, list[str]] = {}
    for raw in data.splitlines():
        line = decode_json(raw[:MAX_LINE])
        if isinstance(line, Mapping) and (path := text_of(line, *_PATH)) and (hash := text_of(line, *_HASH)):
            paths_of.setdefault(hash, []).append(path)
    return {hash: list(dict.fromkeys(paths)) for hash, paths in paths_of.items()}


def read_facets(data: bytes, name: str | None = None, paths: Mapping[str, Sequence[str]] | None = None) -> FacetFile:
    """Read a file in our form or in Prism's; lines without a path are about `name`.

    `paths` gives paths by content hash for lines with only a hash, in addition to the file's own. Never raises for the
    file's content; a newer version of our form yields one problem and nothing else.
    """
    facts: list[FileFacet] = []
    problems: list[tuple[int, str]] = []
    paths_given = bool(paths)
    paths = {**pointers(data), **(paths or {})}
    described: set[str] = set()
    pointers_only: list[tuple[int, str]] = []
    for number, raw in enumerate(data.splitlines(), 1):
        if not raw.strip():
            continue
        if len(raw) > MAX_LINE:
            problems.append((number, "The line is too long."))
            continue
        fields = decode_json(raw)
        if not isinstance(fields, Mapping):
            problems.append((number, "The line is not a JSON object."))
        elif fields.get("kind") == "header" and fields.get("format") == FORMAT:
            if fields.get("version") != VERSION:
                return FacetFile(
                    (), ((number, f"The file has version {fields.get('version')}; only {VERSION} is supported."),)
                )
        else:
            hash = text_of(fields, *_HASH)
            known: Sequence[str | None] | None = None
            if text_of(fields, *_PATH) is None:
                known = paths.get(hash or "")
            facets_here = [fact for path in known or (name,) for fact in _facts_of(fields, path, number)]
            facts += facets_here
            if facets_here and hash:
                described.add(hash)
            elif not facets_here and hash and "kind" in fields and text_of(fields, *_PATH):
                pointers_only.append((number, hash))
            elif not facets_here:
                problems.append((number, _missing_fields(fields, name)))
    if not paths_given:
        what = "The line gives only a file's content hash, and no line has facts about that content."
        problems += [(number, what) for number, hash in pointers_only if hash not in described]
    return FacetFile(tuple(facts), tuple(sorted(problems)))


def _facts_of(fields: Mapping[str, Any], name: str | None, line: int) -> list[FileFacet]:
    """Return the facts of one object, or of an inner object that it only wraps."""
    path, ours = text_of(fields, *_PATH) or name, fields.get("kind") == "file"
    hash, at = text_of(fields, *_HASH), time_of(fields, *_TIME, seconds=not ours)
    facts: list[FileFacet] = []
    if path:
        summary = text_of(fields, *_SUMMARY)
        if summary:
            facts.append(FileFacet(path, summary, summary=True, hash=hash, at=at, line=line))
        listed: list[object] = next((fields[key] for key in _FACTS if isinstance(fields.get(key), list)), [])
        single = [fields[key] for key in _FACT if fields.get(key) and not isinstance(fields[key], list)][:1]
        for item in [*listed, *single]:
            fact = _fact(item, fields if item in single else {}, path, hash, at, line, ours=ours)
            if fact is not None:
                facts.append(fact)
    for key in _INSIDE:
        inner = fields.get(key)
        if not facts and isinstance(inner, Mapping):
            outer = {item: value for item, value in fields.items() if item in (*_PATH, *_HASH, *_TIME)}
            facts = _facts_of({**outer, **inner, **dict.fromkeys(_INSIDE)}, name, line)
    return facts


def _missing_fields(fields: Mapping[str, Any], name: str | None) -> str:
    inner = [fields[key] for key in _INSIDE if isinstance(fields.get(key), Mapping)]
    if name is None and not any(text_of(mapping, *_PATH) for mapping in (fields, *inner)):
        return f"The line names no file: it has none of {', '.join(_PATH)}."
    return f"The line has no facts about its file: it has none of {', '.join((*_SUMMARY, *_FACTS, *_FACT[:3]))}."


def _fact(
    item: object, outer_fields: Mapping[str, Any], path: str, hash: str | None, at: int | None, line: int, *, ours: bool
) -> FileFacet | None:
    fields = item if isinstance(item, Mapping) else outer_fields
    own_time = time_of(fields, *_TIME, seconds=not ours)
    text = item if isinstance(item, str) else text_of(fields, *_FACT)
    if not text or not text.strip():
        return None
    return FileFacet(
        path,
        text,
        hash=hash,
        identifiers=_texts(fields.get("identifiers")),
        symbols=_texts(fields.get("symbols")),
        at=own_time if own_time is not None else at,
        source=text_of(fields, "source"),
        line=line,
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()
