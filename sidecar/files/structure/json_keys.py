"""JSON: keys of the first two levels with their types, the scripts of a package manifest, the items of arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import msgspec

from sidecar.files.structure.key_formats import alike, braced
from sidecar.files.structure.result import (
    MAX_CHILDREN,
    MAX_SYMBOLS,
    LineNumbers,
    Structure,
    capped,
    distinct,
    first_sentence,
)
from sidecar.files.structure.values import brief, command, secret_key
from sidecar.store.records import SymbolRecord

_RUN_MOST: Final = frozenset(("main", "module", "bin", "dev", "start", "build", "test", "lint"))
_DEPENDENCIES: Final = (
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
    "require",
    "require-dev",
)
_MAX_ALIKE_SHOWN, _MAX_ALIKE_SHOWN_BELOW = 20, 5  # entries shown of many similar ones, at the top level and below it
_MAX_KEYS_WITH_WORDS: Final = 24  # with at most this many top-level keys, words are shown as values
_MAX_GAP_BYTES: Final = 4_096  # bytes from the end of one value to the next
_MAX_NUMBER_CHARS: Final = 20
_KINDS: Final = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
# A string, which stays; a comment or a comma before a closing bracket, which strict JSON does not have.
_LENIENT: Final = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|(?P<drop>//[^\n]*|/\*[\s\S]*?\*/|,(?=\s*[}\]]))")
_NOT_NEWLINE: Final = re.compile(r"[^\n]")
_KEY: Final = re.compile(r"(?:^|[{,])\s*(?:[\"']([^\"'\n]{1,100})[\"']|([A-Za-z_$][\w$-]{0,100}))\s*:(?!/)", re.M)
_FAULTS: Final = (msgspec.MsgspecError, UnicodeError, RecursionError)
_raw_members = msgspec.json.Decoder(dict[str, msgspec.Raw])


def json_keys(text: str) -> Structure:
    """Return the symbols of a JSON text. Of several values in a row (JSON Lines), the first stands for all."""
    for strict in (str, _without_comments):
        data = strict(text).encode("utf-8", "replace")
        try:
            return _outline(data, msgspec.json.decode(data))
        except _FAULTS:
            pass
    try:
        rows = [row for row in text.split("\n") if row.strip()]
        found = _outline(data := rows[0].encode("utf-8", "replace"), first := msgspec.json.decode(data))
        if isinstance(first, (dict, list)) and len(rows) > 1:
            doc = f"{len(rows):,} JSON values, one after the other; the keys are the first one's."
            return replace(found, doc=doc)
    except _FAULTS:
        pass
    lines, keys = LineNumbers(text), {match[1] or match[2]: match.end() for match in _KEY.finditer(text)}
    symbols = [_key(name, lines.at(at), lines.at(at), name) for name, at in keys.items()]
    return Structure(symbols=capped(symbols, MAX_CHILDREN, "keys"), partial=True)


def _without_comments(text: str) -> str:
    """Return JSON without comments and trailing commas. Lines stay."""
    return _LENIENT.sub(lambda match: _NOT_NEWLINE.sub(" ", match[0]) if match["drop"] else match[0], text)


def _outline(data: bytes, root: Any) -> Structure:
    held, line = data, 1
    if isinstance(root, list):
        doc: str | None = f"Array of {len(root):,}{_items(root)}."
        if root and isinstance(root[0], dict):
            held = bytes(msgspec.json.decode(data, type=list[msgspec.Raw])[0])
            line += data.count(b"\n", 0, data.find(held))
    else:
        doc = (_description(root) or _alike(root)) if isinstance(root, dict) else None
    symbols = list(_symbols(held, line))
    return Structure(
        doc=doc,
        symbols=capped(symbols, _MAX_ALIKE_SHOWN if _alike(root) else MAX_SYMBOLS, "keys"),
        imports=_imports(root) if isinstance(root, dict) else (),
        entry_points=_entry_points(root) if isinstance(root, dict) else (),
    )


def _symbols(data: bytes, line: int, *, nested: bool = True) -> Iterator[SymbolRecord]:
    """Yield the keys of the object in `data`, which begins on `line`."""
    if data.lstrip()[:1] != b"{":
        return
    at = 0
    raws = _raw_members.decode(data)
    for key, raw in raws.items():
        part = bytes(raw)
        start = max(data.find(f'"{key}"'.encode("utf-8", "replace"), at, at + _MAX_GAP_BYTES), at)
        # A repeated key has its last value.
        begin = max(data.find(part, start, start + _MAX_GAP_BYTES + len(part)), start)
        first = line + data.count(b"\n", at, start)
        line = first + data.count(b"\n", start, begin)
        value = msgspec.json.decode(part)
        children = list(_symbols(part, line, nested=False)) if nested else []
        line += part.count(b"\n")
        at = begin + len(part)
        most = _MAX_ALIKE_SHOWN_BELOW if _alike(value) and key not in _DEPENDENCIES else MAX_CHILDREN
        shown = _shape(key, value, part.decode(), words_too=nested and len(raws) <= _MAX_KEYS_WITH_WORDS)
        yield _key(key, first, line, f"{key}: {shown}", capped(children, most, "keys"))


def _key(name: str, start: int, end: int, signature: str, children: tuple[SymbolRecord, ...] = ()) -> SymbolRecord:
    return SymbolRecord(kind="key", name=name or '""', start=start, end=end, signature=signature, children=children)


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "number")


def _shape(key: str, value: Any, written: str, *, words_too: bool) -> str:
    """Return a value's type; if it is short and harmless, the value itself."""
    if isinstance(value, dict):
        return _alike(value) or f"object ({len(value):,})"
    if isinstance(value, list):
        return f"array of {len(value):,}{_items(value)}"
    if isinstance(value, str):
        return brief(key, value, words_too=words_too) or "string"
    number = _kind(value) == "number"
    return "number" if number and (secret_key(key) or len(written) > _MAX_NUMBER_CHARS) else written


