"""The steps from bytes to a record: decode, choose the extractor, walk, and combine the parts."""

from __future__ import annotations

import importlib
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from sidecar.files import fault
from sidecar.files.briefing.target import target
from sidecar.files.language import CODE, language_of
from sidecar.files.outline.angles import without_unmatched
from sidecar.files.outline.comments import GENERATED_DOC, doc_of, generated, stated, strip_markers
from sidecar.files.outline.grammars import MAX_BYTES, parse
from sidecar.files.outline.inner import add_inner
from sidecar.files.outline.inside import PROSE, comment_lead, exported, inside, titled
from sidecar.files.outline.languages import facts_of
from sidecar.files.outline.salvage import salvage
from sidecar.files.outline.shell import add_shell
from sidecar.files.outline.source import Source
from sidecar.files.outline.statements import add_statements
from sidecar.files.outline.walker import Walker, WalkerRules
from sidecar.files.retrieval.kinds import kind_of
from sidecar.files.without_secrets import without_secrets
from sidecar.files.words import words_of_code, words_of_text
from sidecar.store.records import ContentRecord, SymbolRecord, every_symbol
from sidecar.text.lazy_patterns import lazy

if TYPE_CHECKING:
    from tree_sitter import Node

    from sidecar.files.outline.walker import Walker
    from sidecar.files.structure.result import Structure

log = logging.getLogger(__name__)

_UNPARSED: Final = 8
_MINIFIED: Final = 200  # characters of a line on average
_SIGNATURE_CHARS, _DOC_CHARS, _RANGE = 120, 90, 5  # of a symbol's line in a briefing, and the tokens of its range
_HEAD: Final = 60  # tokens of a briefing's title, description and imports
_TITLE: Final = 15  # tokens of a briefing's first line besides the path and the doc
_IMPORTS_KEPT: Final = 500
_TEMPLATES: Final = frozenset({"razor", "erb"})
# A file description has more than one word (a single word is often the project's name) and no template placeholder.
_TELLS: Final = lazy(r"\A(?!.*(?:<%|\{\{|\{%))(?:.*\w.*\s\S*\w|.*[^\x00-\x7f]{2})", re.DOTALL)


# A notice that a tool wrote the file.
_MADE: Final = lazy(
    r"(?is)\bgenerated\b.{0,200}\bdo(?: not|n't) (?:edit|modify)|\bdo(?: not|n't) (?:edit|modify).{0,200}\bgenerated\b"
)
_HEAD_CHARS: Final = 800


def assemble(path: str, data: bytes, hash: str, recipe: int, *, shown: bool) -> ContentRecord:
    from sidecar.checkout.content import decode
    from sidecar.files.structure.guards import HIDDEN, guarded, keys_only, said
    from sidecar.files.structure.hiding import hidden_values, without, without_values
    from sidecar.text.tokens import estimate_file

    language = language_of(path, data)
    text = decode(data).removeprefix("\ufeff")
    source = Source(without_secrets(text))
    found, words = _read(language, source, documented=shown)
    record = ContentRecord(
        recipe=recipe,
        hash=hash,
        language=language,
        lines=source.lines,
        file_tokens=0,
        imports=found.imports[:_IMPORTS_KEPT],
        symbols=found.symbols,
        words=words,
    )
    if not shown:
        return record
    whole = source.whole()
    guarded_text, only = guarded(path, language, whole), keys_only(path, language)
    test = language in CODE and "test" in {kind_of(path, language), kind_of(path.lower(), language)}
    doc = _description(language, found, whole, test=test)
    doc = said(doc) if doc and not (language in {"text", "ini"} and only) else None
    doc = doc if doc and _TELLS.search(doc) else None
    generated_data = language not in CODE and _MADE.search(text[:_HEAD_CHARS])
    values = hidden_values(whole, guarded_text)
    head = found.head and guarded(path, language, without(found.head, values) or "").replace(HIDDEN, "[hidden]")
    symbols, size = without_values(found.symbols, values, only), estimate_file(text)
    lines, by_rows = _lines(
        language, path, guarded_text, replace(record, doc=doc, symbols=symbols, file_tokens=size), test
    )
    if test:
        titles = {one.start for one in lines}
        symbols = tuple(one for one in symbols if one.kind != "call" or one.start not in titles)
    return replace(
        record,
        file_tokens=size,
        doc=": ".join(filter(None, (GENERATED_DOC if generated_data else "", doc))) or None,
        symbols=symbols,
        inside=lines,
        entry_points=found.entry_points,
        partial=found.partial and not (by_rows and language not in CODE),
        unparsed=found.unparsed,
        head=head or None,
    )


