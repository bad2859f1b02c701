"""The parts of a briefing and their levels of detail, which `render` raises until its budget is used.

Top-level symbols, and those inside modules and namespaces, are `top` nodes: their names come first. All others are
members. They are shown where there is room, in file order, below the symbol that holds them. Whatever is left out is
counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from sidecar.files.clean_text import clean, shorten
from sidecar.files.outline.source import SIGNATURE_CHARS
from sidecar.files.structure.body_rows import LINE
from sidecar.files.structure.values import without_secret
from sidecar.store.records import SymbolRecord

HIDDEN, NAME, PLACED, SIGNATURE, BRIEF_DOC, FULL_DOC = range(-1, 5)
"""Levels of a node: only counted; named in a list; named with its lines; on a line of its own; with its doc."""
ABSTRACT, ESSENTIAL, TRIVIAL, VALUE, PRIVATE = range(5)
"""Ranks, most worth showing first: what subclasses must write, callables, trivial callables, values, private ones."""

DECORATED_CHARS = 80
BRIEF_CHARS = 90
FULL_CHARS = 200
FIELDS_CHARS = 150  # maximum length of a line shared by several fields

TRANSPARENT = frozenset({"module", "namespace", "package", "section"})
_GROUPED_KINDS = frozenset({"constant", "variable"})
VALUED = _GROUPED_KINDS | {"field", "property"}
_LISTED_ONLY = frozenset({"case", "column", "instruction", "more"})
INSIDE = "inside"  # symbols that only fill leftover room: shown on their own lines, or not even counted
ROW = "row"  # symbols that show the text itself, in place of all other symbols
FILLING = frozenset({INSIDE, ROW, LINE})
_SHOWN_WHOLE = frozenset({"call", "parameters"}) | FILLING  # kinds whose signature is shown without the name before it
_CALLABLE_KINDS = frozenset({"function", "method", "constructor"})
_VALUE_LIKE_KINDS = VALUED | _LISTED_ONLY | {"event", "type", "alias", "import"}
_TRIVIAL_LINES = 4
_MAX_GAP_LINES = 3  # names at most this many lines apart share a range
_MAX_SHARED_RANGE_LINES = 4  # a value of more lines has a range of its own
_MAX_LIST_CHARS = 160  # maximum length of a line of names
_MAX_NAMES_PER_RANGE = 5  # maximum number of names that share a range for want of room
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
    "data": "data sources",
    "rule": "different rules",
}
_MAX_DEPTH = 6
_MODIFIERS = re.compile(
    r"(?<![\w-])(?:(?:export|declare|default|public|static|final|readonly|constexpr|inline|extern|const|let|var|val|local"
    r"|pub(?:\([\w: ]{1,40}\))?)\s+)+"
)
# Modifiers dropped from a member's line, because its place implies them.
_PLAIN = re.compile(
    r"^(?:(?:@(?:Test|Override)|public|open|override|final|virtual|function|fun|fn|func(?: \([^()]*\))?|def)\s+)+"
    r"(?=[\w$@])"
)
_RECEIVER = re.compile(r"(?<=\w)\((?:self|cls)(?:, |(?=\)))")
_DECORATORS = re.compile(r"(?:(?:@[\w.]+(?:\([^()]{0,200}\))?|#?\[[^\[\]]{0,200}\])\s+)+")
_TEST_MACRO = re.compile(r"(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\s*\)")
_ABSTRACT = re.compile(r"(?<![\w-])abstract(?:method)?(?![\w-])")
_COUNTED = re.compile(r"… and ([\d,]+) ")
_NO_SHAPE = re.compile(r"(?<=\S): (?:string|object \([\d,]+\))$")
_GIVEN_NOTHING = re.compile(r"\(\s*(?:(?:&?\s*(?:mut\s+)?)?self|cls|void)?\s*\)|^[^(]*$")


def in_order(entry: SymbolRecord | LayoutNode) -> tuple[bool, int]:
    # A `… and N more` node has no line number; sort it last.
    return not entry.start, entry.start


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
        if parent is not None and self.kind in _CALLABLE_KINDS:
            signature = _RECEIVER.sub("(", _PLAIN.sub("", signature), count=1)
        elif self.kind in TRANSPARENT:
            signature = signature.partition(" (")[0]
        macro = _TEST_MACRO.fullmatch(signature) if self.kind == "function" else None
        shows_whole = self.kind in _SHOWN_WHOLE or macro is not None
        self.signature = shorten(signature, 4 * SIGNATURE_CHARS) if shows_whole else _signature(self.name, signature)
        if macro is not None:
            self.kind, self.name = "test", f"{macro[1]}::{macro[2]}"
        self.doc = clean(symbol.doc, FULL_CHARS) if symbol.doc else ""
        self.brief = shorten(self.doc, BRIEF_CHARS)
        self.depth = depth
        self.top = top
        self.parent = parent
        self.public = symbol.public
        self.level = PLACED if self.kind in FILLING else NAME if top else HIDDEN
        self.children: list[LayoutNode] = []
        self.rank = self._rank()

    def _rank(self) -> int:
        if not self.public:
            return PRIVATE
        if self.kind in _VALUE_LIKE_KINDS or self.held:
            return VALUE
        if self.kind in _CALLABLE_KINDS and _ABSTRACT.search(self.signature):
            return ABSTRACT
        brief = self.kind in _CALLABLE_KINDS and self.end - self.start < _TRIVIAL_LINES
        return TRIVIAL if brief and _GIVEN_NOTHING.search(self.signature) else ESSENTIAL

    @property
    def lines(self) -> str:
        return _lines(self.start, self.end)

    @property
    def grouped(self) -> bool:
        """Return whether the node shares a line with other constants and the like."""
        return self.kind in _GROUPED_KINDS and not self.children

    @property
    def promotable(self) -> bool:
        """Return whether a line of its own would say more than the node's name in a list."""
        bare = self.signature == self.name and not self.doc and not self.children
        return self.kind not in _LISTED_ONLY and not self.grouped and not bare

    @property
    def transparent(self) -> bool:
        """Return whether the node's members are named first, like the node itself."""
        return self.kind in TRANSPARENT and self.top

    @property
    def reachable(self) -> bool:
        """Return whether the node's owner has a line of its own, below which the node can stand."""
        return self.parent is None or self.parent.level >= SIGNATURE

    @property
    def brief_value(self) -> bool:
        """Return whether the node is a field that is shown by its signature alone, so that several share a line."""
        computed = "def " in self.signature or "@" in self.signature
        plain = self.kind in VALUED and not self.children and not computed
        return plain and (self.level == SIGNATURE or not self.doc)

    @property
    def value(self) -> str:
        """The signature of a constant without its modifiers."""
        bare = _MODIFIERS.sub("", self.signature)
        has_value = self.name in bare and ("=" in bare or ":" in bare)
        return bare if has_value or self.kind not in _GROUPED_KINDS else self.name

    @property
    def held(self) -> bool:
        """Return whether the node shares a range with its neighbours in a list of names."""
        call = self.kind == "call" and self.end == self.start
        return call or (self.kind in VALUED | _LISTED_ONLY and not self.children)

    @property
    def entry(self) -> str:
        shows_value = self.grouped and self.level >= SIGNATURE and len(self.value) <= 60 and self.value[-3:] != "= …"
        return self.value if shows_value else self.name

    @property
    def stands_for(self) -> int:
        """Return the number of symbols for which the node stands: several if it counts those left out."""
        counted = _COUNTED.match(self.name) if self.kind in ("more", ROW) else None
        return int(counted[1].replace(",", "")) if counted else 1

    def line(self) -> str:
        """Render the node's own line at its level (`SIGNATURE` or above)."""
        text = f"{'  ' * self.depth}{self.signature} {self.lines}" if self.start else "  " * self.depth + self.signature
        doc = self.doc if self.level >= FULL_DOC else self.brief if self.level == BRIEF_DOC else ""
        return f"{text} — {doc}" if doc else text