def _alike(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    values = value.values()
    return alike(list(map(_kind, values)), (tuple(each) for each in values if isinstance(each, dict)))


def _items(values: list[Any]) -> str:
    """Return the shape of an array's first item, which stands for all."""
    if not values:
        return ""
    if not isinstance(values[0], dict):
        return f" {_kind(values[0])}{'s' if len(values) != 1 else ''}"
    return f" {braced(list(values[0]))}" if values[0] else " objects"


def _description(root: dict[str, Any]) -> str | None:
    described = root.get("description") or root.get("title")
    if not isinstance(described, str) or described.startswith(("http", "$")):
        return None
    return first_sentence(described)


def _entry_points(root: dict[str, Any]) -> tuple[str, ...]:
    """Return what package.json or composer.json can run: `main`, `bin`, and scripts with their commands."""
    if not {"name", "scripts", "bin"} & root.keys():
        return ()
    single = (("main", "module") if "scripts" in root else ()) + ("bin",)
    points = [f"{key}: {root[key][:80]}" for key in single if isinstance(root.get(key), str)]
    for group, mark in (("bin", "bin "), ("scripts", "")):
        held = root.get(group)
        for name, value in held.items() if isinstance(held, dict) else ():
            shown = command(name, value) if isinstance(value, str) else None
            points.append(f"{mark}{name}: {shown}" if shown else f"{mark}{name}")
    points.sort(key=lambda point: not point.startswith("bin ") and point.partition(":")[0] not in _RUN_MOST)
    return distinct(points, 60)


def _imports(root: dict[str, Any]) -> tuple[str, ...]:
    """Return a manifest's dependencies and the files that a configuration extends."""
    names: list[str] = []
    for key, value in root.items():
        if key in _DEPENDENCIES and isinstance(value, dict):
            names.extend(value)
        elif key == "extends" and isinstance(value, str):
            names.append(value[:200])
    return distinct(names)