def _description(language: str, found: Structure, text: str, *, test: bool) -> str | None:
    """Return what a file says of itself: in its first comment, in code, or in a script's header."""
    from sidecar.files.structure.row_choice import SCRIPTS
    from sidecar.files.structure.row_reading import header

    if found.doc:
        return found.doc
    if language in CODE and not test and (told := stated(text) or generated(language, text)):
        return told
    return header(text) if language in SCRIPTS else None


def _lines(
    language: str, path: str, text: str, record: ContentRecord, test: bool
) -> tuple[tuple[SymbolRecord, ...], bool]:
    """Return the lines that tell what the symbols of a record do not, and whether they stand in place of these."""
    from sidecar.files.structure.rows import BESIDE_SYMBOLS, SHOWN_BY_ROWS, SHOWN_BY_SYMBOLS, SLIGHT, rows
    from sidecar.text.tokens import estimate

    symbols, size = record.symbols, record.file_tokens
    sparse = language in _TEMPLATES or language not in SHOWN_BY_SYMBOLS
    sparse = sparse and all(one.kind in SLIGHT for above in symbols for one in (above, *above.children))
    if language in CODE and symbols and len(text) > _MINIFIED * record.lines:
        return (), False  # its lines tell nothing
    if language in BESIDE_SYMBOLS or (language in CODE and symbols and language not in SHOWN_BY_ROWS):
        told = inside(language, text, symbols, target(size), titles=test)
        return _with_bodies(language, text, record, told), False
    if language in CODE and (exports := tuple(exported(text, "row"))):
        return exports, True
    if test and (tests := titled(text, symbols)):
        return _with_bodies(language, text, record, tests), False
    calls = (replace(one, kind="row") for one in symbols if one.kind == "call" and language == "bash")
    usage = tuple(one for one in calls if one.signature.startswith(("options: ", "commands: ")))
    room = target(size) - estimate(path) - estimate(record.doc or "") - _TITLE
    told, by_rows = rows(language, text, room - sum(estimate(one.signature) + 6 for one in usage), size, symbols)
    return ((*usage, *told) if by_rows else told), by_rows


def _with_bodies(
    language: str, text: str, record: ContentRecord, told: tuple[SymbolRecord, ...]
) -> tuple[SymbolRecord, ...]:
    """Return what is `told`, with statements or in place of it paragraphs for which a briefing has room."""
    from sidecar.files.structure.body_rows import body_rows
    from sidecar.files.structure.paragraphs import paragraph_rows
    from sidecar.text.tokens import estimate

    titles = {one.start for one in told}
    symbols = [one for one in record.symbols if one.kind != "call" or one.start not in titles]
    prose = language in PROSE
    used = sum(
        estimate(one.signature[:_SIGNATURE_CHARS]) + estimate((one.doc or "")[:_DOC_CHARS]) + _RANGE
        for one in every_symbol([*symbols, *(() if prose else told)])
    )
    room = target(record.file_tokens) - used - _HEAD
    if prose:
        return paragraph_rows(text.split("\n"), symbols, room) or told
    lead, doc = comment_lead(language), record.doc or ""
    return body_rows(text.split("\n"), symbols, told, lead, room, doc=doc, loose=language in CODE)


def rules_of(language: str) -> tuple[WalkerRules, Callable[[Walker], str | None] | None]:
    """Return a language's rules and the function that describes its files, if it has one of its own."""
    if not facts_of(language).rules:
        from sidecar.files.outline.tagged import rules

        return rules(language), None
    module = importlib.import_module(f"sidecar.files.outline.{facts_of(language).rules}")
    return module.RULES, getattr(module, "module_doc", None)


