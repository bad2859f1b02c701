"""Outlines of languages whose definitions a query names: `queries/LANGUAGE.scm`.

A query may capture:

- `definition.KIND`: a definition. If `languages.toml` has `words` for KIND, the word captured as `word` decides on the
  kind.
- `name`: its name; several are joined by blanks.
- `body`: where its signature ends; by default the field `body` of the definition or of its `value`.
- `head`: its signature, in place of what precedes the body.
- `part`: where one declaration defines several names, the text about this one.
- `owner`: the type of a member that stands outside its type.
- `docstring`: a doc in the definition. `doc`: a text about what follows it. `doc_inside`: one about what contains it.
- `attribute`: what may stand between a definition and its comment.
- `cut`: text left out of signatures. `annotation`: text left out before the name.
- `hidden`, `shown`: words before a name that make it private or public.
- `section`: a visibility word about all definitions that follow it.
- `marked`: the definition that a visibility word names, as in `private :name`; the word is captured as `word`.
- `import`: an import. `export`: the only public names, unless what is captured as `exporting` is local. `public`: names
  that are always public.
- `ignored`: what is never a definition. `local`: what hides everything inside it.

A query may set:

- `name`: the name, where the text has none.
- `signature`: a pattern with `{name}`, `{title}` (the name in quotes or with a colon), `{text}`, `{word}` and the
  capture `tail`.
- `entry`: the definition is an entry point.
- `open`: members of this value count. `closed`: members of this type do not.
- `member`: count this only inside a definition. `outer`: only outside. `owned`: only if the file defines its owner.
- `joint`: the text between owner and name, or between the parts of an import.
- `before`: the text in front of an import.

If several patterns match one name, the first counts. Definitions inside functions or values are local and left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.arrangement import drop_repeated, merge_declarations, move_under_owners
from sidecar.files.outline.builder import MAX_DEPTH, OutlineBuilder
from sidecar.files.outline.draft import OutlineDraft
from sidecar.files.outline.languages import LanguageRules
from sidecar.files.outline.source import SIGNATURE_CHARS, shorten_signature, with_value
from sidecar.files.outline.tags import LEAVES, VALUED, TaggedDefinition, Tags, is_within, tags_of
from sidecar.files.outline.terraform import description, details
from sidecar.files.structure.comments import doc_of, docstring, strip_markers
from sidecar.text.lazy_patterns import patterns

if TYPE_CHECKING:
    from tree_sitter import Node

# Owners whose functions are methods.
_OWNER_KINDS: Final = frozenset(
    "class interface trait protocol object mixin extension enum struct record contract library given type union".split()
)
_OPEN_OWNERS: Final = ("trait", "enum", "interface")  # whose members are as public as themselves
# The test before an include guard is defined.
_GUARD_TEST: Final = r"#[ \t]*(?:ifndef[ \t]+|if[ \t]+![ \t]*defined[ \t(]+)"
_MIN_CLAUSE_ROWS: Final = 3  # without the first row, of a clause listed by itself
_CLAUSE_DISTANCE: Final = 3  # definitions among which a function's other clauses are searched
_PATTERNS: Final = patterns(Path(__file__), "tagged")
_MATCHED_ENDS: Final = (*"={;:,>}", *"do where then is with by".split())  # the last words that `ends` matches
_MAX_SIGNATURE_BYTES: Final = 4_000
_DECORATOR_CHARS: Final = 60


_ABOUT_ABOVE: Final = ("-- ^", "--^", "///<", "//!<", "/**<")  # signs that begin a doc of the definition above


def add_definitions(builder: OutlineBuilder) -> None:
    """Add the symbols, imports and entry points of a file."""
    facts = builder.rules
    tags, loading = tags_of(builder, facts), facts.loading.encode()
    placed: list[tuple[TaggedDefinition, OutlineDraft]] = []
    open_: list[tuple[TaggedDefinition, OutlineDraft | None]] = []
    for definition in sorted(tags.found.values(), key=_place):
        while open_ and (open_[-1][0].end <= definition.node.start_byte or open_[-1][0].span == definition.span):
            open_.pop()
        owner = open_[-1] if open_ else None
        if owner is not None and (owner[0].is_leaf or len(open_) >= MAX_DEPTH - 1):
            continue
        if facts.between and not is_within(definition.node, owner[0].node if owner else None, facts.between):
            continue
        if facts.loading and definition.value and builder.source.data.startswith(loading, definition.value):
            continue
        draft = None
        most = 2 * (definition.end - definition.node.start_byte) >= builder.root.end_byte
        if definition.kind != "local" and not (definition.kind == "call" and most):
            draft = _add(builder, facts, tags, definition, owner[1] if owner is not None else None)
        if draft is not None:
            placed.append((definition, draft))
        open_.append((definition, draft))
    if builder.documented:
        _docs_inside(builder, tags, placed)
        _trailing_docs(builder, tags, placed)
    move_under_owners(builder, facts, placed)
    if facts.macros:
        merge_declarations(builder)
    if facts.once == "all":
        drop_repeated(builder.out.symbols)
    top = set(map(id, builder.out.symbols))
    for _, draft in placed:
        if tags.exported and id(draft) in top and draft.kind != "instance":
            draft.public = not tags.exported.isdisjoint((draft.name, draft.name.partition(".")[0]))
        draft.public = draft.public or draft.name in tags.public


def _place(definition: TaggedDefinition) -> tuple[int, int, bool, int]:
    """Return a sort key. Of definitions with the same range, the last one owns what is inside."""
    leaf = definition.kind in LEAVES
    return definition.node.start_byte, -definition.end, not leaf, definition.names[0].start_byte


def _docs_inside(builder: OutlineBuilder, tags: Tags, placed: list[tuple[TaggedDefinition, OutlineDraft]]) -> None:
    """Give each doc to the innermost definition around it. `placed` is sorted by place."""
    open_: list[tuple[TaggedDefinition, OutlineDraft]] = []
    at = 0
    for node in sorted(tags.docs_inside, key=lambda node: node.start_byte):
        while at < len(placed) and placed[at][0].node.start_byte <= node.start_byte:
            while open_ and open_[-1][0].end <= placed[at][0].node.start_byte:
                open_.pop()
            open_.append(placed[at])
            at += 1
        if builder.language == "powershell" and not builder.source.text(node).startswith("<#"):
            continue  # a comment on the first statement
        while open_ and open_[-1][0].end < node.end_byte:
            open_.pop()
        doc = _text_of(builder, node)
        if open_ and doc:
            draft = next(draft for definition, draft in open_ if definition.span == open_[-1][0].span)
            draft.doc = draft.doc or doc
            if draft is builder.out.symbols[0] and draft.kind == "module":
                builder.out.doc = doc
        elif not open_ and builder.language == "python":
            builder.out.doc = doc


def _trailing_docs(builder: OutlineBuilder, tags: Tags, placed: list[tuple[TaggedDefinition, OutlineDraft]]) -> None:
    last: dict[int, tuple[TaggedDefinition, OutlineDraft]] = {}
    for definition, draft in placed:
        last[draft.end - 1] = definition, draft
    for node in tags.trailing:
        if node.start_point.row not in last:
            continue
        definition, draft = last[node.start_point.row]
        if definition.end <= node.start_byte and draft.start == draft.end and not draft.children:
            draft.doc = draft.doc or _text_of(builder, node)


def _add(
    builder: OutlineBuilder, facts: LanguageRules, tags: Tags, definition: TaggedDefinition, owner: OutlineDraft | None
) -> OutlineDraft | None:
    """Add a definition's symbol to its owner or at the top. A further clause extends the symbol before it."""
    source = builder.source
    inner = owner is not None and owner.kind != "call"
    if (not inner and "member" in definition.settings) or (inner and "outer" in definition.settings):
        return None
    name = definition.settings.get("name") or ("." if definition.kind == "constructor" else " ").join(
        source.text(node) if node.type == "template_type" else facts.around_name.sub("", source.text(node))
        for node in definition.names
    )
    into = owner.children if owner is not None else builder.out.symbols
    kind = definition.kind.replace("-", " ")
    if kind == "switch":  # a macro without a value
        if re.search(_GUARD_TEST + re.escape(name) + r"\b", source.whole()):
            return None
        kind = "macro"
    inside = owner is not None and (facts.methods or owner.kind in _OWNER_KINDS)
    if kind == "constructor" or (kind == "function" and (inside or "::" in name)):
        kind = "method"
    if kind == "variable" and facts.constant_name.search(name):
        kind = "constant"
    if facts.once == "values" and kind in VALUED and any(draft.name == name for draft in into):
        return None
    same = (draft for draft in reversed(into[-_CLAUSE_DISTANCE:]) if (draft.name, draft.kind) == (name, kind))
    earlier = next(same, None) if kind in facts.clauses else None
    rows = definition.last_row - definition.node.start_point.row
    long = rows >= _MIN_CLAUSE_ROWS and builder.language in ("elixir", "julia")
    if long and earlier is not None and earlier.end - earlier.start >= _MIN_CLAUSE_ROWS:
        earlier = None
    if earlier is not None and all(draft.start <= earlier.end for draft in into[-_CLAUSE_DISTANCE:]):
        earlier.end = max(earlier.end, definition.last_row + 1)
        if builder.language == "elixir" and not earlier.signature.endswith(" …"):
            earlier.signature += " …"
        return earlier
    signature = _signature(builder, facts, tags, definition, kind, name)
    if kind == "variable" and facts.constant_signature.search(signature):
        kind = "constant"
    inline = owner is not None and owner.start == definition.node.start_point.row + 1
    doc = None if inline or not builder.documented else _doc_beside(builder, facts, tags, definition)
    if builder.language == "terraform":
        signature += details(source, definition.node, kind, name)
        doc = doc or description(source, definition.node)
    decorations = _decorations(facts, definition.node)
    start = decorations[0].start_point.row if decorations else definition.node.start_point.row
    draft = builder.add(into, kind, name, definition.node, signature, doc=doc, start=start)
    draft.public = _public(facts, tags, definition, draft, owner)
    draft.end = max(draft.end, source.last_row(definition.body) + 1 if definition.body is not None else 0)
    if "entry" in definition.settings and (owner is None or definition.kind == "method"):
        builder.out.entry_points[definition.settings["entry"]] = None
    if owner is None and facts.main.match(signature):
        builder.out.entry_points[signature[:80]] = None
    return draft


