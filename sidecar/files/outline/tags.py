"""What a language's query captures in a file; `tagged` says what each capture means."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from sidecar.files.outline.builder import OutlineBuilder, child_of_type
from sidecar.files.outline.draft import OutlineDraft
from sidecar.files.outline.grammars import query
from sidecar.files.outline.languages import LanguageRules
from sidecar.files.outline.source import Source, last_row

if TYPE_CHECKING:
    from tree_sitter import Node, Query

    Arguments = list[tuple[str, Literal["capture", "string"]]]

VALUED: Final = frozenset({"constant", "variable", "field", "property"})
LEAVES: Final = VALUED | {
    *("function", "method", "constructor", "macro", "modifier", "key", "test", "event", "callback", "local")
}
# Read on import, because a server may outlive the files of its version.
_QUERIES: Final = {
    path.stem: path.read_text(encoding="utf-8") for path in (Path(__file__).parent / "queries").glob("*.scm")
}
_DEFINITION_PREFIX: Final = "definition."
_BOUND_NAMES: Final = re.compile(r"[\w$]+")  # the names in a pattern such as `{ a, b: c }`
_ASSIGNMENTS: Final = ("=", ":=", "||=", "operator")
_MAX_QUERY_STATES: Final = 512
_TEXT_CAPTURES: Final = frozenset("attribute doc doc_inside export public shown hidden cut annotation".split())


@dataclass(slots=True)
class KnownNodes:
    """What was looked up in a node, by its id: thousands of definitions may share one, or be nested in one another.

    `node.parent` walks down from the root.
    """

    _parents: dict[int, Node] = field(default_factory=dict)
    _bodies: dict[tuple[int, bool], Node | None] = field(default_factory=dict)
    _places: dict[tuple[int, tuple[str, ...]], list[tuple[int, int]]] = field(default_factory=dict)

    def body(self, rules: LanguageRules, kind: str, node: Node) -> Node | None:
        key = node.id, kind in VALUED
        if key not in self._bodies:
            body = child_of_type(node, *rules.bodies) if rules.bodies else None
            self._bodies[key] = body or (None if kind in VALUED else node.child_by_field_name("body"))
        return self._bodies[key]

    def parent(self, node: Node) -> Node | None:
        return self._parents.get(node.id) or node.parent

    def places(self, node: Node, types: tuple[str, ...]) -> list[tuple[int, int]]:
        """Return the offsets of the children of these types, each with that of the next child (-1: none)."""
        places = self._places.get((node.id, types))
        if places is None:
            children = node.children
            self._parents.update((child.id, node) for child in children)
            following = [*(child.start_byte for child in children[1:]), -1]
            pairs = zip(children, following, strict=False)
            places = [(child.start_byte, after) for child, after in pairs if child.type in types]
            self._places[node.id, types] = places
        return places


@dataclass(slots=True)
class TaggedDefinition:
    kind: str
    node: Node
    names: list[Node]
    body: Node | None
    head: Node | None
    owner: Node | None
    part: Node | None
    docstring: Node | None
    tail: list[Node]
    word: list[Node]
    value: int | None
    settings: dict[str, str]
    end: int = 0

    @classmethod
    def from_captures(
        cls,
        rules: LanguageRules,
        kind: str,
        node: Node,
        captured: dict[str, list[Node]],
        settings: dict[str, str],
        known: KnownNodes,
    ) -> TaggedDefinition:
        names = captured["name"]
        body, head, owner, part, docstring = (
            captured.get(name, (None,))[0] for name in ("body", "head", "owner", "part", "docstring")
        )
        given = next(iter(captured.get("value", ())), None)
        value = None
        if kind in VALUED or (kind == "case" and part is None):
            value = given.start_byte if given is not None else _value_start(node, names[-1], known)
        elif given is not None:
            body = given.child_by_field_name("body")
        found = body or known.body(rules, kind, node)
        while rules.wrappers and (around := known.parent(node)) is not None and around.type in rules.wrappers:
            node = around
            found = found or known.body(rules, kind, node)
        if found is not None and found.start_byte >= names[-1].end_byte:
            body = found
        end = max(node.end_byte, body.end_byte if body else 0)
        tail, word = captured.get("tail", []), captured.get("word", [])
        return cls(kind, node, names, body, head, owner, part, docstring, tail, word, value, settings, end)

    @classmethod
    def local(cls, node: Node) -> TaggedDefinition:
        """Return a placeholder for `node`, which keeps the definitions inside it out of the outline."""
        return cls("local", node, [node], None, None, None, None, None, [], [], None, {}, node.end_byte)

    @property
    def is_leaf(self) -> bool:
        """Return whether whatever is defined inside is local."""
        return (self.kind in LEAVES and "open" not in self.settings) or "closed" in self.settings

    @property
    def stop(self) -> int | None:
        """Return the offset at which the signature ends; None for the end of the definition."""
        return self.head.end_byte if self.head else self.body.start_byte if self.body else None

    @property
    def span(self) -> tuple[int, int]:
        return self.node.start_byte, self.end

    @property
    def size(self) -> tuple[int, int, bool, bool]:
        """Return a sort key: the more of a definition a match covers, the larger it is."""
        return len(self.names), self.end, self.body is not None, self.docstring is not None

    @property
    def last_row(self) -> int:
        return max(last_row(self.node), last_row(self.body) if self.body is not None else 0)


def is_within(node: Node, owner: Node | None, between: frozenset[str]) -> bool:
    """Return whether only nodes of the types `between` lie between a node and its owner, by default the file."""
    around = node.parent
    while around is not None and (owner is None or around.id != owner.id):
        if around.type not in between:
            return False
        around = around.parent
    return True


def _declared(declarator: Node) -> Node:
    """Return the name in a declarator of C or C++: `x` of `(*x[2])(int)`."""
    while True:
        inner = declarator.child_by_field_name("declarator")
        if inner is None and declarator.type in ("parenthesized_declarator", "reference_declarator"):
            inner = next(iter(declarator.named_children[-1:]), None)
        if inner is None:
            return declarator
        declarator = inner


def _value_start(node: Node, name: Node, known: KnownNodes) -> int | None:
    around, path = node, []
    while around.id != name.id:
        path.append(around)
        inside = around.child_with_descendant(name)
        if inside is None:
            break
        around = inside
    for around in reversed(path):
        equals = known.places(around, _ASSIGNMENTS)
        at = bisect_left(equals, (name.end_byte, -1))
        if at < len(equals) and equals[at][1] >= 0:
            return equals[at][1]
    return None


@dataclass(slots=True)
class Tags:
    found: dict[tuple[int, int], TaggedDefinition] = field(default_factory=dict)
    docs: dict[int, Node] = field(default_factory=dict)  # keyed by the row of their last line
    trailing: list[Node] = field(default_factory=list)  # comments after code
    attribute_rows: dict[int, int] = field(default_factory=dict)  # last rows of attributes to their first ones
    docs_inside: dict[Node, None] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)  # if any, the only public names
    public: set[str] = field(default_factory=set)
    below: dict[int, Node] = field(default_factory=dict)  # docs below a definition, by the row above the doc
    marks: list[tuple[int, int]] = field(default_factory=list)  # words that show or hide a definition
    sections: dict[int, list[tuple[int, bool]]] = field(default_factory=dict)  # marks of what follows, by parent node
    visible_names: dict[tuple[int, str], bool] = field(default_factory=dict)  # whether a name in a node is public
    cuts: list[tuple[int, int]] = field(default_factory=list)  # never part of a signature
    body: tuple[int, int] = (0, 0)  # the range of the last function, in which definitions are local
    annotations: list[tuple[int, int]] = field(default_factory=list)  # part of a signature only after the name
    known: KnownNodes = field(default_factory=KnownNodes)

    def cuts_in(self, start: int, end: int, name: int) -> list[tuple[int, int]]:
        """Return the ranges to leave out of a signature. Annotations are left out only before the name."""
        return _between(self.cuts, start, end) + _between(self.annotations, start, min(end, name))

    def add_comments(self, comments: list[Node], source: Source, *, docs_below: bool) -> None:
        self.cuts = sorted({*self.cuts, *(comment.byte_range for comment in comments)})
        for node in comments:
            if source.begins_line(node):
                self.docs.setdefault(last_row(node), node)
            else:
                self.trailing.append(node)
        if docs_below:
            ends = {definition.last_row for definition in self.found.values()}
            starts = {definition.node.start_point.row for definition in self.found.values()}
            below = {node.start_point.row - 1: node for node in comments if node.start_point.row - 1 in ends}
            if len(below) > sum(last_row(node) + 1 in starts for node in comments):
                self.below = below

    def add_texts(self, rules: LanguageRules, source: Source, captured: dict[str, list[Node]]) -> None:
        """Note docs, exported names, words about visibility, and what signatures leave out."""
        for node in captured.get("attribute", ()):
            if source.begins_line(node):
                self.attribute_rows[last_row(node)] = node.start_point.row
        for node in captured.get("doc", ()):
            self.docs[last_row(node)] = node
        self.docs_inside |= dict.fromkeys(captured.get("doc_inside", ()))
        outside = all(is_within(node, None, rules.between) for node in captured.get("exporting", ()))
        for node in captured.get("export", ()) if outside else ():
            text = rules.around_name.sub("", source.text(node))
            self.exported.update(_BOUND_NAMES.findall(text) if text[:1] in ("{", "[") else [text.strip("()")])
        self.public.update(source.text(node) for node in captured.get("public", ()))
        self.marks += [(node.start_byte, True) for node in captured.get("shown", ())]
        self.marks += [(node.start_byte, False) for node in captured.get("hidden", ())]
        self.cuts += [node.byte_range for node in captured.get("cut", ())]
        self.annotations += [node.byte_range for node in captured.get("annotation", ())]

    def sort(self) -> None:
        self.marks.sort()
        self.annotations.sort()
        for section in self.sections.values():
            section.sort()

    def add_visibility(self, rules: LanguageRules, source: Source, captured: dict[str, list[Node]]) -> None:
        """Note sections, `private :name` and `private def name`."""
        for node in captured.get("section", ()):
            word = rules.words["visible"].get(source.text(node).rstrip(": ").partition(" ")[0])
            if node.parent is not None and word is not None:
                self.sections.setdefault(node.parent.id, []).append((node.start_byte, word == "shown"))
        for node in captured.get("marked", ()):
            word = rules.words["visible"].get(source.text(captured["word"][0]))
            if word is not None and node.type in ("def", "call", "storage_class_specifier"):
                self.marks.append((node.start_byte, word == "shown"))
            elif word is not None and (around := _section_holder(node, rules.sections)) is not None:
                self.visible_names[around.id, rules.around_name.sub("", source.text(node))] = word == "shown"

    def mark(self, definition: TaggedDefinition) -> bool | None:
        """Return whether words before the name make a definition public or private; None if there are none."""
        words = _between(self.marks, definition.node.start_byte, definition.names[0].start_byte)
        return max((bool(shown) for _, shown in words), default=None)

    def mark_by_section(self, rules: LanguageRules, definition: TaggedDefinition, draft: OutlineDraft) -> bool | None:
        """Return whether the section around a definition, or a statement that names it, makes it public."""
        around = _section_holder(definition.node, rules.sections)
        if around is None:
            return None
        sections = self.sections.get(around.id, [])
        at = bisect_left(sections, (definition.node.start_byte, False))
        by_section = sections[at - 1][1] if at and draft.kind in rules.sectioned else None
        return self.visible_names.get((around.id, draft.name), by_section)


def _section_holder(node: Node, types: frozenset[str]) -> Node | None:
    around = node.parent
    while around is not None and (around.type not in types or _is_unnamed(around.parent)):
        around = around.parent
    return around


def _is_unnamed(node: Node | None) -> bool:
    """Return whether this is a struct or union without a name, whose members belong to the type around it."""
    if node is None or node.type not in ("struct_specifier", "union_specifier"):
        return False
    return node.child_by_field_name("name") is None


def _between(places: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    return places[bisect_left(places, (start, 0)) : bisect_left(places, (end, 0))]


def tags_of(builder: OutlineBuilder, rules: LanguageRules) -> Tags:
    """Run the language's query. Of several patterns that match a name, the first counts."""
    from tree_sitter import QueryCursor

    tags = Tags()
    asked = query(builder.language, _QUERIES[rules.query or builder.language])
    # A callback that stops the cursor would crash the process (tree-sitter 0.26.1), so its states are bounded.
    cursor = QueryCursor(asked, match_limit=_MAX_QUERY_STATES)
    matches = cursor.matches(builder.root, partial(_fits, builder.source))
    builder.cut = builder.cut or cursor.did_exceed_match_limit
    ranked: dict[tuple[int, int], int] = {}
    for pattern, captured in matches:
        settings = _settings(asked)[pattern]
        if "name" in captured or "local" in captured:
            _add_definition(tags, ranked, builder.source, rules, pattern, captured, settings)
        if "entry" in settings and "name" not in captured:
            builder.out.entry_points[settings["entry"]] = None
        if "import" in captured:
            texts = [builder.source.text(node) for node in captured["import"]]
            for module in rules.imported(texts, settings.get("joint")):
                builder.out.add_import(module if module.startswith(".") else settings.get("before", "") + module)
        if not _TEXT_CAPTURES.isdisjoint(captured):
            tags.add_texts(rules, builder.source, captured)
        if "section" in captured or "marked" in captured:
            tags.add_visibility(rules, builder.source, captured)
    tags.sort()
    if builder.documented:
        kinds = "".join(f"({kind}) @comment" for kind in sorted(rules.comments))
        found = QueryCursor(query(builder.language, kinds)).captures(builder.root)
        tags.add_comments(found.get("comment", []), builder.source, docs_below=rules.docs_below)
    return tags


