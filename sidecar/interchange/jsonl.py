"""Our own export: JSON Lines that restore exactly. protocol/README.md describes the format.

Each line is an object. Its `kind` comes first: `header`, `memory`, `version`, `link`, `tombstone`, `reminder`,
`facets`, `candidate`, `end`. A memory's lines are adjacent: the memory, its versions, oldest first, then its links.
After the memories come tombstones, reminders, facets of contents, and candidates.

Fields are named like those of the stored records, in camelCase; a field with its default value is left out. No line
depends on the time of writing, so the same memories give the same bytes.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Literal, TypeVar, cast

import msgspec

from sidecar.interchange.parsed import malformed
from sidecar.store.candidates import CandidateRecord
from sidecar.store.records import (
    AccessRecord,
    Bundle,
    FacetsRecord,
    LinkRecord,
    MemoryRecord,
    TombstoneRecord,
    VersionRecord,
)
from sidecar.store.reminders import ReminderRecord

FORMAT: Final = "memory-sidecar"
VERSION: Final = 3  # files of version 1 (without reminders and facets) and 2 (without candidates) are also read
MAX_LINE_BYTES: Final = 4 * 1024 * 1024  # bytes, far more than the longest memory has
MAX_MEMORY_LINES: Final = 20_000

Home = Literal["workspace", "user"]
_RECORD_BY_KIND: Final[dict[object, type[ReminderRecord | FacetsRecord | CandidateRecord]]] = {
    "reminder": ReminderRecord,
    "facets": FacetsRecord,
    "candidate": CandidateRecord,
}
R = TypeVar("R", bound=msgspec.Struct)


class Header(msgspec.Struct, frozen=True):
    """What an export contains: its scopes, and whether it has earlier versions and deleted memories."""

    scopes: tuple[str, ...]
    history: bool = True
    deleted: bool = False


class ExportedMemory(msgspec.Struct, frozen=True):
    home: Home
    bundle: Bundle
    line: int


class ExportedTombstone(msgspec.Struct, frozen=True):
    home: Home
    tombstone: TombstoneRecord


ExportEntry = Header | ExportedMemory | ExportedTombstone | ReminderRecord | FacetsRecord | CandidateRecord
"""The entries of an export, in order."""


def header_line(contents: Header) -> bytes:
    return _encode_line({"kind": "header", "format": FORMAT, "version": VERSION, **msgspec.structs.asdict(contents)})


def memory_lines(home: Home, bundle: Bundle, *, history: bool) -> list[bytes]:
    lines = []
    if bundle.memory is not None:
        fields: dict[str, Any] = {"kind": "memory", "store": home, "id": bundle.id}
        if not bundle.named:
            fields["named"] = False
        if bundle.access is not None:
            fields["access"] = _changed_fields(bundle.access)
        lines.append(_encode_line({**fields, "memory": _changed_fields(bundle.memory)}))
    if history:
        lines += [
            _encode_line({"kind": "version", "store": home, "id": bundle.id, **_changed_fields(version)})
            for version in bundle.versions
        ]
    return lines


def link_line(home: Home, memory_id: str, record: LinkRecord) -> bytes:
    return _encode_line({"kind": "link", "store": home, "id": memory_id, **_changed_fields(record)})


def record_line(
    kind: Literal["tombstone", "reminder", "facets", "candidate"], home: Home, record: msgspec.Struct
) -> bytes:
    return _encode_line({"kind": kind, "store": home, **_changed_fields(record)})


def end_line(lines: int) -> bytes:
    """Return the last line. It gives the number of lines before it, so that a truncated file is noticed."""
    return _encode_line({"kind": "end", "lines": lines})


def is_export(first_line: str) -> bool:
    return '"kind":"header"' in first_line[:200].replace(" ", "") and FORMAT in first_line[:400]


def read(path: str, lines: Iterable[bytes]) -> Iterator[ExportEntry]:
    """Yield the entries of an export; one memory at a time is held. Raises `InvalidField` with the line's number."""
    number, full, ended, seen_header = 0, 0, False, False
    group: list[tuple[int, dict[str, Any]]] = []  # the lines of one memory
    for number, raw in enumerate(lines, start=1):
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if not raw.strip():
            continue
        full += 1
        where = f"{path}, line {number}"
        if ended:
            raise malformed(where, "there are lines after the end of the export.", _AGAIN_HINT)
        fields = _decode_line(where, raw)
        kind = fields.get("kind")
        if not seen_header:
            yield _read_header(where, fields)
            seen_header = True
            continue
        if group and (kind not in ("version", "link") or _owner(fields) != _owner(group[0][1])):
            yield _read_memory(path, group)
            group = []
        if kind in ("memory", "version", "link"):
            if len(group) >= MAX_MEMORY_LINES:
                raise malformed(where, f"a memory has more than {MAX_MEMORY_LINES:,} lines.")
            group.append((number, fields))
        elif kind == "tombstone":
            yield ExportedTombstone(_read_home(where, fields), _read_record(where, fields, TombstoneRecord))
        elif kind in _RECORD_BY_KIND:
            yield _read_record(where, fields, _RECORD_BY_KIND[kind])
        elif kind == "end":
            ended = True
            if fields.get("lines") != full - 1:
                raise malformed(where, f"the export had {fields.get('lines')} lines; {full - 1} are here.", _AGAIN_HINT)
        else:
            raise malformed(where, f"{str(kind)[:40]!r} is not a kind of line.", _NEWER_HINT)
    if not seen_header:
        raise malformed(path, "it is empty.", _AGAIN_HINT)
    if not ended:
        raise malformed(path, f"it ends after line {number}, before its last line: it was cut off.", _AGAIN_HINT)


