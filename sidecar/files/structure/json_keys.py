"""JSON: keys of the first two levels with their types, a package manifest's scripts, the items of arrays."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import msgspec

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

_SHAPE_KEYS = 8
_RUN_MOST = frozenset(("main", "module", "bin", "dev", "start", "build", "test", "lint"))
_DEPENDENCIES = (
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
    "require",
    "require-dev",
)


_MANY, _NEARLY_ALL = 40, 0.9
SHOWN_ALIKE, FEW_ALIKE = 20, 5  # entries shown of many similar ones, at the top level and below
FEW_KEYS = 24  # number of top-level keys up to which words are shown as values


def json_keys(text: str) -> Structure:
    """Return the symbols of a JSON text; the first of several consecutive values (JSON Lines) stands for all."""
    found = scan(text)
    lines = LineNumbers(text)
    if not found.roots:
        return Structure(partial=found.partial)
    root = found.roots[0]
    if len(found.roots) > 1 and root.kind in {"object", "array"}:
        doc: str | None = f"{len(found.roots):,} JSON values, one after the other; the keys are the first one's."
    elif root.kind == "array":
        doc = f"Array of {root.count:,}{items(root)}."
    else:
        doc = _description(root) or alike(root)
    members = _members(root)
    symbols = [_symbol(node, lines, 1, words_too=len(members) <= FEW_KEYS) for node in members]
    return Structure(
        doc=doc,
        symbols=capped(symbols, SHOWN_ALIKE if alike(root) else MAX_SYMBOLS, "keys"),
        imports=_imports(root),
        entry_points=_entry_points(root),
        partial=found.partial,
    )


def _members(node: KeyNode) -> list[KeyNode]:
    if node.kind == "array":
        node = node.children[0] if node.children and node.children[0].kind == "object" else node
    return [child for child in node.children if child.key is not None]


def _symbol(node: KeyNode, lines: LineNumbers, level: int, *, words_too: bool = False) -> SymbolRecord:
    key = node.key or '""'
    children: tuple[SymbolRecord, ...] = ()
    if level < 2 and node.kind == "object":
        most = FEW_ALIKE if alike(node) and node.key not in _DEPENDENCIES else MAX_CHILDREN
        children = capped([_symbol(child, lines, level + 1) for child in _members(node)], most, "keys")
    return SymbolRecord(
        kind="key",
        name=key,
        start=lines.at(node.start),
        end=lines.at(max(node.start, node.end - 1)),
        signature=f"{key}: {shape(key, node, words_too=words_too)}",
        children=children,
    )


def shape(key: str, node: KeyNode, *, words_too: bool = False) -> str:
    """Return a value's type, or the value itself if it is short and harmless."""
    if node.kind == "object":
        return alike(node) or f"object ({node.count:,})"
    if node.kind == "array":
        return f"array of {node.count:,}{items(node)}"
    if node.kind == "string":
        return brief(key, unquote(node.text), words_too=words_too) or "string"
    return node.kind if node.kind == "number" and (secret_key(key) or len(node.text) > 20) else node.text


def alike(node: KeyNode) -> str | None:
    """Return how many entries an object has and their shape, if they are many and nearly all alike."""
    entries = [child for child in node.children if child.key is not None] if node.kind == "object" else []
    kinds = Counter(child.kind for child in entries)
    kind, times = kinds.most_common(1)[0] if len(entries) >= _MANY else ("", 0)
    if times < _NEARLY_ALL * len(entries) or not times:
        return None
    shape = f"{kind}s"
    if kind == "object":
        keys = Counter(child.key for entry in entries for child in entry.children if child.key is not None)
        shared = [key for key, count in keys.items() if 2 * count > len(entries)]
        if not shared:
            return None
        shape = _braced(shared)
    return f"{node.count:,} entries, {shape}"


