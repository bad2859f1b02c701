"""The parts of a briefing and their levels of detail: the layout that `render` fills up to its budget.

Top-level symbols, and those inside modules and namespaces, are `top` nodes: their names come first. All others are
members, shown where there is room; whatever is left out is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sidecar.files.clean_text import clean, shorten
from sidecar.files.outline.source import SIGNATURE_CHARS
from sidecar.files.structure.values import without_secret
from sidecar.store.records import SymbolRecord

HIDDEN, NAME, PLACED, SIGNATURE, BRIEF_DOC, FULL_DOC = range(-1, 5)
"""Levels of a node: only counted, named in a list, named with its lines, on a line of its own, with its doc."""

ABSTRACT, ESSENTIAL, TRIVIAL, VALUE, PRIVATE = range(5)
"""Ranks, most worth showing first: what subclasses must write, callables, trivial callables, values, private ones."""

DECORATED_CHARS = 80
BRIEF_CHARS = 72
FULL_CHARS = 200
FIELDS_CHARS = 150
"""Maximum length of a line shared by several fields."""

TRANSPARENT = frozenset({"module", "namespace", "package"})
_GROUPED = frozenset({"constant", "variable"})
VALUED = _GROUPED | {"field", "property"}
_LISTED_ONLY = frozenset({"case", "column", "instruction", "more"})
INSIDE = "inside"
"""Kind of symbols that only fill leftover room: shown on a line of their own or not even counted."""
ROW = "row"
"""Kind of symbols that stand for the text itself, in place of all others."""
_FILLING = frozenset({INSIDE, ROW})
_TOLD_WHOLE = frozenset({"call", "parameters"}) | _FILLING
"""Kinds whose signature is shown whole, without the name in front."""
_CALLED = frozenset({"function", "method", "constructor"})
_HOLDS = VALUED | _LISTED_ONLY | {"event", "type", "alias", "import"}
_TRIVIAL_LINES = 4
_NEAR = 3
"""Maximum number of lines between names that share a range."""
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
# What a member's line says without: that it is public, and a function.
_PLAIN = re.compile(
    r"^(?:(?:@(?:Test|Override)|public|open|override|final|virtual|function|fun|fn|func(?: \([^()]*\))?|def)\s+)+"
    r"(?=[\w$@])"
)
_RECEIVER = re.compile(r"(?<=\w)\((?:self|cls)(?:, |(?=\)))")
_DECORATORS = re.compile(r"(?:(?:@[\w.]+(?:\([^()]{0,200}\))?|#?\[[^\[\]]{0,200}\])\s+)+")
_ABSTRACT = re.compile(r"(?<![\w-])abstract(?:method)?(?![\w-])")
_COUNTED = re.compile(r"… and ([\d,]+) ")
_NO_SHAPE = re.compile(r"(?<=\S): (?:string|object \([\d,]+\))$")
_GIVEN_NOTHING = re.compile(r"\(\s*(?:(?:&?\s*(?:mut\s+)?)?self|cls|void)?\s*\)|^[^(]*$")


class LayoutNode:
    """A symbol that may be shown, with its current level."""

    __slots__ = (
        *("brief", "children", "depth", "doc", "end", "kind", "level", "name", "parent", "public"),
        *("rank", "signature", "start", "top"),
    )

    def __init__(
        self, symbol: SymbolRecord, depth: int, *, top: bool = False, parent: LayoutNode | None = None
    ) -> None:
        self.kind = clean(symbol.kind, 30)
        self.name = clean(symbol.name, 200) or "(unnamed)"
        self.start, self.end = symbol.start, max(symbol.start, symbol.end)
        signature = clean(symbol.signature, 2000)
        if self.kind in VALUED:
            signature = without_secret(signature)
        elif self.kind == "key":
            signature = _NO_SHAPE.sub("", signature)
        if parent is not None and self.kind in _CALLED:
            signature = _RECEIVER.sub("(", _PLAIN.sub("", signature), count=1)
        elif self.kind in TRANSPARENT:
            signature = signature.partition(" (")[0]
        told = self.kind in _TOLD_WHOLE
        self.signature = shorten(signature, 4 * SIGNATURE_CHARS) if told else _signature(self.name, signature)
        doc = clean(symbol.doc, FULL_CHARS) if symbol.doc else ""
        self.doc = doc
        self.brief = shorten(doc, BRIEF_CHARS)
        self.depth = depth
        self.top = top
        self.parent = parent
        self.public = symbol.public
        self.level = PLACED if self.kind in _FILLING else NAME if top else HIDDEN
        self.children: list[LayoutNode] = []
        self.rank = self._rank()

    def _rank(self) -> int:
        if not self.public:
            return PRIVATE
        if self.kind in _HOLDS or self.held:
            return VALUE
        if self.kind in _CALLED and _ABSTRACT.search(self.signature):
            return ABSTRACT
        brief = self.kind in _CALLED and self.end - self.start < _TRIVIAL_LINES
        return TRIVIAL if brief and _GIVEN_NOTHING.search(self.signature) else ESSENTIAL

    @property
    def lines(self) -> str:
        return _lines(self.start, self.end)

    @property
    def grouped(self) -> bool:
        """Return whether the node shares a line with other constants and the like."""
        return self.kind in _GROUPED and not self.children

    @property
    def promotable(self) -> bool:
        """Return whether a line of its own would say more than the name in a list."""
        bare = self.signature == self.name and not self.doc and not self.children
        return self.kind not in _LISTED_ONLY and not self.grouped and not bare

    @property
    def reachable(self) -> bool:
        """Return whether the node's owner has a line of its own, under which the node can be shown."""
        return self.parent is None or self.parent.level >= SIGNATURE

    @property
    def brief_value(self) -> bool:
        """Return whether the node is a field shown by its signature alone; several of these share a line."""
        computed = "def " in self.signature or "@" in self.signature
        plain = self.kind in VALUED and not self.children and not computed
        return plain and (self.level == SIGNATURE or not self.doc)

    @property
    def value(self) -> str:
        """The signature of a constant without its modifiers."""
        bare = _MODIFIERS.sub("", self.signature)
        told = self.name in bare and ("=" in bare or ":" in bare)
        return bare if told or self.kind not in _GROUPED else self.name

    @property
    def held(self) -> bool:
        """Return whether the node shares a range with its neighbours in a list."""
        call = self.kind == "call" and self.end == self.start
        return call or (self.kind in VALUED | _LISTED_ONLY and not self.children)

    @property
    def entry(self) -> str:
        told = self.grouped and self.level >= SIGNATURE and len(self.value) <= 60
        return self.value if told else self.name

    @property
    def stands_for(self) -> int:
        """The number of symbols: more than one if the node counts those that were left out."""
        counted = _COUNTED.match(self.name) if self.kind == "more" else None
        return int(counted[1].replace(",", "")) if counted else 1

    def line(self) -> str:
        """Render the node's own line at its level (`SIGNATURE` or above)."""
        text = f"{'  ' * self.depth}{self.signature} {self.lines}" if self.start else "  " * self.depth + self.signature
        doc = self.doc if self.level >= FULL_DOC else self.brief if self.level == BRIEF_DOC else ""
        return f"{text} — {doc}" if doc else text