def _decorations(facts: LanguageRules, node: Node) -> list[Node]:
    """Return the decorations before a definition."""
    found: list[Node] = []
    above = node.prev_named_sibling if facts.decorations else None
    while above is not None and above.type in facts.decorations | facts.comments:
        if above.type in facts.decorations:
            found.insert(0, above)
        above = above.prev_named_sibling
    return found


def _public(
    facts: LanguageRules, tags: Tags, definition: TaggedDefinition, draft: OutlineDraft, owner: OutlineDraft | None
) -> bool:
    """Return whether a definition is public: by words before its name, by its name, or by its owner's default."""
    if facts.private.search(draft.signature) or facts.private_name.search(draft.name):
        return False
    marked = tags.mark(definition)
    if marked is None and facts.sections:
        marked = tags.mark_by_section(facts, definition, draft)
    if facts.marked and marked is None and draft.kind not in ("test", "extension"):
        trait = owner is not None and owner.kind == "extension" and " for " in owner.signature
        return trait or (owner is not None and owner.kind in _OPEN_OWNERS)
    if marked is not None or owner is None or owner.kind == "module":
        return marked is not False and (marked is True or owner is None or owner.public)
    if owner.kind == "extension":
        return owner.public
    return draft.kind not in facts.guarded or owner.kind == "interface"