def items(node: KeyNode) -> str:
    """Return the shape of an array's first item, which stands for all."""
    if not node.children:
        return ""
    first = node.children[0]
    if first.kind != "object":
        return f" {first.kind}s" if node.count != 1 else f" {first.kind}"
    keys = [child.key for child in first.children if child.key is not None]
    return f" {_braced(keys)}" if keys else " objects"


def _braced(keys: list[str]) -> str:
    return f"{{{', '.join(keys[:_SHAPE_KEYS])}{', …' if len(keys) > _SHAPE_KEYS else ''}}}"


def _texts(node: KeyNode) -> dict[str, str]:
    return {child.key or "": unquote(child.text) for child in node.children if child.kind == "string"}


def _description(root: KeyNode) -> str | None:
    texts = _texts(root)
    described = texts.get("description") or texts.get("title") or ""
    return first_sentence(described) if described and not described.startswith(("http", "$")) else None


def _entry_points(root: KeyNode) -> tuple[str, ...]:
    """Return what package.json or composer.json can run: `main`, `bin`, and scripts with their commands."""
    keys = {child.key: child for child in root.children}
    if root.kind != "object" or not ({"name", "scripts", "bin"} & keys.keys()):
        return ()
    points = []
    for key in ("main", "module"):
        if key in keys and keys[key].kind == "string" and "scripts" in keys:
            points.append(f"{key}: {unquote(keys[key].text)[:80]}")
    for group in ("bin", "scripts"):
        node = keys.get(group)
        if node is None:
            continue
        if node.kind == "string" and group == "bin":
            points.append(f"bin: {unquote(node.text)[:80]}")
        for child in node.children if node.kind == "object" else ():
            name = child.key or ""
            shown = command(name, unquote(child.text)) if child.kind == "string" else None
            label = f"{'bin ' if group == 'bin' else ''}{name}"
            points.append(f"{label}: {shown}" if shown else label)
    points.sort(key=lambda point: not point.startswith("bin ") and point.partition(":")[0] not in _RUN_MOST)
    return distinct(points, 60)


def _imports(root: KeyNode) -> tuple[str, ...]:
    """Return a manifest's dependencies and the files that a configuration extends or references."""
    names: list[str] = []
    for child in root.children if root.kind == "object" else ():
        if child.key in _DEPENDENCIES and child.kind == "object":
            names.extend(dependency.key or "" for dependency in child.children)
        elif child.key == "extends" and child.kind == "string":
            names.append(unquote(child.text)[:200])
    return distinct(names)


JsonKind = Literal["object", "array", "string", "number", "boolean", "null"]

_TOKEN = re.compile(
    r"""[\s,]*(?:(?P<string>"(?:[^"\\\n]+|\\.)*"?|'(?:[^'\\\n]+|\\.)*'?)|(?P<word>[\w$.+-]+)|(?P<mark>[{}\[\]:])"""
    r"""|(?P<line>//[^\n]*|\#[^\n]*)|(?P<block>/\*)|(?P<other>[^\s,]))"""
)
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|0[xX][\da-fA-F]+|[+-]?Infinity|NaN")
_CLOSER = {"{": "}", "[": "]"}
_KEPT_TEXT = 400


@dataclass(slots=True)
class KeyNode:
    """A value with its key (None in arrays) and its offsets (from its key, if any).

    Containers have the number of their direct values and the first of them as `children`.
    """

    key: str | None
    kind: JsonKind
    start: int
    end: int
    value: int
    text: str = ""
    count: int = 0
    children: list[KeyNode] = field(default_factory=list)


@dataclass(frozen=True)
class JsonScan:
    """The top-level values of a text, and whether any of it was not valid JSON."""

    roots: list[KeyNode]
    partial: bool


def unquote(raw: str) -> str:
    """Return the text of a string token; escapes that cannot be decoded are left as written."""
    inner = raw[1:-1] if len(raw) > 1 and raw[-1] == raw[0] else raw[1:]
    if "\\" not in inner:
        return inner
    try:
        return msgspec.json.decode(f'"{inner}"', type=str)
    except (msgspec.MsgspecError, UnicodeError):
        return inner