def _lines(start: int, end: int) -> str:
    return f"L{start}" if end <= start else f"L{start}-{end}"


def _signature(name: str, signature: str) -> str:
    """Shorten a signature: drop long decorators first, and put the name in front if it is missing or cut off."""
    if signature.startswith(("@", "[", "#[")) and len(signature) > DECORATED_CHARS:
        signature = _DECORATORS.sub("", signature) or signature
    short = shorten(signature, SIGNATURE_CHARS)
    if name in short:
        return short
    return f"{name}: {shorten(signature, SIGNATURE_CHARS // 2)}" if signature else name


def forest(symbols: Sequence[SymbolRecord]) -> tuple[list[LayoutNode], list[LayoutNode]]:
    """Return the public nodes, each module followed by its content, and the private ones.

    In a file without public symbols, all symbols count as public.
    """
    tops: list[LayoutNode] = []
    private: list[LayoutNode] = []
    inside = not any(symbol.public for symbol in symbols)

    def add(symbol: SymbolRecord, depth: int) -> None:
        shown = symbol.public or inside
        node = LayoutNode(symbol, depth if shown else 1, top=shown)
        (tops if shown else private).append(node)
        if shown and symbol.kind in TRANSPARENT and depth < _MAX_DEPTH:
            for child in symbol.children:
                add(child, depth + 1)
        else:
            _add_members(node, symbol)

    for symbol in symbols:
        add(symbol, 0)
    _overloads(tops)
    return tops, private


def _add_members(node: LayoutNode, symbol: SymbolRecord) -> None:
    for child in symbol.children:
        if child.name == symbol.name == child.signature:
            continue  # `data Point = Point`
        member = LayoutNode(child, node.depth + 1, parent=node)
        node.children.append(member)
        if child.children and member.depth < _MAX_DEPTH:
            _add_members(member, child)
    _overloads(node.children)


def inside(records: Iterable[SymbolRecord], nodes: Sequence[LayoutNode]) -> tuple[list[LayoutNode], list[LayoutNode]]:
    """Attach each record to the innermost node around it; return the nodes outside any node and the attached ones."""
    loose: list[LayoutNode] = []
    held: list[LayoutNode] = []
    for record in records:
        holder: LayoutNode | None = None
        around: Iterable[LayoutNode] = nodes
        while True:
            inner = [
                one for one in around if one.start <= record.start and record.end <= one.end and one.kind != INSIDE
            ]
            if not inner:
                break
            holder = max(inner, key=lambda one: (one.start, -one.end, one.depth))
            around = holder.children
        node = LayoutNode(record, holder.depth + 1 if holder else 0, parent=holder)
        if record.kind == ROW:
            _add_members(node, record)
        if holder is not None:
            holder.children.append(node)
            holder.children.sort(key=lambda one: one.start)
        (held if holder else loose).append(node)
    return loose, held


