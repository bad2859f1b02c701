"""Our own export: JSON Lines that restore exactly; protocol/README.md describes the format.

Each line is an object with its `kind` first: `header`, `memory`, `version`, `link`, `tombstone`, `reminder`, `facets`,
`candidate`, `end`. A memory's lines are adjacent: the memory, its versions, oldest first, then its links.
After the memories come tombstones, reminders, facets of contents, and candidates. Fields have the names of the stored
records in camelCase; fields with their default are left out. Nothing depends on the time of writing, so that the same
memories give the same bytes.
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
VERSION: Final = 3
"""Version 1 had neither reminders nor facets, 2 no candidates; both are read."""

MAX_LINE: Final = 4 * 1024 * 1024  # bytes; far above the longest memory with its fields
MAX_VERSIONS: Final = 10_000

Home = Literal["workspace", "user"]
_RECORDS: Final[dict[object, type[ReminderRecord | FacetsRecord | CandidateRecord]]] = {
    "reminder": ReminderRecord,
    "facets": FacetsRecord,
    "candidate": CandidateRecord,
}
R = TypeVar("R", bound=msgspec.Struct)


class Header(msgspec.Struct, frozen=True):
    """The contents of an export: its scopes, and whether it has earlier versions and deleted memories."""

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


def header(contents: Header) -> bytes:
    return _encoded_line(
        {
            "kind": "header",
            "format": FORMAT,
            "version": VERSION,
            "scopes": list(contents.scopes),
            "history": contents.history,
            "deleted": contents.deleted,
        }
    )


def memory(home: Home, bundle: Bundle, *, history: bool) -> list[bytes]:
    lines = []
    if bundle.memory is not None:
        fields: dict[str, Any] = {"kind": "memory", "store": home, "id": bundle.id}
        if not bundle.named:
            fields["named"] = False
        if bundle.access is not None:
            fields["access"] = _changed_fields(bundle.access)
        lines.append(_encoded_line({**fields, "memory": _changed_fields(bundle.memory)}))
    if history:
        lines += [
            _encoded_line({"kind": "version", "store": home, "id": bundle.id, **_changed_fields(version)})
            for version in bundle.versions
        ]
    return lines


def link(home: Home, memory_id: str, record: LinkRecord) -> bytes:
    return _encoded_line({"kind": "link", "store": home, "id": memory_id, **_changed_fields(record)})


def entry(kind: Literal["tombstone", "reminder", "facets", "candidate"], home: Home, record: msgspec.Struct) -> bytes:
    return _encoded_line({"kind": kind, "store": home, **_changed_fields(record)})


def end(lines: int) -> bytes:
    """Return the last line; `lines` counts those before it, so that a truncated file is detected."""
    return _encoded_line({"kind": "end", "lines": lines})


def is_export(first_line: str) -> bool:
    return '"kind":"header"' in first_line[:200].replace(" ", "") and FORMAT in first_line[:400]


def read(path: str, lines: Iterable[bytes]) -> Iterator[ExportEntry]:
    """Yield the entries of an export. Raises `InvalidField` with the line's number for anything else.

    At most one memory is held at a time. Blank lines and a byte order mark at the start, which editors and shells add,
    are ignored.
    """
    number, full, ended, seen_header = 0, 0, False, False
    group: _Group | None = None
    for number, raw in enumerate(lines, start=1):
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if not raw.strip():
            continue
        full += 1
        where = f"{path}, line {number}"
        if ended:
            raise malformed(where, "there are lines after the end of the export.")
        fields = _decoded(where, raw)
        kind = fields.get("kind")
        if not seen_header:
            yield _header(where, fields)
            seen_header = True
            continue
        if group is not None and (kind not in ("version", "link") or not group.accepts(fields)):
            yield group.build()
            group = None
        if kind in ("memory", "version", "link"):
            if group is None:
                group = _Group(where, fields, number)
            group.add(where, fields)
        elif kind == "tombstone":
            yield ExportedTombstone(_home(where, fields), _record(where, fields, TombstoneRecord))
        elif kind in _RECORDS:
            yield _record(where, fields, _RECORDS[kind])
        elif kind == "end":
            ended = True
            if fields.get("lines") != full - 1:
                raise malformed(where, f"the export had {fields.get('lines')} lines; {full - 1} are here.")
        else:
            raise malformed(where, f"{str(kind)[:40]!r} is not a kind of line.", _NEWER_HINT)
    if not seen_header:
        raise malformed(path, "it is empty.")
    if not ended:
        raise malformed(path, f"it ends after line {number}, before its last line: it was cut off.")


_NEWER_HINT = "It may have been written by a newer memory-sidecar: update this one."


class _Group:
    def __init__(self, where: str, fields: dict[str, Any], line: int) -> None:
        self._home = _home(where, fields)
        self._id = _id(where, fields)
        self._line = line
        self._memory: MemoryRecord | None = None
        self._access: AccessRecord | None = None
        self._named = True
        self._versions: list[VersionRecord] = []
        self._links: list[LinkRecord] = []

    def accepts(self, fields: dict[str, Any]) -> bool:
        return fields.get("id") == self._id and fields.get("store") == self._home

    def add(self, where: str, fields: dict[str, Any]) -> None:
        kind = fields["kind"]
        if kind == "memory":
            inner = fields.get("memory")
            if not isinstance(inner, dict):
                raise malformed(where, "the memory is missing.")
            self._memory = _record(where, inner, MemoryRecord)
            if self._memory.id != self._id:
                raise malformed(where, "the memory has another id than its line.")
            self._named = fields.get("named") is not False
            if isinstance(access := fields.get("access"), dict):
                self._access = _record(where, access, AccessRecord)
        elif kind == "version":
            if len(self._versions) >= MAX_VERSIONS:
                raise malformed(where, f"a memory has more than {MAX_VERSIONS:,} versions.")
            version = _record(where, fields, VersionRecord)
            if version.memory is not None and version.memory.id != self._id:
                raise malformed(where, "the version has another id than its line.")
            self._versions.append(version)
        else:
            self._links.append(_record(where, fields, LinkRecord))

    def build(self) -> ExportedMemory:
        bundle = Bundle(self._id, self._memory, tuple(self._versions), self._named, self._access, tuple(self._links))
        return ExportedMemory(self._home, bundle, self._line)


def _header(where: str, fields: dict[str, Any]) -> Header:
    if fields.get("kind") != "header" or fields.get("format") != FORMAT:
        raise malformed(where, "this is not an export of memory-sidecar.")
    version = fields.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise malformed(
            where, f"the export has version {version!r}; this memory-sidecar reads up to {VERSION}.", _NEWER_HINT
        )
    scopes: object = fields.get("scopes")
    names: Sequence[object] = scopes if isinstance(scopes, list) else ()
    return Header(tuple(str(name) for name in names), fields.get("history") is not False, fields.get("deleted") is True)


def _home(where: str, fields: dict[str, Any]) -> Home:
    home = fields.get("store")
    if home == "workspace":
        return "workspace"
    if home == "user":
        return "user"
    raise malformed(where, "the line does not say which store it belongs to.")


def _id(where: str, fields: dict[str, Any]) -> str:
    id = fields.get("id")
    if not isinstance(id, str) or not 1 <= len(id) <= 64 or not id.isascii() or not id.isprintable():
        raise malformed(where, "the id is not valid.")
    return id


def _decoded(where: str, raw: bytes) -> dict[str, Any]:
    if len(raw) > MAX_LINE:
        raise malformed(where, f"the line is longer than {MAX_LINE:,} bytes.")
    try:
        fields = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise malformed(where, f"the line is not JSON ({str(error)[:100]}).") from None
    if not isinstance(fields, dict):
        raise malformed(where, "the line is not a JSON object.")
    return fields


def _record(where: str, fields: dict[str, Any], kind: type[R]) -> R:
    """Return a stored record from a line, without the line's own fields."""
    own = _rename_keys({key: value for key, value in fields.items() if key not in ("kind", "store")}, _snake)
    if kind is LinkRecord:
        own["kind"] = own.pop("link_kind", None)
    try:
        return msgspec.convert(own, kind)
    except (msgspec.ValidationError, ValueError) as error:
        raise malformed(where, f"{str(error)[:200]}") from None


def _changed_fields(record: msgspec.Struct) -> dict[str, Any]:
    """Return the fields that differ from their default, under the export's names."""
    fields = msgspec.to_builtins(record)
    if isinstance(record, LinkRecord):
        fields["link_kind"] = fields.pop("kind", None)
    return cast("dict[str, Any]", _rename_keys(fields, _camel))


def _rename_keys(value: Any, name: Callable[[str], str]) -> Any:
    """Return plain data with all keys renamed, because no record holds a table whose keys are data."""
    if isinstance(value, dict):
        return {name(key): _rename_keys(inner, name) for key, inner in value.items()}
    return [_rename_keys(item, name) for item in value] if isinstance(value, list | tuple) else value


def _encoded_line(value: dict[str, Any]) -> bytes:
    return msgspec.json.encode(value) + b"\n"


_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_UNDERSCORE = re.compile(r"_([a-z0-9])")


def _camel(name: str) -> str:
    return _UNDERSCORE.sub(lambda match: match[1].upper(), name)


def _snake(name: str) -> str:
    return _CAPITAL.sub(lambda match: f"_{match[1].lower()}", name)