def scan(text: str, depth: int = 3, items: int = 1) -> JsonScan:
    """Return values down to `depth` levels of containers: the first `items` of every array, all of every object."""
    return _Scanner(text, depth, items).run()


class _Scanner:
    """Collects the values of a text, whose containers that are still open have nodes in `_stack`, down to the depth."""

    def __init__(self, text: str, depth: int, items: int) -> None:
        self._text, self._depth, self._items = text, depth, items
        self._roots: list[KeyNode] = []
        self._stack: list[KeyNode] = []
        self._closers: list[str] = []
        self._partial = False
        self._pending: tuple[str, int] | None = None  # a key, and where it begins
        self._named = False  # whether its colon was read

    def run(self) -> JsonScan:
        position, match_token = 0, _TOKEN.match
        while position < len(self._text) and (match := match_token(self._text, position)) is not None:
            position = match.end()
            kind = match.lastgroup
            if kind == "string":
                raw = match["string"]
                self._partial = self._partial or len(raw) < 2 or raw[-1] != raw[0]
                if not self._read_key(unquote, raw, match.start("string")):
                    self._add("string", match.start("string"), position, raw)
            elif kind == "word":
                self._read_word(match["word"], match.start("word"), position)
            elif kind == "mark":
                self._read_mark(match["mark"], match.start("mark"), position)
            elif kind == "block":
                end = self._text.find("*/", position)
                if end < 0:
                    self._partial = True
                    break
                position = end + 2
            elif kind == "other":
                self._partial = True
        return JsonScan(self._roots, self._partial or bool(self._closers) or self._pending is not None)

    def _read_key(self, shown: Callable[[str], str], raw: str, start: int) -> bool:
        if not self._closers or self._closers[-1] != "}" or self._named:
            return False
        self._partial = self._partial or self._pending is not None
        self._pending = (shown(raw[:_KEPT_TEXT]), start)
        return True

    def _read_word(self, word: str, start: int, end: int) -> None:
        if self._read_key(str, word, start):
            return
        if word in {"true", "false"}:
            self._add("boolean", start, end, word)
        elif word in {"null", "undefined"}:
            self._add("null", start, end, word)
        else:
            number = _NUMBER.fullmatch(word) is not None
            self._partial = self._partial or not number
            self._add("number" if number else "string", start, end, word)

    def _read_mark(self, mark: str, start: int, end: int) -> None:
        closers, stack = self._closers, self._stack
        if mark == ":":
            self._named = self._pending is not None
            self._partial = self._partial or not self._named
        elif mark in _CLOSER:
            self._partial = self._partial or bool(closers and closers[-1] == "}" and not self._named)
            node = self._add("object" if mark == "{" else "array", start, len(self._text), "")
            if len(closers) == len(stack) and len(closers) <= self._depth:
                stack.append(node)
            closers.append(_CLOSER[mark])
        else:
            self._partial = self._partial or self._pending is not None
            self._pending, self._named = None, False
            if not closers or closers[-1] != mark:
                self._partial = True
                if mark not in closers[-8:]:
                    return
                while closers[-1] != mark:
                    _close(closers, stack, end)
            _close(closers, stack, end)

    def _add(self, kind: JsonKind, start: int, end: int, raw: str) -> KeyNode:
        key, begin = self._pending if self._pending and self._named else (None, start)
        self._pending, self._named = None, False
        node = KeyNode(key, kind, begin, end, start, raw[:_KEPT_TEXT])
        if not self._closers:
            self._roots.append(node)
        elif len(self._closers) <= len(self._stack):
            parent = self._stack[-1]
            parent.count += 1
            if len(self._closers) <= self._depth and (parent.kind == "object" or len(parent.children) < self._items):
                parent.children.append(node)
        return node


def _close(closers: list[str], stack: list[KeyNode], position: int) -> None:
    closers.pop()
    if len(stack) > len(closers):
        stack.pop().end = position
