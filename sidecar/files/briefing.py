"""The parts of a briefing and how richly each is shown: the layout that `render` fills up to its budget.

A node is a symbol that may be shown. Symbols of the top level, and those inside modules and namespaces, are `top`
nodes: their names are always shown. All others are members, shown when there is room.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sidecar.files.clean_text import clean, shorten
from sidecar.files.structure.values import without_secret
from sidecar.store.records import SymbolRecord

NAME, SIGNATURE, BRIEF_DOC, FULL_DOC = 0, 1, 2, 3
"""Levels of a top node; a member has `HIDDEN` below them, and `NAME` means: in its parent's list of names."""
HIDDEN = -1

SIGNATURE_CHARS = 160
DECORATED_CHARS = 80
BRIEF_CHARS = 72
FULL_CHARS = 200
FIELDS_CHARS = 150
"""Of a line that several fields share."""

TRANSPARENT = frozenset({"module", "namespace", "package"})
_GROUPED = frozenset({"constant", "variable"})
_VALUED = _GROUPED | {"field", "property"}
_LISTED_ONLY = frozenset({"case", "column", "more"})
_PLURALS = {
    "class": "classes",
    "property": "properties",
    "alias": "aliases",
    "library": "libraries",
    "key": "keys",
    "heading": "sections",
    "more": "",
    "index": "indexes",
    "alter": "altered",
}
_MAX_DEPTH = 6
_MODIFIERS = re.compile(
    r"(?<![\w-])(?:(?:export|declare|default|public|static|final|readonly|constexpr|inline|extern|const|let|var|val|local"
    r"|pub(?:\([\w: ]{1,40}\))?)\s+)+"
)
_DECORATORS = re.compile(r"(?:(?:@[\w.]+(?:\([^()]{0,200}\))?|#?\[[^\[\]]{0,200}\])\s+)+")


class Node:
    """One symbol of the briefing, with the level at which it is shown now."""

    __slots__ = ("brief", "children", "depth", "doc", "kind", "level", "lines", "name", "signature", "top")

    def __init__(self, symbol: SymbolRecord, depth: int, *, top: bool) -> None:
        self.kind = clean(symbol.kind, 30)
        self.name = clean(symbol.name, 200) or "(unnamed)"
        self.lines = f"L{symbol.start}" if symbol.end <= symbol.start else f"L{symbol.start}-{symbol.end}"
        signature = clean(symbol.signature, 2000)
        if self.kind in _VALUED:
            signature = without_secret(signature)
        self.signature = _signature(self.name, signature)
        doc = clean(symbol.doc, FULL_CHARS) if symbol.doc else ""
        self.doc = doc
        self.brief = shorten(doc, BRIEF_CHARS)
        self.depth = depth
        self.top = top
        self.level = NAME if top else HIDDEN
        self.children: list[Node] = []

    @property
    def grouped(self) -> bool:
        """Constants and the like share one line instead of having one each."""
        return self.kind in _GROUPED and not self.children

    @property
    def promotable(self) -> bool:
        """Whether a line of its own would say more than the name in a list."""
        bare = self.signature == self.name and not self.doc and not self.children
        return self.kind not in _LISTED_ONLY and not self.grouped and not bare

    @property
    def brief_value(self) -> bool:
        """A field that is shown by its signature alone: several of them share a line."""
        computed = "def " in self.signature or "@" in self.signature
        plain = self.kind in _VALUED and not self.children and not computed
        return plain and (self.level == SIGNATURE or not self.doc)

    @property
    def value(self) -> str:
        """The signature of a constant without the words that say it is one."""
        bare = _MODIFIERS.sub("", self.signature)
        told = self.name in bare and ("=" in bare or ":" in bare)
        return bare if told or self.kind not in _GROUPED else self.name

    def line(self) -> str:
        """The node's own line at its level (`SIGNATURE` or above)."""
        text = f"{'  ' * self.depth}{self.signature} {self.lines}"
        doc = self.doc if self.level >= FULL_DOC else self.brief if self.level == BRIEF_DOC else ""
        return f"{text} — {doc}" if doc else text


def _signature(name: str, signature: str) -> str:
    """The signature within its limit; long decorators go first, a name that it lacks or loses is put in front."""
    if signature.startswith(("@", "[", "#[")) and len(signature) > DECORATED_CHARS:
        signature = _DECORATORS.sub("", signature) or signature
    short = shorten(signature, SIGNATURE_CHARS)
    if name in short:
        return short
    return f"{name}: {shorten(signature, SIGNATURE_CHARS // 2)}" if signature else name