def _lines(start: int, end: int) -> str:
    return f"L{start}" if end <= start else f"L{start}-{end}"


def _signature(name: str, signature: str) -> str:
    """Shorten a signature, long decorators first. Put the name in front if it is missing or cut off."""
    if signature.startswith(("@", "[", "#[")) and len(signature) > DECORATED_CHARS:
        signature = _DECORATORS.sub("", signature) or signature
    short = shorten(signature, SIGNATURE_CHARS)
    owner, _, last = name.rpartition(".")
    if name in short or name.replace('"', "") in short.replace('"', "") or (owner in short and f" {last}(" in short):
        return short
    return f"{name}: {shorten(signature, SIGNATURE_CHARS // 2)}" if signature else name


def build_nodes(symbols: Sequence[SymbolRecord]) -> tuple[list[LayoutNode], list[LayoutNode], list[LayoutNode]]:
    """Return the outermost nodes in file order, then the public and the private nodes that are named first.

    Members of modules are named first, too. In a file without public symbols, all symbols count as public.
    """
    roots: list[LayoutNode] = []
    tops: list[LayoutNode] = []
    private: list[LayoutNode] = []
    all_public = not any(symbol.public and symbol.kind not in ("call", "step") for symbol in symbols)

    def add(symbol: SymbolRecord, depth: int, siblings: list[LayoutNode]) -> None:
        shown = symbol.public or all_public
        node = LayoutNode(symbol, depth, top=shown)
        siblings.append(node)
        (tops if shown else private).append(node)
        if node.transparent and depth < _MAX_DEPTH:
            node.level = SIGNATURE if symbol.children else NAME
            for child in sorted(symbol.children, key=in_order):
                add(child, depth + 1, node.children)
        else:
            _add_members(node, symbol)
            late = [member for member in node.children if member.start > node.end] if node.kind in VALUED else []
            for member in late:  # `function M.a()` after `M = {}`
                member.parent, member.depth, member.top = None, depth, member.public
                siblings.append(member)
                (tops if member.top else private).append(member)
            node.children = [member for member in node.children if member.parent is node]

    for symbol in sorted(symbols, key=in_order):
        add(symbol, 0, roots)
    for nodes in (roots, tops, private):
        nodes.sort(key=in_order)
    return roots, tops, private


