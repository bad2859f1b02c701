"""Outlines of the languages that are told by a query: `queries/LANGUAGE.scm` names what is defined, code the rest.

What a query may capture: `definition.KIND` with its `name` (several names are one, joined by blanks) and its `body`,
where the signature ends (else the field `body`), or its `head`; `doc`, a text that describes what follows it, and
`inner`, one that describes what it stands in; `attribute`, what may stand between a definition and its comment;
`import` and `export`; `ignored`, what is no definition. Of patterns that match the same name the first counts. What
is defined in a function or a value is local to it, and left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from sidecar.files.outline.comments import doc_of, docstring, strip_markers
from sidecar.files.outline.draft import Draft, Scope
from sidecar.files.outline.query import captures, query
from sidecar.files.outline.source import with_value
from sidecar.files.outline.tagged_languages import TAGGED, Tagged
from sidecar.files.outline.walker import MAX_DEPTH, Rules, Walker, descendants

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERIES: Final = {path.stem: path.read_text() for path in (Path(__file__).parent / "queries").glob("*.scm")}
_DEFINITION: Final = "definition."
_VALUED: Final = frozenset({"constant", "variable", "field", "property"})
_LEAVES: Final = _VALUED | frozenset(
    {"function", "method", "constructor", "macro", "modifier", "key", "test", "event", "callback"}
)
_OWNERS: Final = frozenset(
    {
        "class",
        "interface",
        "trait",
        "object",
        "mixin",
        "extension",
        "enum",
        "struct",
        "contract",
        "library",
        "given",
    }
    | {"type", "union"}
)
"""Kinds whose functions are methods."""

_STATES: Final = 512
_NEAR: Final = 3  # how far apart the clauses of a function may be
_INDENTED: Final = re.compile(r"\A(\W*\n)(?:\s*\n| {4}.*\n)+")  # a signature that begins a docstring
_SCOPE: Final = re.compile(r"^(?:[$`]|(?:global|script|local):)+")
_ENDS: Final = re.compile(r"(?:\s+(?:do|where|then|is|with)|\s*(?:=>|:=|->|[={;:,]|\{\s*\}))+$")
_EQUALS: Final = re.compile(r"\s*(?<![=!<>])(?::?=)(?![=>])\s*")
_BEFORE: Final = re.compile(r"[\w\s<>?,@.]{1,60}")
_QUOTES: Final = "\"'<>` "


@dataclass(slots=True)
class _Found:
    """A definition that a query named."""

    kind: str
    node: Node
    names: list[Node]
    body: Node | None
    head: Node | None
    end: int = 0

    def __post_init__(self) -> None:
        body = self.body or (None if self.kind in _VALUED else self.node.child_by_field_name("body"))
        self.body = body if body is not None and body.start_byte >= self.names[-1].end_byte else None
        self.end = max(self.node.end_byte, self.body.end_byte if self.body else 0)

    @property
    def stop(self) -> int | None:
        """Where the signature ends, if that is before the end."""
        return self.head.end_byte if self.head else self.body.start_byte if self.body else None

    @property
    def span(self) -> tuple[int, int]:
        """First byte and the one behind the last."""
        return self.node.start_byte, self.end

    @property
    def size(self) -> tuple[int, int]:
        """How much of the definition a match took in."""
        return len(self.names), self.end


@dataclass(slots=True)
class _Tags:
    """What a query said of a file."""

    found: dict[tuple[int, int], _Found] = field(default_factory=dict)
    docs: dict[int, Node] = field(default_factory=dict)  # by the row of their last line
    between: dict[int, int] = field(default_factory=dict)  # last rows of attributes to their first ones
    inner: list[Node] = field(default_factory=list)
    exported: set[str] = field(default_factory=set)
    below: dict[int, Node] = field(default_factory=dict)  # where docs stand below: by the row above them


@cache
def rules(language: str) -> Rules:
    """The rules of a language that a query tells."""
    told = TAGGED[language]
    return Rules(
        handlers={},
        comments=told.comments,
        transparent=told.transparent,
        doc_carriers=told.carriers,
        inner_docs=("//!",),
        finish=_finish,
    )


def _finish(walker: Walker) -> None:
    told = TAGGED[walker.language]
    tags = _tags(walker, told)
    placed: list[tuple[_Found, Draft]] = []
    open_: list[tuple[_Found, Draft]] = []
    for one in sorted(tags.found.values(), key=lambda one: (one.node.start_byte, -one.end)):
        while open_ and (open_[-1][0].end <= one.node.start_byte or open_[-1][0].span == one.span):
            open_.pop()
        owner = open_[-1] if open_ else None
        if owner is not None and (owner[0].kind in _LEAVES or len(open_) >= MAX_DEPTH - 1):
            continue
        draft = _add(walker, told, tags, one, owner[1] if owner is not None else None)
        open_.append((one, draft))
        placed.append((one, draft))
    for node in tags.inner:
        around = [(one.end - one.node.start_byte, draft) for one, draft in placed if _holds(one, node)]
        doc = _text_of(walker, node)
        if around and doc:
            draft = min(around, key=lambda pair: pair[0])[1]
            draft.doc = draft.doc or doc
            if draft is walker.out.symbols[0] and draft.kind == "module":
                walker.out.doc = doc
    for _, draft in placed:
        if tags.exported and draft in walker.out.symbols and draft.kind not in ("instance", "module"):
            draft.public = draft.name in tags.exported


def _holds(one: _Found, node: Node) -> bool:
    return one.node.start_byte <= node.start_byte and node.end_byte <= one.end


def _tags(walker: Walker, told: Tagged) -> _Tags:
    """What the query captures, first pattern first; what takes too long is cut."""
    from tree_sitter import QueryCursor

    tags = _Tags()
    source = walker.source
    asked = query(walker.language, _QUERIES[walker.language.partition("-")[0]])

    def among(
        predicate: str,
        args: list[tuple[str, Literal["capture", "string"]]],
        pattern_index: int,
        captures: dict[str, list[Node]],
    ) -> bool:
        """Whether a capture's text is one of some words. Built-in predicates would read text that the parser let go."""
        words = {text for text, kind in args if kind == "string"}
        return all(
            (source.text(node) in words) is (predicate == "among?") for node in captures.get(args[0][0], ())
        )

    # The callback that could end it early ends the process (tree-sitter 0.26.1); so its states are bounded.
    cursor = QueryCursor(asked, match_limit=_STATES)
    matches = cursor.matches(walker.root, among)
    walker.cut = walker.cut or cursor.did_exceed_match_limit
    ranked: dict[tuple[int, int], int] = {}
    for pattern, captured in matches:
        names = captured.get("name", [])
        for label, nodes in captured.items():
            if label.startswith(_DEFINITION) and names:
                body, head = (captured.get(name, (None,))[0] for name in ("body", "head"))
                one = _Found(label.removeprefix(_DEFINITION), nodes[0], names, body, head)
                key = names[0].start_byte, names[0].end_byte
                known = ranked.get(key, pattern + 1)
                if pattern < known or (pattern == known and one.size > tags.found[key].size):
                    ranked[key], tags.found[key] = pattern, one
            elif label == "ignored" and names:
                ranked[names[0].start_byte, names[0].end_byte] = -1
                tags.found.pop((names[0].start_byte, names[0].end_byte), None)
        for node in captured.get("import", ()):
            text = source.text(node)
            text = told.around_import.sub("", text) if told.around_import is not None else text
            walker.out.add_import(text.strip(_QUOTES))
        for node in captured.get("attribute", ()):
            tags.between[_last_row(node)] = node.start_point.row
        for node in captured.get("doc", ()):
            tags.docs[_last_row(node)] = node
        tags.inner += captured.get("inner", ())
        tags.exported.update(source.text(node).strip("()") for node in captured.get("export", ()))
    comments = captures(
        walker.language, " ".join(f"({kind}) @x" for kind in sorted(told.comments)), walker.root
    )
    for node in comments:
        line = source.data.rfind(b"\n", 0, node.start_byte) + 1
        if not source.data[line : node.start_byte].strip():
            tags.docs.setdefault(_last_row(node), node)
    if told.docs_below:
        ends = {_end_row(one) for one in tags.found.values()}
        starts = {one.node.start_point.row for one in tags.found.values()}
        below = {node.start_point.row - 1: node for node in comments if node.start_point.row - 1 in ends}
        if len(below) > sum(_last_row(node) + 1 in starts for node in comments):
            tags.below = below
    return tags