def _signature(
    builder: OutlineBuilder, facts: LanguageRules, tags: Tags, definition: TaggedDefinition, kind: str, name: str
) -> str:
    if kind in ("key", "test", "case") and not facts.plain:
        return name if kind != "test" else f"test {name}"
    source, node = builder.source, definition.node

    def text(start: int, stop: int) -> str:
        stop = min(stop, start + _MAX_SIGNATURE_BYTES)
        return source.line(start, stop, tags.cuts_in(start, stop, definition.names[0].start_byte))

    decorators: list[Node] = []
    if node.type == "decorated_definition" or (kind == "class" and "decorator" in facts.decorations):
        decorators = _decorations(facts, node) + [child for child in node.children if child.type == "decorator"]
    start = source.data.rfind(b"\n", 0, node.start_byte) + 1
    if facts.plain or not _PATTERNS["before"].fullmatch(source.slice(start, node.start_byte)):
        start = max([node.start_byte, *(decorator.end_byte for decorator in decorators)])
    end, before = definition.end, ""
    if definition.part is not None and (around := definition.part.parent) is not None:
        declared = around.child_by_field_name("declarator")
        first = declared.start_byte if declared else tags.known.places(around, (definition.part.type,))[0][0]
        commas = tags.known.places(around, (",",))
        at = bisect_left(commas, (definition.part.end_byte, -1))
        end = commas[at][0] if at < len(commas) else end
        before = text(min(start, around.start_byte), first) + " "
        start = definition.part.start_byte
    stop = definition.stop or definition.value or end
    shown = before + text(start, min(stop, end))
    shown = shown.rstrip(";, ") if definition.head is not None else _without_end(shown)
    if "signature" in definition.settings:
        tail = " ".join(text(node.start_byte, node.end_byte) for node in definition.tail)
        quoted = definition.names[0].type == "string" or kind in ("suite", "test")
        title = f'"{name}"' if quoted else f":{name}"
        word = "".join(map(source.text, definition.word))
        form = definition.settings["signature"]
        shown = form.format(name=name, text=shown, tail=tail, title=title, word=word).strip()
    if (
        definition.stop is None
        and definition.value is not None
        and "{text}" in definition.settings.get("signature", "{text}")
    ):
        shown = with_value(shown, text(definition.value, end).rstrip(" ;,"))
    if decorators:
        return _with_decorators([source.line(*decorator.byte_range) for decorator in decorators], shown)
    return re.sub(*facts.tidied, shown) if kind in VALUED or kind in ("event", "macro") else shown