def _add_definition(
    tags: Tags,
    ranked: dict[tuple[int, int], int],
    source: Source,
    rules: LanguageRules,
    pattern: int,
    captured: dict[str, list[Node]],
    settings: dict[str, str],
) -> None:
    if "local" in captured:
        definition = TaggedDefinition.local(captured["local"][0])
        tags.found[definition.span] = definition
    names = captured.get("name", [])
    if rules.macros and ("part" in captured or "definition.type" in captured):
        names = captured["name"] = list(map(_declared, names))
    key = (names[0].start_byte, names[0].end_byte) if names else (0, 0)
    if "ignored" in captured:
        ranked[key] = -1
        tags.found.pop(key, None)
    label = next((label for label in captured if label.startswith(_DEFINITION_PREFIX)), None)
    kind = label.removeprefix(_DEFINITION_PREFIX) if label else None
    if kind in rules.words:
        by_word = rules.words[kind]
        kind = by_word.get(source.text(captured["word"][0]), by_word.get("*"))
    if label is None or kind is None or kind == "none" or source.text(names[0]).startswith((":@", "(")):
        return
    known = ranked.get(key, pattern + 1)
    node = captured[label][0]
    if known < pattern or tags.body[0] < node.start_byte < tags.body[1]:
        return
    definition = TaggedDefinition.from_captures(rules, kind, node, captured, settings, tags.known)
    if pattern < known or (pattern == known and definition.size > tags.found[key].size):
        ranked[key], tags.found[key] = pattern, definition
        if rules.between and kind in ("function", "method"):
            tags.body = definition.span if definition.is_leaf else (0, 0)


def _fits(source: Source, predicate: str, args: Arguments, pattern_index: int, captures: dict[str, list[Node]]) -> bool:
    """Test a predicate of a query. The built-in predicates would read text that the parser has released."""
    words = {text for text, kind in args if kind == "string"}
    words.update(source.text(node) for name, kind in args[1:] if kind == "capture" for node in captures.get(name, ()))
    texts = [source.text(node) for node in captures.get(args[0][0], ())]
    for nodes in captures.values():
        nodes.clear()  # tree-sitter 0.26.1 never releases these lists, and each node holds its whole tree
    if predicate == "seen?":
        return all(re.search(word, text, re.DOTALL) for text in texts for word in words)
    return all((text in words) is (predicate == "among?") for text in texts)


@cache
def _settings(asked: Query) -> list[dict[str, str]]:
    numbers = range(asked.pattern_count)
    return [{key: value or "" for key, value in asked.pattern_settings(number).items()} for number in numbers]