def _overloads(nodes: Iterable[LayoutNode]) -> None:
    """Rank repeated definitions of a name below the first definitions of other names."""
    known: set[str] = set()
    for node in nodes:
        if node.rank == ESSENTIAL and node.kind in _CALLED and node.name in known:
            node.rank = TRIVIAL
        known.add(node.name)


def body(tops: list[LayoutNode]) -> list[str]:
    """Render the symbols: lines of their own in file order, then lists of names by kind."""
    lines: list[str] = []
    lists: dict[str, list[LayoutNode]] = {}
    grouped: list[LayoutNode] = []
    for node in sorted(tops, key=lambda one: one.start) if any(one.kind == INSIDE for one in tops) else tops:
        if node.level >= SIGNATURE and not node.grouped:
            lines.extend(_tree(node))
        elif node.level > HIDDEN and node.kind not in _FILLING:
            (grouped if node.grouped else lists.setdefault(_label(node.kind), [])).append(node)
    for label, nodes in lists.items():
        owners = {node.name.rpartition("::")[0] for node in nodes}
        owner = owners.pop() if len(owners) == 1 and len(nodes) > 1 else ""
        named = f"{label} of {owner}" if owner else label
        names = _names(nodes, f"{owner}::")
        lines.append(f"{named}: {names}" if named else names)
    if grouped:
        lines.append(f"constants: {_names(grouped)}")
    left = sum(node.stands_for for node in tops if node.level == HIDDEN)
    return [*lines, f"… and {left:,} more"] if left else lines


def private_lines(nodes: list[LayoutNode]) -> list[str]:
    """Render the private symbols: full lines, then names, then the number left out."""
    lines = [line for node in nodes if node.level >= SIGNATURE for line in _tree(node)]
    rest = _names([node for node in nodes if node.level < SIGNATURE])
    if not lines:
        return [f"private: {rest}"] if rest else []
    return ["private:", *lines, *([f"  also {rest}"] if rest else [])]


def _tree(node: LayoutNode) -> Iterator[str]:
    """Yield a node's line and its members' lines, then a list or the number of the members without a line."""
    line = node.line()
    children = [child for child in node.children if child.kind not in _FILLING or child.level >= SIGNATURE]
    shown = any(child.level >= SIGNATURE for child in children)
    if children and all(child.level == HIDDEN for child in children):
        count = _held(node)
        yield line + f" (+{count} {'member' if count == 1 else 'members'})"
        return
    yield line
    fields: list[LayoutNode] = []
    for child in children:
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
    for public in (True, False):
        listed = [child for child in children if child.level < SIGNATURE and child.public is public]
        kinds = {child.kind for child in listed}
        label = "private: " if not public else "" if not shown else "also "
        if label == "also " and len(kinds) == 1 and kinds < _LISTED_ONLY:
            label = f"{_label(listed[0].kind)}: "
        if listed:
            yield f"{'  ' * (node.depth + 1)}{label}{_names(listed)}"


def _held(node: LayoutNode) -> int:
    return sum(1 + _held(child) for child in node.children if child.kind not in _FILLING)


def _fields(fields: list[LayoutNode]) -> Iterator[str]:
    if len(fields) == 1:
        yield fields[0].line()
    elif fields:
        values = ", ".join(dict.fromkeys(field.value for field in fields))
        yield f"{'  ' * fields[0].depth}{values} {_lines(fields[0].start, fields[-1].end)}"


def _names(nodes: list[LayoutNode], without: str = "") -> str:
    """List names without the prefix `without`; neighbouring values share a range, and omitted names are counted."""
    parts: list[str] = []
    run: list[LayoutNode] = []

    def close() -> None:
        if run:
            names = dict.fromkeys(node.entry.removeprefix(without) for node in run)
            held = f" (+{count})" if (count := _held(run[0])) else ""
            parts.append(f"{', '.join(names)} {_lines(run[0].start, run[-1].end)}{held}")
            run.clear()

    for node in nodes:
        if node.level < PLACED:
            continue
        if not run or not (node.held and run[-1].held) or node.start - run[-1].end > _NEAR:
            close()
        run.append(node)
    close()
    parts += dict.fromkeys(node.entry.removeprefix(without) for node in nodes if node.level == NAME)
    left = sum(node.level == HIDDEN for node in nodes)
    return " ".join(part for part in (", ".join(parts), f"… and {left:,} more" if left else "") if part)


def _label(kind: str) -> str:
    if kind in _PLURALS:
        return _PLURALS[kind]
    return kind if kind.endswith("s") else f"{kind}s"