def _with_decorators(decorators: list[str], head: str) -> str:
    """Put as many decorators before a signature as fit."""
    shown = [shorten_signature(decorator, _DECORATOR_CHARS) for decorator in decorators]
    while shown and sum(map(len, shown)) + len(shown) + len(head) > SIGNATURE_CHARS:
        shown.pop()
    return " ".join([*shown, head])


def _without_end(text: str) -> str:
    while text.endswith(_MATCHED_ENDS) and (shorter := _PATTERNS["ends"].sub("", text)) != text:
        text = shorter
    return text


def _doc_beside(builder: OutlineBuilder, facts: LanguageRules, tags: Tags, definition: TaggedDefinition) -> str | None:
    """Return the first sentence of the doc above a definition; of the one below if the file's docs stand there."""
    if definition.docstring is not None:
        return docstring(builder.source.text(definition.docstring))
    if tags.below:
        below = tags.below.get(definition.last_row)
        if below is not None:
            return _text_of(builder, below)
    row = definition.node.start_point.row
    beside = tags.docs.get(row)
    if beside is None or beside.end_byte > definition.node.start_byte:
        row -= 1
    comments: list[Node] = []
    while row >= 0 and len(comments) < 1_000 and row not in tags.below:
        node = tags.docs.get(row)
        if node is not None and node.type not in builder.rules.comments:
            return _text_of(builder, node)
        if node is not None and (node in tags.docs_inside or builder.source.text(node).startswith(_ABOUT_ABOVE)):
            break
        if node is not None:
            comments.append(node)
        row = node.start_point.row - 1 if node is not None else tags.attribute_rows.get(row, 0) - 1
    if (
        comments
        and definition.kind != "module"
        and definition.node.type in facts.carriers
        and builder.opens_file(comments[-1])
    ):
        return None  # the comment describes the file
    return builder.doc_of(comments[::-1])


def _text_of(builder: OutlineBuilder, node: Node) -> str | None:
    text = builder.source.text(node)
    if node.type in builder.rules.comments:
        return doc_of(strip_markers(text))
    return docstring(_PATTERNS["indented"].sub(r"\1", text.lstrip("~sS")))