def forest(symbols: Iterable[SymbolRecord]) -> tuple[list[Node], list[Node]]:
    """Nodes of the public symbols, each module's content following it; nodes of the private ones, members last."""
    tops: list[Node] = []
    private: list[Node] = []
    hidden: list[Node] = []

    def add(symbol: SymbolRecord, depth: int) -> None:
        if not symbol.public:
            node = Node(symbol, 1, top=False)
            node.children = [Node(child, 2, top=False) for child in symbol.children]
            private.append(node)
            return
        node = Node(symbol, depth, top=True)
        tops.append(node)
        if symbol.kind in TRANSPARENT and depth < _MAX_DEPTH:
            for child in symbol.children:
                add(child, depth + 1)
        else:
            node.children = _members(symbol, depth + 1, hidden)

    for symbol in symbols:
        add(symbol, 0)
    return tops, private + hidden


def _members(symbol: SymbolRecord, depth: int, hidden: list[Node]) -> list[Node]:
    """The public members of a symbol; what can be called of the others joins `hidden`."""
    found = []
    for child in symbol.children:
        if child.public:
            node = Node(child, depth, top=False)
            if child.children and depth < _MAX_DEPTH:
                node.children = _members(child, depth + 1, hidden)
            found.append(node)
        elif child.kind not in _VALUED:
            hidden.append(Node(child, 1, top=False))
    return found


def body(tops: list[Node], *, ranges: bool = True) -> list[str]:
    """Lines of the symbols: those with a line of their own in file order, then lists of names by kind."""
    lines: list[str] = []
    lists: dict[str, list[str]] = {}
    grouped: list[str] = []
    for node in tops:
        if node.level >= SIGNATURE and not node.grouped:
            lines.extend(_tree(node))
        elif node.grouped:
            grouped.append(node.value if node.level >= SIGNATURE and len(node.value) <= 60 else node.name)
        else:
            lists.setdefault(_label(node.kind), []).append(
                f"{node.name} {node.lines}" if ranges else node.name
            )
    for label, names in lists.items():
        lines.append(f"{label}: {', '.join(dict.fromkeys(names))}" if label else ", ".join(names))
    if grouped:
        lines.append(f"constants: {', '.join(dict.fromkeys(grouped))}")
    return lines


def private_lines(nodes: list[Node]) -> list[str]:
    """The private part, last: lines of those that have one, then names, then how many are left out."""
    lines = [line for node in nodes if node.level >= SIGNATURE for line in _tree(node, counted=False)]
    names = list(dict.fromkeys(node.name for node in nodes if node.level == NAME))
    left = sum(node.level < NAME for node in nodes)
    if not lines and not names:
        return []
    rest = " ".join(part for part in (", ".join(names), f"… and {left} more" if left else "") if part)
    if not lines:
        return [f"private: {rest}"]
    return ["private:", *lines, *([f"  also {rest}"] if rest else [])]


def _tree(node: Node, *, counted: bool = True) -> Iterator[str]:
    """A node's line, its members' lines, and the list of those that have none; or how many there are."""
    line = node.line()
    listed = [child.name for child in node.children if child.level == NAME]
    shown = any(child.level >= SIGNATURE for child in node.children)
    if node.children and not listed and not shown and counted:
        count = len(node.children)
        line += f" (+{count} {'member' if count == 1 else 'members'})"
    yield line
    fields: list[Node] = []
    for child in node.children:
        if child.level < SIGNATURE:
            continue
        if child.brief_value:
            if sum(len(field.value) for field in (*fields, child)) > FIELDS_CHARS:
                yield from _fields(fields)
                fields = []
            fields.append(child)
            continue
        yield from _fields(fields)
        fields = []
        yield from _tree(child)
    yield from _fields(fields)
    if listed:
        label = "also " if shown else ""
        yield f"{'  ' * (node.depth + 1)}{label}{', '.join(dict.fromkeys(listed))}"


def _fields(fields: list[Node]) -> Iterator[str]:
    """One line for neighbouring fields."""
    if len(fields) == 1:
        yield fields[0].line()
    elif fields:
        first, last = fields[0].lines, fields[-1].lines
        lines = (
            first
            if first == last
            else f"{first.partition('-')[0]}-{last.rpartition('-')[2].removeprefix('L')}"
        )
        values = ", ".join(dict.fromkeys(field.value for field in fields))
        yield f"{'  ' * fields[0].depth}{values} {lines}"


def _label(kind: str) -> str:
    if kind in _PLURALS:
        return _PLURALS[kind]
    return kind if kind.endswith("s") else f"{kind}s"