def _add_members(node: LayoutNode, symbol: SymbolRecord) -> None:
    """Add those members of a symbol that its own line does not show; `data A = B | C` shows its cases."""
    line = node.signature if node.end == node.start else ""
    for child in sorted(symbol.children, key=in_order):
        shown = (
            (child.name in line and child.start <= node.end)
            or (line and child.signature.startswith(line))
            or (child.kind in VALUED and f" {child.name}:" in f" {node.signature}")
        )
        if node.kind != LINE and (shown or child.name == symbol.name == child.signature):
            continue
        member = LayoutNode(child, node.depth + 1, parent=node)
        node.children.append(member)
        if child.children and member.depth < _MAX_DEPTH:
            _add_members(member, child)


def attach_records(
    records: Iterable[SymbolRecord], nodes: Sequence[LayoutNode]
) -> tuple[list[LayoutNode], list[LayoutNode]]:
    """Attach each record to the innermost node around it. Return the nodes left alone, then the attached ones."""
    loose: list[LayoutNode] = []
    held: list[LayoutNode] = []
    late = [child for node in nodes for child in node.children if child.start > node.end]
    for record in records:
        holder: LayoutNode | None = None
        around: Iterable[LayoutNode] = [*nodes, *late, *loose]
        while inner := [
            node
            for node in around
            if node.start <= record.start and record.end <= node.end and node.kind not in (INSIDE, LINE)
        ]:
            holder = max(inner, key=lambda node: (node.start, -node.end, node.depth))
            around = holder.children
        node = LayoutNode(record, holder.depth + 1 if holder else 0, parent=holder)
        if record.kind != INSIDE:
            _add_members(node, record)
        if holder is not None:
            holder.children.append(node)
            holder.children.sort(key=in_order)
        (held if holder else loose).append(node)
    return loose, held


