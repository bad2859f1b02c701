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
milliseconds or ISO 8601. A line with none of these is skipped and reported with what it lacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sidecar.interchange.values import decoded, text_of, time_of

FORMAT: Final = "memory-sidecar-files"
VERSION: Final = 1
LONGEST_LINE: Final = 4 * 1024 * 1024

_PATH: Final = ("path", "file", "filePath", "filepath", "file_path", "filename")
_HASH: Final = ("hash", "contentHash", "content_hash", "fileHash", "file_hash", "sha256")
_SUMMARY: Final = ("summary", "description", "aggregate")
_FACTS: Final = ("facets", "facts", "notes")
_FACT: Final = ("facet", "fact", "note", "notes", "text", "content")
_TIME: Final = ("createdAt", "created_at", "timestamp", "ts", "at", "time")
_INSIDE: Final = ("data", "entry", "record", "payload")


@dataclass(frozen=True, slots=True)
class FileFact:
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
class Read:
    """The facts in the order of the lines, and the lines that could not be read, with the reason."""

    facts: tuple[FileFact, ...]
    problems: tuple[tuple[int, str], ...]


def pointers(data: bytes) -> dict[str, list[str]]:
    """Return the paths of each content hash: Prism's facts about a content name only its hash."""
    found: dict[str, list[str]] = {}
    for raw in data.splitlines():
        line = decoded(raw[:LONGEST_LINE])
        if isinstance(line, Mapping) and (path := text_of(line, *_PATH)) and (hash := text_of(line, *_HASH)):
            found.setdefault(hash, []).append(path)
    return {hash: list(dict.fromkeys(paths)) for hash, paths in found.items()}


def read(data: bytes, name: str | None = None, paths: Mapping[str, Sequence[str]] | None = None) -> Read:
    """Read a file in our form or in Prism's; lines without a path are about `name`.

    `paths` gives paths by content hash for lines with only a hash, in addition to the file's own. Never raises for the
    file's content; a newer version of our form yields one problem and nothing else.
    """
    facts: list[FileFact] = []
    problems: list[tuple[int, str]] = []
    given = bool(paths)
    paths = {**pointers(data), **(paths or {})}
    told_of: set[str] = set()
    pointing: list[tuple[int, str]] = []
    for number, raw in enumerate(data.splitlines(), 1):
        if not raw.strip():
            continue
        if len(raw) > LONGEST_LINE:
            problems.append((number, "The line is too long."))
            continue
        found = decoded(raw)
        if not isinstance(found, Mapping):
            problems.append((number, "The line is not a JSON object."))
        elif found.get("kind") == "header" and found.get("format") == FORMAT:
            if found.get("version") != VERSION:
                return Read((), ((number, f"The form has version {found.get('version')}; only {VERSION} is known."),))
        else:
            hash = text_of(found, *_HASH)
            known: Sequence[str | None] | None = None
            if text_of(found, *_PATH) is None:
                known = paths.get(hash or "")
            told = [fact for path in known or (name,) for fact in _told(found, path, number)]
            facts += told
            if told and hash:
                told_of.add(hash)
            elif not told and hash and "kind" in found and text_of(found, *_PATH):
                pointing.append((number, hash))
            elif not told:
                problems.append((number, _lacking(found, name)))
    if not given:
        what = "The line only says which content its file had, and nothing is said of that content."
        problems += [(number, what) for number, hash in pointing if hash not in told_of]
    return Read(tuple(facts), tuple(sorted(problems)))


def _told(found: Mapping[str, Any], name: str | None, line: int) -> list[FileFact]:
    """Return the facts of one object, or of an inner object that it only wraps."""
    path, ours = text_of(found, *_PATH) or name, found.get("kind") == "file"
    hash, at = text_of(found, *_HASH), time_of(found, *_TIME, seconds=not ours)
    facts: list[FileFact] = []
    if path:
        summary = text_of(found, *_SUMMARY)
        if summary:
            facts.append(FileFact(path, summary, summary=True, hash=hash, at=at, line=line))
        listed: list[object] = next((found[key] for key in _FACTS if isinstance(found.get(key), list)), [])
        single = [found[key] for key in _FACT if found.get(key) and not isinstance(found[key], list)][:1]
        for one in [*listed, *single]:
            fact = _fact(one, found if one in single else {}, path, hash, at, line, ours=ours)
            if fact is not None:
                facts.append(fact)
    for key in _INSIDE:
        inner = found.get(key)
        if not facts and isinstance(inner, Mapping):
            outer = {one: value for one, value in found.items() if one in (*_PATH, *_HASH, *_TIME)}
            facts = _told({**outer, **inner, **dict.fromkeys(_INSIDE)}, name, line)
    return facts


def _lacking(found: Mapping[str, Any], name: str | None) -> str:
    inner = [found[key] for key in _INSIDE if isinstance(found.get(key), Mapping)]
    if name is None and not any(text_of(one, *_PATH) for one in (found, *inner)):
        return f"The line names no file: it has none of {', '.join(_PATH)}."
    return f"The line says nothing of its file: it has none of {', '.join((*_SUMMARY, *_FACTS, *_FACT[:3]))}."


def _fact(
    one: object, around: Mapping[str, Any], path: str, hash: str | None, at: int | None, line: int, *, ours: bool
) -> FileFact | None:
    given = one if isinstance(one, Mapping) else around
    own_time = time_of(given, *_TIME, seconds=not ours)
    text = one if isinstance(one, str) else text_of(given, *_FACT)
    if not text or not text.strip():
        return None
    return FileFact(
        path,
        text,
        hash=hash,
        identifiers=_texts(given.get("identifiers")),
        symbols=_texts(given.get("symbols")),
        at=own_time if own_time is not None else at,
        source=text_of(given, "source"),
        line=line,
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
