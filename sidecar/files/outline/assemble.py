"""The steps from bytes to a record: decode, choose the extractor, walk, and combine the parts."""

from __future__ import annotations

import importlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from sidecar.files import fault
from sidecar.files.briefing.target import target
from sidecar.files.language import CODE, language_of
from sidecar.files.outline.comments import GENERATED_DOC, generator_notice, stated_description
from sidecar.files.outline.grammars import MAX_BYTES, parse
from sidecar.files.outline.header_comment import header_doc
from sidecar.files.outline.inner import add_inner
from sidecar.files.outline.inside import PROSE, comment_lead, export_lines, inside, titled_tests
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
from sidecar.text.lazy_patterns import patterns

if TYPE_CHECKING:
    from tree_sitter import Node

    from sidecar.files.structure.result import Structure

_UNPARSED: Final = 8
_MINIFIED: Final = 200  # characters of a line on average
_UNQUOTED: Final = frozenset({"bash", "powershell"})  # whose texts need no quotes
_LISTED, _VALUE_CHARS = frozenset({"constant", "variable"}), 40
_SIGNATURE_CHARS, _DOC_CHARS, _RANGE = 120, 90, 5  # of a symbol's line in a briefing, and the tokens of its range
_HEAD: Final = 60  # tokens of a briefing's title, description and imports
_TITLE: Final = 15  # tokens of a briefing's first line besides the path and the doc
_IMPORTS_KEPT: Final = 500
_FORMS: Final = patterns(Path(__file__), "assemble")
_HEAD_CHARS: Final = 800


def assemble(path: str, data: bytes, hash: str, recipe: int, *, shown: bool) -> ContentRecord:
    from sidecar.checkout.content import decode
    from sidecar.files.structure.guards import HIDDEN, guarded, hide_in_prose, keys_only
    from sidecar.files.structure.hiding import hidden_values, hide_in_symbols, hide_in_text
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
    doc = hide_in_prose(doc) if doc and not (language in {"text", "ini"} and only) else None
    doc = doc if doc and _FORMS["tells"].search(doc) else None
    generated_data = language not in CODE and _FORMS["made"].search(text[:_HEAD_CHARS])
    values = hidden_values(whole, guarded_text)
    head = found.head and guarded(path, language, hide_in_text(found.head, values) or "").replace(HIDDEN, "[hidden]")
    symbols, size = hide_in_symbols(found.symbols, values, only), estimate_file(text)
    lines, by_rows = _lines(
        language, path, guarded_text, replace(record, doc=doc, symbols=symbols, file_tokens=size), test
    )
    if test:
        titles = {row.start for row in lines}
        symbols = tuple(symbol for symbol in symbols if symbol.kind != "call" or symbol.start not in titles)
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
    """Return the file's description from its first comment, its code, or a script's header."""
    from sidecar.files.structure.row_choice import SCRIPTS
    from sidecar.files.structure.row_reading import header

    if found.doc:
        return found.doc
    if language in CODE and not test and (statement := stated_description(text) or generator_notice(language, text)):
        return statement
    return header(text) if language in SCRIPTS else None


def _lines(
    language: str, path: str, text: str, record: ContentRecord, test: bool
) -> tuple[tuple[SymbolRecord, ...], bool]:
    """Return the lines shown beside the symbols of a record, and whether the lines replace the symbols."""
    from sidecar.files.structure.quoted_lines import indent_quoted
    from sidecar.files.structure.rows import BESIDE_SYMBOLS, SHOWN_BY_ROWS, rows
    from sidecar.files.structure.values import masked
    from sidecar.text.tokens import estimate

    symbols, size = record.symbols, record.file_tokens
    text = masked(text) if language in _UNQUOTED else text
    text = "\n".join(indent_quoted(text.split("\n"), language)) if language in CODE else text
    if language in CODE and symbols and len(text) > _MINIFIED * record.lines:
        return (), False  # its lines tell nothing
    outlined = language in CODE and symbols and language not in SHOWN_BY_ROWS
    if outlined or language in BESIDE_SYMBOLS | _UNQUOTED:
        shown = inside(language, text, symbols, target(size), titles=test)
        return _with_bodies(language, text, record, shown, test=test), False
    if language in CODE and (exports := tuple(export_lines(text, "row"))):
        return exports, True
    if test and (tests := titled_tests(text, symbols)):
        return _with_bodies(language, text, record, tests, test=test), False
    room = target(size) - estimate(path) - estimate(record.doc or "") - _TITLE
    return rows(language, text, room, size, symbols)


def _with_bodies(
    language: str, text: str, record: ContentRecord, shown: tuple[SymbolRecord, ...], *, test: bool
) -> tuple[SymbolRecord, ...]:
    """Return what is `shown`, with statements or in place of it paragraphs for which a briefing has room."""
    from sidecar.files.structure.body_rows import body_rows
    from sidecar.files.structure.paragraphs import paragraph_rows
    from sidecar.text.tokens import estimate

    titles = {line.start for line in shown}
    symbols = [symbol for symbol in record.symbols if symbol.kind != "call" or symbol.start not in titles]
    prose = language in PROSE
    used = sum(
        estimate(symbol.signature[: _VALUE_CHARS if symbol.kind in _LISTED else _SIGNATURE_CHARS])
        + estimate((symbol.doc or "")[:_DOC_CHARS])
        + _RANGE
        for symbol in every_symbol([*symbols, *(() if prose else shown)])
    )
    room = target(record.file_tokens) - used - min(_HEAD, record.file_tokens // 6)
    if prose:
        return paragraph_rows(text.split("\n"), symbols, room) or shown
    lead, doc = comment_lead(language), record.doc or ""
    return body_rows(text.split("\n"), symbols, shown, lead, room, doc=doc, loose=language in CODE, test=test)


def rules_of(language: str) -> WalkerRules:
    if not facts_of(language).rules:
        from sidecar.files.outline.tagged import rules

        return rules(language)
    rules_of_module: WalkerRules = importlib.import_module(f"sidecar.files.outline.{facts_of(language).rules}").RULES
    return rules_of_module


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
        fault=fault.describe(error),
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
    """Return the structure and packed words of code; unless `documented`, leave out what only a reader needs.

    `around` is the text that embeds the code, if any.
    """
    from sidecar.files.structure.result import Structure
    from sidecar.files.structure.sample import sample

    data = source.data
    cut = len(data) > MAX_BYTES
    if cut:
        data = data[: data.rfind(b"\n", 0, MAX_BYTES) + 1 or MAX_BYTES]
    rules = rules_of(language)
    masked = data if rules.mask is None else rules.mask(data)
    tree, complete = parse(language, masked)
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
        out.doc = out.doc or header_doc(walker, root)
    if source.data.startswith(b"#!") and not source.data.startswith(b"#!["):
        out.entry_points[source.data[:120].split(b"\n", 1)[0].decode("utf-8", "replace").strip()] = None
    partial = cut or not complete or walker.cut or root.has_error
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
    """Return the line ranges that the grammar could not read, unless there are many or they make up half the file."""
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