def _last_row(node: Node) -> int:
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row


def _add(walker: Walker, told: Tagged, tags: _Tags, one: _Found, owner: Draft | None) -> Draft:
    """The symbol of a definition, in its owner or at the top; a further clause lengthens the one before it."""
    source = walker.source
    name = ("." if one.kind == "constructor" else " ").join(
        _SCOPE.sub("", source.text(node)) for node in one.names
    )
    into = owner.children if owner is not None else walker.out.symbols
    kind = one.kind.replace("-", " ")
    if kind == "constructor" or (kind == "function" and owner is not None and owner.kind in _OWNERS):
        kind = "method"
    same = (draft for draft in reversed(into[-_NEAR:]) if (draft.name, draft.kind) == (name, kind))
    earlier = next(same, None) if told.clauses else None
    if earlier is not None:
        earlier.end = max(earlier.end, _end_row(one) + 1)
        return earlier
    signature = _signature(walker, one, kind, name)
    inline = owner is not None and owner.start == one.node.start_point.row + 1
    doc = None if inline else _doc_beside(walker, tags, one)
    hidden = told.private is not None and told.private.search(signature)
    draft = walker.add(
        Scope(into, owner),
        kind,
        name,
        one.node,
        signature,
        public=not hidden,
        doc=doc,
        start=one.node.start_point.row,
    )
    draft.end = max(draft.end, _end_row(one) + 1)
    if owner is None and told.main is not None and told.main.match(signature):
        walker.out.entry_points[signature[:80]] = None
    return draft