def without_symbols(path: str, data: bytes, hash: str, recipe: int, error: Exception) -> ContentRecord:
    """Return the record of a file whose extractor failed: its size and its words."""
    from sidecar.checkout.content import decode
    from sidecar.text.tokens import estimate_file

    text = decode(data).removeprefix("\ufeff")
    words = b""
    with suppress(Exception):  # the words may be what failed
        words = words_of_text("text", without_secrets(text))
    return ContentRecord(
        recipe=recipe,
        hash=hash,
        language=language_of(path, data),
        lines=Source(text).lines,
        file_tokens=estimate_file(text),
        partial=True,
        words=words,
        fault=fault.named(error),
    )


def _read(language: str, source: Source, *, documented: bool) -> tuple[Structure, bytes]:
    from sidecar.files.structure import structure
    from sidecar.files.structure.embedded import embedded, joined

    if language in CODE:
        return _code(language, source, documented=documented)
    whole = source.whole()
    inner = embedded(language, whole)
    if inner is None:
        return structure(language, whole), words_of_text(language, whole)
    if inner.language in CODE:
        inside, words = _code(inner.language, Source(inner.text), inner.whole, documented=documented)
    else:
        inside, words = structure(inner.language, inner.text), words_of_text(inner.language, inner.whole)
    return joined(language, inner, inside, structure(language, whole)), words


def _code(language: str, source: Source, around: str = "", *, documented: bool) -> tuple[Structure, bytes]:
    """Return the structure of code and its packed words; `around` is the text that embeds the code, if any.

    Unless `documented`, leave out what only a reader needs.
    """
    from sidecar.files.structure.result import Structure
    from sidecar.files.structure.sample import sample

    data = source.data
    cut = len(data) > MAX_BYTES
    if cut:
        data = data[: data.rfind(b"\n", 0, MAX_BYTES) + 1 or MAX_BYTES]
    rules, own_doc = rules_of(language)
    masked = data if rules.mask is None else rules.mask(data)
    readable = without_unmatched(language, masked)
    tree, complete = parse(language, readable)
    root = tree.root_node
    walker = Walker(source, root, rules, language, documented=documented)
    out = walker.run()
    if root.has_error:
        salvage(out, source, language)
    add_inner(walker)
    add_statements(out.symbols, root, source, language, steps=documented)
    if language == "bash":
        add_shell(walker)
    if documented:
        out.doc = out.doc or _doc(walker, root, own_doc)
    _script(walker)
    partial = cut or readable != masked or not complete or walker.cut or root.has_error
    found = Structure(
        doc=out.doc,
        symbols=tuple(symbol.record() for symbol in out.symbols),
        imports=tuple(out.imports),
        entry_points=tuple(out.entry_points),
        partial=partial,
        head=sample(source.whole()) if documented and not out.symbols else None,
        unparsed=_unparsed(root, source.lines) if documented and complete and not cut and not around else (),
    )
    return found, words_of_code(language, data, root, around)


def _unparsed(root: Node, lines: int) -> tuple[tuple[int, int], ...]:
    """Return the line ranges that the grammar could not read; empty if they are many or most of the file."""
    found: list[tuple[int, int]] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            start, end = node.start_point.row + 1, node.end_point.row + 1
            if found and start <= found[-1][1] + 1:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
        elif node.has_error:
            stack.extend(reversed(node.children))
    few = len(found) <= _UNPARSED and 2 * sum(end - start for start, end in found) < lines
    return tuple(found) if few else ()


def _doc(walker: Walker, root: Node, own: Callable[[Walker], str | None] | None) -> str | None:
    found = own(walker) if own is not None else None
    return found if found is not None else header_doc(walker, root)


def _script(walker: Walker) -> None:
    """Record the shebang line, if any, as an entry point."""
    data = walker.source.data
    if data.startswith(b"#!") and not data.startswith(b"#!["):
        line = data[:120].split(b"\n", 1)[0].decode("utf-8", "replace").strip()
        walker.out.entry_points[line] = None


