"""The step from bytes to a scan: by the rules of the language or, without rules, from the outline."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from sidecar.checkout.content import decode
from sidecar.files import fault
from sidecar.files.kinds import SOURCE_LANGUAGES
from sidecar.files.language import CODE, HOSTS
from sidecar.files.scan.record import MAX_NAME_CHARS, Scan, ScannedDefinition, ScanRules, make_scan, worth_linking
from sidecar.files.without_secrets import without_secrets, without_suspects
from sidecar.files.words import DATA_CHARS, DATA_LANGUAGES, count_words, kept_words, unpack
from sidecar.store.records import ContentRecord, SymbolRecord

RECIPE: Final = 6  # raise it whenever the same bytes may give another scan

MAX_BYTES: Final = 2_000_000  # only the beginning of longer text is scanned
SKETCHED_BYTES: Final = 32_768  # the beginning of a file whose prose counts in a sketch: 61 % of all text

_RULES_OF: Final = {"python": "PYTHON", "go": "GO", "java": "JAVA"} | dict.fromkeys(
    ("typescript", "tsx", "javascript", "jsx", "vue", "svelte", "astro"), "JAVASCRIPT"
)
_SKETCHED: Final = _RULES_OF | {"csharp": "CSHARP", "rust": "RUST", "ruby": "RUBY"}
"""With the languages whose rules find too few definitions for a small repository: C# 95 %, Rust 97 %, Ruby 68 %."""
_MAPPED: Final = CODE | SOURCE_LANGUAGES | frozenset({"terraform", "makefile", "notebook"})  # shown in maps
_UNLINKED: Final = frozenset({"field", "property", "case", "variable"})  # kinds with common names
_TO_BLANK: Final = bytes(
    byte if byte >= 0x80 or chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(256)
)
_BARE: Final = re.compile(r"\.|::|#")


def scan(path: str, language: str, data: bytes, record: ContentRecord | None = None) -> Scan:
    """Return what `data` defines, imports and uses. `record` is its outline, if known.

    If a scanner fails, the scan is empty and `fault` names the defect.
    """
    try:
        return _scan(path, language, data, record)
    except Exception as error:  # noqa: BLE001 - a defect must not cost more than this file's names
        return Scan(language, fault=fault.describe(error))


def _scan(path: str, language: str, data: bytes, record: ContentRecord | None) -> Scan:
    rules = _rules(language)
    if rules is None:
        if language not in _MAPPED:
            return Scan(language)
        if record is not None:
            return of_record(record)
        if language in CODE or language in HOSTS:
            from sidecar.files.outline import outline

            return of_record(outline(path, data, "", shown=False))
        from sidecar.files.structure import structure  # loads a hundred patterns, which a restart does not need

        layout = structure(language, without_secrets(_plain(data).decode("utf-8", "replace")))
        return _of_symbols(language, layout.symbols, layout.imports, ())
    return _by_rules(rules, language, _plain(data) if language not in HOSTS else _inner(language, data))[0]


def _by_rules(rules: ScanRules, language: str, text: bytes) -> tuple[Scan, bytes]:
    """Return the scan of a text, and its code."""
    text = b"\n" + text
    code = rules.blank(text)
    imports = rules.imported(code, text)
    return make_scan(language, rules.defined(code, text), imports, _used(code)), code


def _inner(language: str, data: bytes) -> bytes:
    """Return the code embedded in a text, with the line positions kept."""
    from sidecar.files.outline.embedded import embedded

    inner = embedded(language, _plain(data).decode("utf-8", "replace"))
    return inner.text.encode("utf-8", "replace") if inner is not None else b""


class Sketch(NamedTuple):
    """What the index needs of a file: its scan, how often words occur, and the lines of code that define something."""

    scan: Scan
    words: dict[str, int]
    heads: list[str]


def sketch(language: str, data: bytes, *, masked: bool) -> Sketch:
    """Return the sketch of a file, in about half of an outline's time; with the defect alone if a scanner fails.

    Unless `masked`, secrets are not told from other values: lines that may hold one count only with their code, and
    with the words that other lines have too. So do all lines after the first SKETCHED_BYTES.
    """
    try:
        text = _plain(data)
        rules = _rules(language, _SKETCHED)
        scan, code = (Scan(language), b"") if rules is None else _by_rules(rules, language, text)
        read = text[: DATA_CHARS if language in DATA_LANGUAGES else MAX_BYTES if masked else SKETCHED_BYTES]
        words = count_words((without_secrets if masked else without_suspects)(read.decode("utf-8", "replace")))
        for word, times in () if masked else zip(scan.used, scan.times, strict=True):
            if times > words.get(word, 0):  # a code word's count in code
                words[word] = times
        lines = code.split(b"\n", scan.lines[-1] + 1) if scan.lines else []
        return Sketch(scan, kept_words(words), [lines[line].decode("utf-8", "replace") for line in scan.lines])
    except Exception as error:  # noqa: BLE001 - a defect must not cost more than this file's names
        return Sketch(Scan(language, fault=fault.describe(error)), {}, [])


def can_sketch(language: str, *, masked: bool) -> bool:
    if language in HOSTS:
        return False
    return language in _RULES_OF if masked else language in _SKETCHED or language not in CODE


def of_record(record: ContentRecord) -> Scan:
    used = [(text, times) for text, _, times in unpack(record.words) if times and len(text) > 2]
    return _of_symbols(record.language, record.symbols, record.imports, used)


def _of_symbols(
    language: str, symbols: Sequence[SymbolRecord], imports: Sequence[str], used: Sequence[tuple[str, int]]
) -> Scan:
    definitions: list[ScannedDefinition] = []
    todo = [(symbol, True, -1) for symbol in reversed(symbols)]
    while todo:
        symbol, top, owner = todo.pop()
        if symbol.kind == "extension" and language == "rust":
            continue  # a trait's methods, which every type that implements it has
        name = bare(symbol.name)
        if is_linked(symbol):
            definitions.append(ScannedDefinition(name, symbol.start, top, symbol.public, owner))
        todo.extend((child, False, symbol.start) for child in reversed(symbol.children))
    return make_scan(language, definitions, imports, used)


def is_linked(symbol: SymbolRecord) -> bool:
    return symbol.kind not in _UNLINKED and worth_linking(bare(symbol.name))


def bare(name: str) -> str:
    return _BARE.split(name)[-1]


def _rules(language: str, names: Mapping[str, str] = _RULES_OF) -> ScanRules | None:
    name = names.get(language)
    if name is None:
        return None
    module = importlib.import_module(f"sidecar.files.scan.{'python' if name == 'PYTHON' else 'braces'}")
    rules: ScanRules = getattr(module, name)
    return rules


def _plain(data: bytes) -> bytes:
    """Return UTF-8 with plain line ends, cut at MAX_BYTES."""
    if not data.isascii():
        data = decode(data).removeprefix("\ufeff").encode("utf-8", "replace")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data[:MAX_BYTES]


def _used(code: bytes) -> list[tuple[str, int]]:
    counts = Counter(code.translate(_TO_BLANK).split())
    return [
        (word.decode("utf-8", "replace"), times)
        for word, times in counts.items()
        if 2 < len(word) <= MAX_NAME_CHARS and not 48 <= word[0] <= 57
    ]