def _end_row(one: _Found) -> int:
    return max(_last_row(one.node), _last_row(one.body) if one.body is not None else 0)


def _signature(walker: Walker, one: _Found, kind: str, name: str) -> str:
    if kind in ("key", "test", "case"):
        return name if kind != "test" else f"test {name}"
    node = one.node
    start = walker.source.data.rfind(b"\n", 0, node.start_byte) + 1
    if not _BEFORE.fullmatch(walker.source.slice(start, node.start_byte)):
        start = node.start_byte
    stop = one.stop or one.end
    text = walker.source.line(start, min(stop, start + 2_000), _comments(walker, node, stop))
    if one.stop is None and kind in _VALUED:
        head, *value = _EQUALS.split(text.rstrip(" ;,"), maxsplit=1)
        return with_value(head, value[0] if value else None)
    previous = ""
    while text != previous:
        previous, text = text, _ENDS.sub("", text)
    return text


def _comments(walker: Walker, node: Node, end: int) -> list[tuple[int, int]]:
    """Where comments stand before byte `end` of a node, whose signature is short."""
    return [
        (one.start_byte, one.end_byte)
        for one in descendants(node, min(end, node.start_byte + 2_000), 300)
        if one.type in walker.rules.comments or one.type == "annotation"
    ]


def _doc_beside(walker: Walker, tags: _Tags, one: _Found) -> str | None:
    """First sentence of what describes a definition: right above it, or right below it where the file does so."""
    if tags.below:
        below = tags.below.get(_end_row(one))
        if below is not None:
            return _text_of(walker, below)
    row = one.node.start_point.row - 1
    comments: list[Node] = []
    while row >= 0 and len(comments) < 40 and row not in tags.below:
        node = tags.docs.get(row)
        if node is not None and node.type not in walker.rules.comments:
            return _text_of(walker, node)
        if node is not None:
            comments.append(node)
        row = node.start_point.row - 1 if node is not None else tags.between.get(row, 0) - 1
    return walker.doc_of(comments[::-1])


def _text_of(walker: Walker, node: Node) -> str | None:
    """First sentence of a comment, or of a string that is one."""
    text = walker.source.text(node)
    if node.type in walker.rules.comments:
        return doc_of(strip_markers(text))
    return docstring(_INDENTED.sub(r"\1", text.lstrip("~sS")))