def body(nodes: Iterable[LayoutNode], depth: int = 0, owner: LayoutNode | None = None) -> Iterator[str]:
    """Yield lines in file order: nodes on their own lines with members, lists of names, and what is left out."""
    run: list[LayoutNode] = []
    hidden: list[LayoutNode] = []
    fields: list[LayoutNode] = []
    margin, member = "  " * depth, owner is not None and not owner.transparent
    for node in nodes:
        if node.kind in FILLING and node.level < SIGNATURE:
            if node.kind == ROW and not depth:
                hidden.append(node)
            continue
        field = member and node.level >= SIGNATURE and node.brief_value
        own = node.level >= SIGNATURE and not node.grouped and not field
        if own or field:
            yield from _listed(run, margin, owner is not None)
            run = []
        if fields and (not field or sum(len(shown.value) for shown in (*fields, node)) > FIELDS_CHARS):
            yield from _fields(fields)
            fields = []
        if own:
            yield from _tree(node)
        elif field:
            fields.append(node)
        elif node.level > HIDDEN:
            run.append(node)
        else:
            hidden.append(node)
            yield from body([child for child in node.children if child.top and child.level > HIDDEN], depth, owner)
    yield from _fields(fields)
    yield from _listed(run, margin, owner is not None)
    if hidden:
        count, first = sum(left.stands_for for left in hidden), min(left.start for left in hidden)
        last = max(left.end for left in hidden)
        yield f"{margin}… and {count:,} more{f' {_lines(first, last)}' if first else ''}"


def _tree(node: LayoutNode) -> Iterator[str]:
    """Yield a node's line and its members' lines; only the number of members if none is shown."""
    children = [child for child in node.children if child.kind not in FILLING or child.level >= SIGNATURE]
    if children and all(child.level == HIDDEN for child in children):
        count = _held(node)
        members = "" if node.kind in _CALLABLE_KINDS else f" (+{count} {'member' if count == 1 else 'members'})"
        yield node.line() + members
    else:
        yield node.line()
        yield from body(children, node.depth + 1, node)


def _listed(run: list[LayoutNode], margin: str, nested: bool) -> Iterator[str]:
    """Yield the line that lists names, by kind."""

    def group(node: LayoutNode) -> tuple[str, str]:
        kind = "" if nested and node.kind not in _LISTED_ONLY else "constants" if node.grouped else plural(node.kind)
        local = node.parent is not None and node.parent.kind in _CALLABLE_KINDS
        label = kind if node.public or node.top or local else "private"
        return label, node.name.rpartition("::")[0] if label else ""

    for (label, owner), grouped in groupby(run, key=group):
        nodes = list(grouped)
        line = f"{margin}{label}{f' of {owner}' if owner else ''}: " if label else margin
        for part in _names(nodes, f"{owner}::" if owner else ""):
            if len(line) + len(part) > _MAX_LIST_CHARS and line.strip(" :") not in ("", label):
                yield line.removesuffix(" ")
                line = margin + ("  " if label else "")
            line += f"{part}, "
        yield line.removesuffix(", ")


def _held(node: LayoutNode) -> int:
    return sum(1 + _held(child) for child in node.children if child.kind not in FILLING)


def _fields(fields: list[LayoutNode]) -> Iterator[str]:
    if len(fields) == 1:
        yield fields[0].line()
    elif fields:
        values = ", ".join(dict.fromkeys(field.value for field in fields))
        yield f"{'  ' * fields[0].depth}{values} {_lines(fields[0].start, fields[-1].end)}"


def _names(nodes: list[LayoutNode], without: str = "") -> list[str]:
    """Return names without the prefix `without`; neighbouring values share a range, as do names without room."""
    parts: list[str] = []
    run: list[LayoutNode] = []
    for node in [*nodes, None]:
        if run and (node is None or not _share(run, node)):
            names = list(dict.fromkeys(entry.entry.removeprefix(without) for entry in run))
            if len(names) == 1 < len(run):
                names[0] += f" ({len(run)} times)"
            lines = f" {_lines(run[0].start, max(entry.end for entry in run))}" if run[0].start else ""
            parts.append(f"{', '.join(names)}{lines}")
            run = []
        if node is not None:
            run.append(node)
    return parts


def _share(run: list[LayoutNode], node: LayoutNode) -> bool:
    """Return whether a node in a list shares the range of the nodes before it."""
    last = run[-1]
    if node.name == last.name and node.kind in _CALLABLE_KINDS:
        return last.name == run[0].name  # overloads
    if NAME in (last.level, node.level):
        return last.level == node.level and len(run) < _MAX_NAMES_PER_RANGE
    long = max(node.end - node.start, last.end - last.start) > _MAX_SHARED_RANGE_LINES
    return last.held and node.held and not long and node.start - last.end <= _MAX_GAP_LINES


def plural(kind: str) -> str:
    if kind in _PLURALS:
        return _PLURALS[kind]
    return kind if kind.endswith("s") else f"{kind}s"
