"""From bytes to a record: decode, choose the extractor, walk, and put the parts together."""

from __future__ import annotations

import importlib
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from sidecar.files import fault
from sidecar.files.language import CODE, language_of
from sidecar.files.outline.angles import without_unmatched
from sidecar.files.outline.grammars import MAX_BYTES, parse
from sidecar.files.outline.header import header_doc
from sidecar.files.outline.salvage import salvage
from sidecar.files.outline.source import Source
from sidecar.files.outline.walker import Rules, Walker
from sidecar.files.without_secrets import without_secrets
from sidecar.files.words import words_of_code, words_of_text
from sidecar.store.records import ContentRecord
from sidecar.text.lazy_patterns import lazy

if TYPE_CHECKING:
    from tree_sitter import Node

    from sidecar.files.structure.result import Structure

_log = logging.getLogger(__name__)

RULES_OF: Final = {
    "python": "python",
    "javascript": "javascript",
    "jsx": "javascript",
    "typescript": "javascript",
    "tsx": "javascript",
    "go": "go",
    "rust": "rust",
    "java": "java",
    "c": "cpp",
    "cpp": "cpp",
    "csharp": "csharp",
    "ruby": "ruby",
    "php": "php",
    "kotlin": "kotlin",
    "swift": "swift",
    "lua": "lua",
    "bash": "bash",
}
_IMPORTS_KEPT: Final = 500
# What describes a file: not one word, the project's name as often as not, and no hole of a template.
_TELLS: Final = lazy(r"\A(?!.*(?:<%|\{\{|\{%))(?:.*\w.*\s\S*\w|.*[^\x00-\x7f]{2})", re.DOTALL)


def assemble(path: str, data: bytes, hash: str, recipe: int) -> ContentRecord:
    """See `sidecar.files.outline.outline`."""
    from sidecar.checkout.content import decode
    from sidecar.text.tokens import estimate_file

    language = language_of(path, data)
    text = decode(data).removeprefix("\ufeff")
    source = Source(without_secrets(text))
    found, words = _read(language, source)
    return ContentRecord(
        recipe=recipe,
        hash=hash,
        language=language,
        lines=source.lines,
        file_tokens=estimate_file(text),
        doc=found.doc if found.doc and _TELLS.search(found.doc) else None,
        imports=found.imports[:_IMPORTS_KEPT],
        symbols=found.symbols,
        entry_points=found.entry_points,
        partial=found.partial,
        head=found.head,
        words=words,
    )


def rules_of(language: str) -> tuple[Rules, Callable[[Walker], str | None] | None]:
    """The rules of a language with a grammar, and what reads its file's description where it has a way of its own."""
    if language not in RULES_OF:
        from sidecar.files.outline.tagged import rules

        return rules(language), None
    module = importlib.import_module(f"sidecar.files.outline.{RULES_OF[language]}")
    return module.RULES, getattr(module, "module_doc", None)


def without_symbols(path: str, data: bytes, hash: str, recipe: int, error: Exception) -> ContentRecord:
    """What is known of a file whose extractor failed with `error`: its size and its words."""
    from sidecar.checkout.content import decode
    from sidecar.text.tokens import estimate_file

    text = decode(data).removeprefix("\ufeff")
    words = b""
    with suppress(Exception):  # perhaps this is what failed
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


def _read(language: str, source: Source) -> tuple[Structure, bytes]:
    """What a text is, and its packed words."""
    from sidecar.files.structure import structure
    from sidecar.files.structure.embedded import embedded, joined

    if language in CODE:
        return _code(language, source)
    whole = source.whole()
    inner = embedded(language, whole)
    if inner is None:
        return structure(language, whole), words_of_text(language, whole)
    if inner.language in CODE:
        inside, words = _code(inner.language, Source(inner.text), inner.whole)
    else:
        inside, words = structure(inner.language, inner.text), words_of_text(inner.language, inner.whole)
    return joined(language, inner, inside, structure(language, whole)), words


def _code(language: str, source: Source, around: str = "") -> tuple[Structure, bytes]:
    """The outline of code and its packed words; it may stand in a text that holds more, which is `around` it."""
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
    walker = Walker(source, root, rules, language)
    out = walker.run()
    if root.has_error:
        salvage(out, source, language)
    out.doc = out.doc or _doc(walker, root, own_doc)
    _script(walker)
    partial = cut or readable != masked or not complete or walker.cut or root.has_error
    found = Structure(
        doc=out.doc,
        symbols=tuple(symbol.record() for symbol in out.symbols),
        imports=tuple(out.imports),
        entry_points=tuple(out.entry_points),
        partial=partial,
        head=None if out.symbols else sample(source.whole()),
    )
    return found, words_of_code(language, data, root, around)


def _doc(walker: Walker, root: Node, own: Callable[[Walker], str | None] | None) -> str | None:
    found = own(walker) if own is not None else None
    return found if found is not None else header_doc(walker, root)


def _script(walker: Walker) -> None:
    """A file that begins with a shebang is run as a script."""
    data = walker.source.data
    if data.startswith(b"#!") and not data.startswith(b"#!["):
        line = data[:120].split(b"\n", 1)[0].decode("utf-8", "replace").strip()
        walker.out.entry_points[line] = None
