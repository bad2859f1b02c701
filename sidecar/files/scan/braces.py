"""Rules for languages with braces: a table of patterns for each (`patterns.toml`), and code for Go and JavaScript.

A block's contents are indented deeper than the line that opens it, and the closing brace is aligned with that line, so
one pass finds types, members and functions without counting braces. A file laid out otherwise loses only members.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.files.scan.record import ScannedDefinition, ScanRules, worth_linking
from sidecar.text.lazy_patterns import byte_patterns

_PATTERNS: Final = byte_patterns(Path(__file__), "go")
_SCRIPT: Final = byte_patterns(Path(__file__), "javascript")
_INDENT: Final = re.compile(rb"\n([ \t]+)[^\s{]")
# The first member of a type begins within this many bytes after its name.
_MAX_HEAD_BYTES: Final = 4_000
_BLOCKS: Final = frozenset((b"namespace", b"impl"))  # hold definitions and are none


class _Open(NamedTuple):
    end: int
    inner: bytes  # the indentation of the members
    kind: bytes
    line: int


def _blanker(literal: re.Pattern[bytes]) -> Callable[[bytes], bytes]:
    """Make a function that blanks what the pattern finds and keeps the lines."""
    return lambda text: literal.sub(lambda match: b"\n" * match[0].count(b"\n") or b" ", text)


def _go_defined(code: bytes, text: bytes) -> list[ScannedDefinition]:
    """Find functions, methods, types, constants, and the methods of interfaces."""
    definitions: list[ScannedDefinition] = []
    seen: set[tuple[int, str]] = set()
    unclosed: set[bytes] = set()
    line = at = 0

    def add(name: bytes, line: int, top: bool, key: int = 0, owner: int = -1) -> None:
        text = name.decode("utf-8", "replace")
        if worth_linking(text) and (key, text) not in seen:
            seen.add((key, text))
            definitions.append(ScannedDefinition(text, line, top, text[0].isupper(), owner))

    for match in _PATTERNS["line"].finditer(code):
        start = match.start()
        line += code.count(b"\n", at, start + 1)
        at = start + 1
        name = match["function"] or match["type"] or match["constant"]
        if name is not None:
            receiver = match["receiver"]
            add(name, line, receiver is None, start if receiver is not None else 0)
        if (is_interface := match["interface"] is not None) or match["block"] is not None:
            close = b"\n}" if is_interface else b"\n)"
            end = match.end() if close in unclosed else code.find(close, match.end())
            if end < 0:
                unclosed.add(close)  # no later block is closed, either
                end = len(code)
            members = _PATTERNS["method" if is_interface else "in_block"]
            for member in members.finditer(code, match.end(), end):
                place = line + code.count(b"\n", at, member.start() + 1)
                if is_interface:
                    add(member[1], place, False, start, line)
                else:
                    add(member[1], place, True)
    return definitions


def _go_imported(code: bytes, text: bytes) -> list[str]:
    blocks = (match[0] for match in _PATTERNS["imports"].finditer(text))
    return [module.decode("utf-8", "replace") for block in blocks for module in _PATTERNS["quoted"].findall(block)]


GO: Final = ScanRules(_blanker(_PATTERNS["literal"]), _go_defined, _go_imported)


def _defined(code: bytes, lines: re.Pattern[bytes], public: re.Pattern[bytes], close: bytes) -> list[ScannedDefinition]:
    """Find definitions by the beginnings of lines, and public ones by `KIND:WORDS`, with the kind of the owner.

    `lines` begins with a newline and has the groups `indent`, `type` with its `kind`, `member` (of a type), `function`
    (anywhere but in functions) and `words` (modifiers).
    """
    definitions: list[ScannedDefinition] = []
    inside: list[_Open] = []
    unclosed: set[bytes] = set()
    line = at = 0
    for match in lines.finditer(code):
        start = match.start()
        line += code.count(b"\n", at, start + 1)
        at = start + 1
        while inside and inside[-1].end <= start:
            inside.pop()
        owner = inside[-1] if inside else None
        indent = match["indent"]
        if owner is not None and indent != owner.inner:
            continue
        name_of = match["type"] or match["function"] or (match["member"] if owner is not None else None)
        if name_of is None or (owner is None and match["type"] is None and indent):
            continue
        name = name_of.decode("utf-8", "replace")
        if match["type"] is not None:
            inside.append(_opened(code, match, line, close, unclosed))
        if not worth_linking(name) or match["kind"] in _BLOCKS:
            continue
        shown = public.match((owner.kind if owner is not None else b"") + b":" + match["words"]) is not None
        definitions.append(ScannedDefinition(name, line, owner is None, shown, -1 if owner is None else owner.line))
    return definitions


def _opened(code: bytes, match: re.Match[bytes], line: int, close: bytes, unclosed: set[bytes]) -> _Open:
    """Return a type's extent and the indentation of its members.

    Add to `unclosed` the indentations at which no later type ends, so that each is searched to the end only once.
    """
    indent, kind = match["indent"], match["kind"]
    end = -1 if indent in unclosed else code.find(b"\n" + indent + close, match.end())
    if end < 0:
        unclosed.add(indent)
        end = len(code)
    first = _INDENT.search(code, match.end(), min(end, match.end() + _MAX_HEAD_BYTES))
    inner = first[1] if first is not None else b""
    if len(inner) <= len(indent):
        return _Open(match.end(), b"", kind, line)
    return _Open(end, inner, kind, line)


def rules(language: str, close: bytes = b"}") -> ScanRules:
    """Return the rules in the table of a language; `close` on a line of its own ends a type."""
    table = byte_patterns(Path(__file__), language)

    def imported(code: bytes, text: bytes) -> list[str]:
        return [match[match.lastindex or 0].decode("utf-8", "replace") for match in table["import"].finditer(text)]

    def defined(code: bytes, text: bytes) -> list[ScannedDefinition]:
        return _defined(code, table["line"], table["public"], close)

    return ScanRules(_blanker(table["literal"]), defined, imported)


JAVA: Final = rules("java")
CSHARP: Final = rules("csharp")
RUBY: Final = rules("ruby", b"end")
_RUST_RULES: Final = rules("rust")


def _rust_imported(code: bytes, text: bytes) -> list[str]:
    """Return the paths of `use`, each leaf of one pair of braces apart."""
    leaves: list[str] = []
    for used in _RUST_RULES.imported(code, text):
        prefix, _, inner = used.partition("{")
        names = (name.split(" as ")[0].strip(" \n{}") for name in (inner or used).split(","))
        leaves += [(prefix * bool(inner) + name).removesuffix("::self").removesuffix("::*") for name in names if name]
    return leaves


RUST: Final = _RUST_RULES._replace(imported=_rust_imported)
_SCRIPT_RULES: Final = rules("javascript")


def _script_defined(code: bytes, text: bytes) -> list[ScannedDefinition]:
    """Find classes with their methods, functions and types; names in an export list are public too."""
    definitions = _SCRIPT_RULES.defined(code, text)
    items = [
        item.split()
        for match in _SCRIPT["exported"].finditer(code)
        for item in (match[1] or match[2] or b"").split(b",")
    ]
    named = [words[0] for words in items if words] + _SCRIPT["assigned"].findall(code)
    listed = {name.decode("utf-8", "replace").rstrip(":") for name in named}
    all_public = b"\nexport" not in code and b"exports" not in code
    modules = {name.decode("utf-8", "replace") for name in _SCRIPT["required"].findall(code)}
    definitions = [symbol for symbol in definitions if symbol.name not in modules]
    return [
        symbol._replace(public=True) if symbol.top and (all_public or symbol.name in listed) else symbol
        for symbol in definitions
    ]


JAVASCRIPT: Final = _SCRIPT_RULES._replace(defined=_script_defined)
