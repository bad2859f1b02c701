"""TOML: tables and keys with lines, and the declarations in manifests of Python and Rust projects."""

from __future__ import annotations

import re
from itertools import pairwise

from sidecar.files.structure.result import MAX_CHILDREN, LineNumbers, Structure, capped, distinct, first_sentence
from sidecar.store.records import SymbolRecord
from sidecar.text.toml import read_toml

_TABLE = re.compile(r"[ \t]{0,8}(\[\[?)[ \t]*([^\]\n]{1,200}?)[ \t]*\]")
_PART = r"""(?:[\w-]+|"[^"\n]{0,200}"|'[^'\n]{0,200}')"""
_KEY = re.compile(rf"[ \t]{{0,16}}({_PART}(?:[ \t]*\.[ \t]*{_PART})*)[ \t]*=[ \t]*(.*)")
_MANIFEST = re.compile(r"^\[(?:project|package|tool\.poetry|workspace|dependencies)\]", re.M)
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]{0,100}")
_VALUES_LIMIT = 200_000
_NEEDED = 8


def toml_tables(text: str) -> Structure:
    """Return the symbols of a TOML text; repeated `[[name]]` tables become one symbol with a count."""
    tables, broken = _tables(text)
    symbols = tuple(_symbol(table) for table in tables if table.kind == "key" or table.name)
    doc: str | None = None
    imports: list[str] = []
    points: list[str] = []
    if len(text) <= _VALUES_LIMIT and (_MANIFEST.search(text) or not broken):
        try:
            values: dict[str, object] = read_toml(text)
        except ValueError:
            broken = True
        else:
            doc, imports, points = _manifest(values)
    return Structure(
        doc=doc,
        symbols=capped(list(symbols), what="tables and keys"),
        imports=distinct(imports),
        entry_points=distinct(points, 60),
        partial=broken,
    )


class _Table:
    def __init__(self, kind: str, name: str, signature: str, start: int) -> None:
        self.kind, self.name, self.signature = kind, name, signature
        self.start = self.end = start
        self.times = 1
        self.keys: list[SymbolRecord] = []


def _tables(text: str) -> tuple[list[_Table], bool]:
    found: list[_Table] = []
    arrays: dict[str, _Table] = {}
    current: _Table | None = None
    quote = ""
    depth = 0
    broken = False
    for number, row in enumerate(text.split("\n"), 1):
        if quote:
            if quote in row:
                quote = ""
            continue
        if depth > 0:
            depth += _balance(row)
            continue
        table = _TABLE.match(row)
        if table:
            name = table[2]
            if table[1] == "[[" and name in arrays:
                current = arrays[name]
                current.times += 1
            else:
                current = _Table("table", name, f"{table[1]}{name}{']' * len(table[1])}", number)
                found.append(current)
                if table[1] == "[[":
                    arrays[name] = current
            current.end = number
            continue
        key = _KEY.match(row)
        if key is None:
            broken = broken or bool(row.strip() and not row.lstrip().startswith("#"))
            continue
        name, value = key[1], key[2]
        for mark in ('"""', "'''"):
            if value.startswith(mark) and mark not in value[3:]:
                quote = mark
        if not quote and value[:1] in "[{":
            depth = max(0, _balance(value))
        if current is None:
            found.append(_Table("key", name, name, number))
        elif current.times == 1:
            current.keys.append(SymbolRecord(kind="key", name=name, start=number, end=number, signature=name))
    _set_ends(found, LineNumbers(text).count)
    return found, broken or bool(quote) or depth > 0


def _balance(row: str) -> int:
    """Return brackets opened minus brackets closed, outside strings and comments."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*', "", row)
    return bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")


def _set_ends(found: list[_Table], last: int) -> None:
    for table, following in pairwise(found):
        table.end = max(table.end, table.start, following.start - 1 if table.times == 1 else table.end)
    if found:
        found[-1].end = max(found[-1].start, last)
    for table in found:
        if table.kind == "key":
            table.end = max(table.start, table.end)


def _symbol(table: _Table) -> SymbolRecord:
    times = f" × {table.times:,}" if table.times > 1 else ""
    return SymbolRecord(
        kind=table.kind,
        name=table.name,
        start=table.start,
        end=table.end,
        signature=table.signature + times,
        children=capped(table.keys, MAX_CHILDREN, "keys"),
    )


def _manifest(values: dict[str, object]) -> tuple[str | None, list[str], list[str]]:
    """Return the description, dependencies and entry points of pyproject.toml and Cargo.toml."""
    project = (
        _dict(values.get("project")) or _dict(_dict(values.get("tool")).get("poetry")) or _dict(values.get("package"))
    )
    name, described = project.get("name"), project.get("description")
    doc = first_sentence(described) if isinstance(described, str) else None
    if isinstance(name, str) and project:
        doc = f"{name[:80]}: {doc}" if doc else f"Manifest of {name[:80]}."
    imports: list[str] = []
    optional: set[str] = set()
    listed = project.get("dependencies")
    for requirement in listed if isinstance(listed, list) else ():
        match = _REQUIREMENT.match(requirement) if isinstance(requirement, str) else None
        if match:
            imports.append(match.group())
    for table in (listed, values.get("dependencies"), _dict(values.get("workspace")).get("dependencies")):
        imports.extend(_dict(table))
        optional |= {name for name, given in _dict(table).items() if _dict(given).get("optional")}
    if doc and (needed := [name for name in imports if name not in optional]):
        left = len(needed) - _NEEDED
        doc += f" Needs {', '.join(needed[:_NEEDED])}{f' and {left} more' if left > 0 else ''}."
    points: list[str] = []
    for group in ("scripts", "gui-scripts"):
        for key, target in _dict(project.get(group)).items():
            points.append(f"{key} = {target[:100]}" if isinstance(target, str) else key)
    binaries = values.get("bin")
    for binary in binaries if isinstance(binaries, list) else ():
        path = _dict(binary).get("path")
        points.append(f"bin {_dict(binary).get('name', '')}{f' = {path}' if isinstance(path, str) else ''}")
    return doc, imports, points


def _dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