_AGAIN_HINT = "Export again with memory-sidecar export."
_NEWER_HINT = "It may have been written by a newer memory-sidecar: update this one."


def _owner(fields: dict[str, Any]) -> tuple[object, object]:
    return fields.get("store"), fields.get("id")


def _read_memory(path: str, lines: list[tuple[int, dict[str, Any]]]) -> ExportedMemory:
    """Return the memory that these adjacent lines describe; each comes with its number."""
    first, fields = lines[0]
    home, id = _read_home(f"{path}, line {first}", fields), _read_id(f"{path}, line {first}", fields)
    record: MemoryRecord | None = None
    access: AccessRecord | None = None
    named = True
    versions: list[VersionRecord] = []
    links: list[LinkRecord] = []
    for number, fields in lines:
        where = f"{path}, line {number}"
        if fields["kind"] == "version":
            version = _read_record(where, fields, VersionRecord)
            if version.memory is not None and version.memory.id != id:
                raise malformed(where, "the version has another id than its line.")
            versions.append(version)
        elif fields["kind"] == "link":
            links.append(_read_record(where, fields, LinkRecord))
        else:
            inner = fields.get("memory")
            if not isinstance(inner, dict):
                raise malformed(where, "the memory is missing.")
            record = _read_record(where, inner, MemoryRecord)
            if record.id != id:
                raise malformed(where, "the memory has another id than its line.")
            named = fields.get("named") is not False
            if isinstance(access_fields := fields.get("access"), dict):
                access = _read_record(where, access_fields, AccessRecord)
    return ExportedMemory(home, Bundle(id, record, tuple(versions), named, access, tuple(links)), first)


def _read_header(where: str, fields: dict[str, Any]) -> Header:
    if fields.get("kind") != "header" or fields.get("format") != FORMAT:
        raise malformed(where, "this is not an export of memory-sidecar.", _AGAIN_HINT)
    version = fields.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise malformed(
            where, f"the export has version {version!r}; this memory-sidecar reads up to {VERSION}.", _NEWER_HINT
        )
    scopes: object = fields.get("scopes")
    names: Sequence[object] = scopes if isinstance(scopes, list) else ()
    return Header(tuple(str(name) for name in names), fields.get("history") is not False, fields.get("deleted") is True)


def _read_home(where: str, fields: dict[str, Any]) -> Home:
    home = fields.get("store")
    if home not in ("workspace", "user"):
        raise malformed(where, "the line does not say which store it belongs to.")
    return cast("Home", home)


def _read_id(where: str, fields: dict[str, Any]) -> str:
    id = fields.get("id")
    if not isinstance(id, str) or not 1 <= len(id) <= 64 or not id.isascii() or not id.isprintable():
        raise malformed(where, "the id is not valid.")
    return id


def _decode_line(where: str, raw: bytes) -> dict[str, Any]:
    if len(raw) > MAX_LINE_BYTES:
        raise malformed(where, f"the line is longer than {MAX_LINE_BYTES:,} bytes.")
    try:
        fields = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise malformed(where, f"the line is not JSON ({str(error)[:100]}).") from None
    if not isinstance(fields, dict):
        raise malformed(where, "the line is not a JSON object.")
    return fields


def _read_record(where: str, fields: dict[str, Any], kind: type[R]) -> R:
    """Return the stored record that a line holds."""
    own = {key: value for key, value in fields.items() if key not in ("kind", "store")}
    own = _rename_keys(own, lambda name: _CAPITAL.sub(lambda match: f"_{match[1].lower()}", name))
    if kind is LinkRecord:
        own["kind"] = own.pop("link_kind", None)
    try:
        return msgspec.convert(own, kind)
    except (msgspec.ValidationError, ValueError) as error:
        raise malformed(where, f"{str(error)[:200]}") from None


def _changed_fields(record: msgspec.Struct) -> dict[str, Any]:
    """Return the fields that differ from their default, named as in the export."""
    fields = msgspec.to_builtins(record)
    if isinstance(record, LinkRecord):
        fields["link_kind"] = fields.pop("kind", None)
    renamed: dict[str, Any] = _rename_keys(fields, lambda name: _UNDERSCORE.sub(lambda match: match[1].upper(), name))
    return renamed


def _rename_keys(value: Any, name: Callable[[str], str]) -> Any:
    """Return plain data with all keys renamed. No record holds a dict whose keys are data."""
    if isinstance(value, dict):
        return {name(key): _rename_keys(inner, name) for key, inner in value.items()}
    return [_rename_keys(item, name) for item in value] if isinstance(value, list | tuple) else value


def _encode_line(value: dict[str, Any]) -> bytes:
    return msgspec.json.encode(value) + b"\n"


_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_UNDERSCORE = re.compile(r"_([a-z0-9])")