# Tags marking a comment that describes the file, wherever the comment is.
_FILE_TAG: Final = re.compile(r"[@\\](?:file|fileoverview|overview|module|packageDocumentation)\b")
_LICENCE_TAG: Final = re.compile(
    r"@(?:licen[sc]e|copyright|link)\b|^//\s+Created by .{1,60} on \d|SPDX-|Copyright|\(c\)", re.MULTILINE
)
_RULED: Final = re.compile(r"\W*?([#=*~-])\1{3,}.*\w.*\1{4}\W*")  # the title of a section
_SKIPPED: Final = frozenset(
    {"text", "hash_bang_line", "shebang", "shebang_line", "hashbang", "php_tag", "empty_statement", "pragma"}
)
_GROUPS: Final = 12
_IMPORT: Final = re.compile(r"(?:.*_)?(?:import|include|using|use|package)(?:_(?!list_)|$)")
_LATE: Final = re.compile(r"\w*[A-Z]\S*(?: \S+){4}")  # a comment after the imports that may describe the file
_ALONE: Final = re.compile(rb"[ \t]*\n?[ \t]*\n")
_RULED_LINE: Final = re.compile(r"([-=#*~])\1{4}")


def header_doc(walker: Walker, root: Node) -> str | None:
    """Return the first sentence of the first comment group that is neither a licence nor a symbol's own doc."""
    groups, early, following = _groups(walker, root)
    for index, group in enumerate(groups):
        text = "\n".join(walker.source.text(one).rstrip("\n") for one in group)
        belongs = (
            index == len(groups) - 1
            and following is not None
            and following.start_point.row <= _last_row(group[-1]) + 1
            and not text.startswith(walker.rules.inner_docs)
            and not _FILE_TAG.search(text)
        )
        if belongs:
            continue
        found = doc_of(strip_markers(text))
        if found is None or not _TELLS.search(found) or _is_banner(text, found):
            continue
        alone = _ALONE.match(walker.source.data, group[-1].end_byte) is not None
        if index < early or (alone and _LATE.match(found) and not _RULED_LINE.search(text)):
            return found
    return None


def _is_banner(text: str, sentence: str) -> bool:
    """Return whether a comment only names the owner: the project's name or address above a licence or author line."""
    words = re.findall(r"\w+", sentence)
    named = len(words) <= 4 and any(word[0].isupper() for word in words[1:])
    licensed = _LICENCE_TAG.search(text) is not None and ("://" in sentence or named)
    return licensed or (len(words) <= 9 and "\n" not in text and _RULED.fullmatch(text) is not None)


def _last_row(node: Node) -> int:
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row


def _groups(walker: Walker, root: Node) -> tuple[list[list[Node]], int, Node | None]:
    """Return the comments before the first definition, grouped by empty lines, how many stand before imports, and
    that definition.
    """
    groups: list[list[Node]] = []
    row, early = -10, -1
    node = root.children[0] if root.child_count else None
    if node is not None and node.type in walker.rules.transparent and node.child_count:
        children = [*node.children, *root.children[1:40]]
    else:
        children = root.children[:200]
    for node in children:
        if node.type in walker.rules.comments:
            if walker.source.data.startswith(b"#!") and node.start_byte == 0:
                continue
            block = walker.source.data.startswith(b"/*", node.start_byte)
            if groups and node.start_point.row <= row + 1 and not block:
                groups[-1].append(node)
            elif len(groups) < _GROUPS:
                groups.append([node])
            row = _last_row(node)
        elif _IMPORT.match(node.type):
            near = groups and node.start_point.row <= row + 1
            if near and (early >= 0 or node.type not in walker.rules.doc_carriers):
                groups.pop()  # what the imports are for
            early = len(groups) if early < 0 else early
        elif node.type in _SKIPPED or not node.is_named or _directive(walker, node):
            continue
        else:
            carries = node.type in walker.rules.doc_carriers
            return groups, early if early >= 0 else len(groups), None if carries else node
    return groups, early if early >= 0 else len(groups), None


def _directive(walker: Walker, node: Node) -> bool:
    """Return whether no comment describes a statement: `"use strict"`, `declare(strict_types=1)`, `#pragma once`."""
    if node.type == "preproc_def":  # an include guard, or a switch for a system header
        return node.child_by_field_name("value") is None
    if node.type not in ("expression_statement", "declare_statement", "preproc_call"):
        return False
    start = walker.source.text(node)[:20].lstrip()
    return start.startswith(("'use ", '"use ', "declare", "#pragma"))
