"""Classify and decode the bytes of files."""

from __future__ import annotations

import re
from typing import Literal

from sidecar.text.lazy_patterns import lazy

ContentKind = Literal["text", "binary", "generated"]

_BINARY_MAGIC = (
    *(b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"GIF8"),
    *(b"PK\x03\x04", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ", b"(\xb5/\xfd"),
    *(b"\x7fELF", b"\xca\xfe\xba\xbe", b"SQLite format 3", b"!<arch>\n"),
)
_ENCODING_BY_BOM = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
# The bytes that occur in text: of the C0 controls, only line ends, tabs, backspace and those of ISO 2022.
_TEXT_BYTES = bytes([7, 8, 9, 10, 11, 12, 13, 14, 15, 27, *range(0x20, 0x7F), *range(0x80, 0x100)])
_CONTROL_SAMPLE_BYTES = 65_536
# A binary file has a greater share of control bytes; random bytes have nearly a tenth.
_CONTROL_SHARE = 0.05

# A generator's mark is searched for in these first bytes and lines of a file.
_HEAD_BYTES = 4096
_HEAD_LINES = 15
_COMMENT = lazy(r"\s*(?://|#|--|;|%|<\?|@charset\b|@?rem\b|dnl\b|\.\.\s|['\"]use strict)", re.IGNORECASE)
_PROSE_COMMENT = lazy(r"\s*(?:\.\. |\[//\]:|<!doctype|<\?)", re.IGNORECASE)
_BLOCK_ENDS = {"/*": "*/", "<!--": "-->", '"""': '"""', "'''": "'''", "{-": "-}", "(*": "*)", "{#": "#}", "--[[": "]]"}
_GENERATED_MARK = lazy(r"(?<![\w`'\"])@generated\b|\bcode generated (?:by|from)\b", re.IGNORECASE)
_GENERATED_SIGNS = (b"generated", b"do not edit", b"do not modify")
_GENERATED = lazy(r"\b(?:auto-?)?generated\b", re.IGNORECASE)
_EDIT_WARNING = lazy(r"\b(?:do not|don't|never) (?:edit|modify|change|hand-?edit)\b", re.IGNORECASE)
_UPPERCASE_WARNING = lazy(r"\bDO NOT (?:EDIT|MODIFY)\b(?! (?:THE|LINES|ABOVE|BELOW|FURTHER|EXCEPT)\b)")
_SOURCE_MAP = lazy(rb"[/*][/*]?[#@]\s*sourceMappingURL=")

_PROSE_SUFFIXES = frozenset(".md .markdown .rst .txt .adoc .asciidoc .org .tex .html .htm".split())
# Data and prose have long lines by nature, so these files never count as minified.
_DATA_SUFFIXES = _PROSE_SUFFIXES | frozenset(
    ".json .jsonl .ndjson .geojson .ipynb .csv .tsv .xml .svg .xsd .yaml .yml .toml .ini .cfg .conf .properties"
    " .po .pot .sql .log .diff .patch .har .lock .snap .graphql .proto .plist .pub .crt .asc .xml .rtf".split()
)

_WEB_SUFFIXES = frozenset(".js .mjs .cjs .css .jsx .ts .tsx .vue .svelte .php".split())
_SOURCE_MAPPED = frozenset(".js .mjs .cjs .css".split())
# A smaller file is cheap to read, however long its lines.
_MIN_MINIFIED_BYTES = 5_000
# The greatest average length of lines in a file for the web that is not minified.
_MAX_WEB_LINE_BYTES = 500
# The same for other files, which may hold tables with long lines.
_MAX_OTHER_LINE_BYTES = 2_000
# A longer line that makes up most of a file is data.
_LONG_LINE_BYTES = 20_000


def classify(path: str, data: bytes) -> ContentKind:
    """Return "binary", "generated" (minified, compiled or marked as generated) or "text"; in doubt "text"."""
    encoding, sample = _bom_encoding(data), data[:_CONTROL_SAMPLE_BYTES]
    has_controls = len(sample.translate(None, _TEXT_BYTES)) > len(sample) * _CONTROL_SHARE
    if encoding is None and (has_controls or data.startswith(_BINARY_MAGIC) or b"\0" in data):
        return "binary"
    if encoding is not None:
        text = data.decode(encoding, "replace")
        if text.count("\ufffd") * 20 > len(text) or "\0" in text:
            return "binary"
        data = text.encode("utf-8", "replace")
    name = path.rsplit("/", 1)[-1].lower()
    dot = name.rfind(".")
    extension = name[dot:] if dot > 0 else ""
    mapped = extension in _SOURCE_MAPPED and _SOURCE_MAP.search(data[-500:]) is not None
    if mapped or _is_marked_generated(data, extension) or _is_minified(data, extension):
        return "generated"
    return "text"


def decode(data: bytes) -> str:
    """Decode bytes by their byte order mark, as UTF-8 if they are mostly valid, or as Latin-1. Never raises."""
    encoding = _bom_encoding(data)
    if encoding is not None:
        return data.decode(encoding, "replace")
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(character > "\x7f" for character in text) - bad
    return text if good > bad else data.decode("latin-1")


def _bom_encoding(data: bytes) -> str | None:
    return next((encoding for mark, encoding in _ENCODING_BY_BOM if data.startswith(mark)), None)


def _is_marked_generated(data: bytes, extension: str) -> bool:
    """Return whether the opening comments say that a tool wrote the file."""
    head = data[:_HEAD_BYTES]
    low = head.lower()
    if not any(sign in low for sign in _GENERATED_SIGNS):
        return False
    comments = _opening_comments(decode(head).splitlines()[:_HEAD_LINES], prose=extension in _PROSE_SUFFIXES)
    if _GENERATED_MARK.search(comments) or _UPPERCASE_WARNING.search(comments):
        return True
    return bool(_GENERATED.search(comments) and _EDIT_WARNING.search(comments))


def _opening_comments(lines: list[str], *, prose: bool) -> str:
    """Return the comments at the beginning; a generator's mark further down may belong to a template."""
    comment = _PROSE_COMMENT if prose else _COMMENT
    comments: list[str] = []
    end: str | None = None
    for line in lines:
        text = line.strip()
        begin = next((mark for mark in _BLOCK_ENDS if text.startswith(mark)), None) if end is None else None
        if begin is not None and (begin == "<!--" or not prose):
            end = _BLOCK_ENDS[begin]
            text = text[len(begin) :]
        elif end is None and text and not comment.match(line):
            break
        comments.append(text)
        if end is not None and end in text:
            end = None
    return "\n".join(comments)


def _is_minified(data: bytes, extension: str) -> bool:
    if extension in _DATA_SUFFIXES or len(data) < _MIN_MINIFIED_BYTES:
        return False
    limit = _MAX_WEB_LINE_BYTES if extension in _WEB_SUFFIXES else _MAX_OTHER_LINE_BYTES
    enough = len(data) / limit
    first_lines = data.split(b"\n", int(3 * enough) + 1)[:-1]  # of most files, these tell
    if len(data) <= _LONG_LINE_BYTES and _count_filled(first_lines) >= enough:
        return False
    lines = data.splitlines()
    if max(_count_filled(lines), 1) < enough:
        return True
    longest = max(map(len, lines))
    return longest > _LONG_LINE_BYTES and longest * 2 > len(data)


def _count_filled(lines: list[bytes]) -> int:
    return len(list(filter(None, map(bytes.strip, lines))))
