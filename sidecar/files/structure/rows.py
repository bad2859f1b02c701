"""The rows of a text that tell most, nested by indentation: what is shown of formats that have no rules of their own.

Rows are chosen level by level until the room is used; of many alike, a few from all over the text. Rows next to each
other share a line. Values pass the same masks as everywhere, and a value beside or below a secret's name is hidden.
"""

from __future__ import annotations

import re
import string
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.language import CODE
from sidecar.files.outline.comments import doc_of, strip_markers
from sidecar.files.structure.guards import HIDDEN, perhaps, said
from sidecar.files.structure.values import masked, secret_key
from sidecar.store.records import SymbolRecord
from sidecar.text.tokens import estimate

_TABLE: Final = tomllib.loads((Path(__file__).parent / "rows.toml").read_text(encoding="utf-8"))
SHOWN_BY_ROWS: Final = frozenset(_TABLE["languages"].split())
_NEVER: Final = frozenset(_TABLE["never"].split())
_STYLES, _STYLED = (
    frozenset({"css", "scss", "less"}),
    1_200,
)  # tokens of a style sheet whose properties are worth showing
_JSON_LINE: Final = 200  # characters of a line, on average, that show JSON is indented
_WORTH_COUNTING: Final = 3  # rows left out at the end
_NEARLY: Final = 0.4  # share of a file worth the try to show all of it
_LOOKED_AT: Final = 1_500  # rows
_READ_CHARS: Final = 1_000  # of a row; a key that begins in what is shown of it is whole, and masked
_LINE_CHARS: Final = 140
_WEIGHED, _CANDIDATES = 1_500, 400  # rows of one level that are compared, and weighed
_DEPTH: Final = 5  # levels that are shown
_MISSED, _LEAST_ROW = 6, 6  # rows too long for the room that are passed over, and tokens of a short row
_NUMBERS: Final = 3  # rows of bare numbers that are shown
_PATTERNS: Final = {name: re.compile(pattern) for name, pattern in _TABLE["patterns"].items()}
_COMMENT, _BLOCK, _SETTING, _CLOSER, _HEADING, _RULE = (
    _PATTERNS[name] for name in ("comment", "block", "setting", "closer", "heading", "rule")
)
_KEYED, _VALUE, _HARMLESS, _SKIPPED, _TAGGED, _KEY = (
    _PATTERNS[name] for name in ("keyed", "value", "harmless", "skipped", "tagged", "key")
)
_OPENING: Final = re.compile(r"^<[^<>]*$|^<[\w:.-]+>$|[(\[{]$|^- [^:]*:$")
# What every text contains that has anything to mask.
_MASKABLE: Final = re.compile(r"[=:]|[A-Za-z0-9+/_-]{20}|bearer|basic|-----BEGIN", re.I)
# Letters and digits without a separator, and names whose value may be a password.
_MIXED: Final = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{5,40}(?![A-Za-z0-9])")
_WEAK: Final = re.compile(r"(?<![A-Za-z])(?:pw|psk|otp|login|code|cred|seed|user(?:name)?|admin|root)(?![a-z])", re.I)
_KEYWORD: Final = re.compile(r"[@%.]?[A-Za-z-]{1,24}(?=[\s(])")
_HOLDING, _OPENED, _SHORT = 8, 2, 60  # rows of a shape that come first as holders; rows added to one, if so short
_CLOSING: Final = {"/*": "*/", "<!": "-->", "{{": "*/", "{#": "#}", "(*": "*)"}
_OPENERS: Final = frozenset({"{", "[", "- {", "("})
_HIDDEN: Final = re.compile(r"(?:\s\S*\[hidden\]){2,}")
_UNPROSAIC: Final = re.compile(r"[={}<>|;_$\\%@]")
_WORD: Final = re.compile(r"[\w.-]{2,60}")
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
_NO_WORDS: Final = str.maketrans("", "", string.ascii_letters + string.digits + " _.-")


@dataclass(slots=True)
class TextRow:
    """A row with the rows indented below it; `end` is the last line of all of these."""

    number: int
    indent: int
    text: str
    end: int
    comment: bool = False
    parent: TextRow | None = None
    children: list[TextRow] = field(default_factory=list)
    among: list[TextRow] = field(default_factory=list)
    at: int = 0
    chosen: bool = False
    told: str = ""
    asked: str = ""
    secret: bool = False


def rows(language: str, text: str, room: int, size: int, outlined: bool) -> tuple[tuple[SymbolRecord, ...], bool]:
    """Return the rows of a text that fit into about `room` tokens, if it is best told so or all of them fit."""
    by_rows = language in SHOWN_BY_ROWS or (language in _STYLES and size < _STYLED)
    by_rows = by_rows or (language == "json" and text.count("\n") * _JSON_LINE > len(text))
    whole = outlined and not by_rows
    if language in _NEVER or room < 15 or (whole and (language in CODE or room < size * _NEARLY)):
        return (), False
    lines = text.split("\n")
    every = list(_read(lines[:_LOOKED_AT]))
    roots = _nested(every)
    if len(lines) > _LOOKED_AT and roots:
        _extend(roots[-1], len(lines) - (not lines[-1]))
    left = _choose(every, roots, room)
    hidden = sum(not row.chosen for row in every)
    if whole and hidden:
        return (), False
    found = list(_records(roots, max(0, len(lines) - _LOOKED_AT)))
    if hidden and left <= 0 and (words := _first_words(every)):
        found.append(SymbolRecord(kind="row", name=words, start=0, end=0, signature=words))
    return tuple(found), bool(found)


def _extend(row: TextRow, end: int) -> None:
    """End what holds the last row that was looked at with the text."""
    while row.children:
        row.end = end
        row = row.children[-1]


def header(text: str) -> str | None:
    """Return the first sentence of the comment that begins a text."""
    return doc_of(strip_markers("\n".join(_until_content(text[:8_000].split("\n")))))


def _until_content(lines: Sequence[str]) -> Iterator[str]:
    """Yield the rows of the comment at the beginning."""
    closing = ""
    for line in lines:
        bare = line.strip()
        block = None if closing else _BLOCK.match(bare)
        if block:
            closing = _CLOSING[block[0][:2]]
        if not (closing or not bare or bare.startswith(("#!", "<?xml")) or _COMMENT.match(bare)):
            return
        if _SETTING.match(bare):
            return
        yield "" if bare.startswith(("#!", "<?xml")) else line
        if closing and closing in bare:
            closing = ""


def _read(lines: Sequence[str]) -> Iterator[TextRow]:
    """Yield the rows after the header's comment; paragraphs, comments and continued rows are one each."""
    first = sum(1 for _ in _until_content(lines))
    last: TextRow | None = None
    joined = False
    closing = ""
    for number, line in enumerate(lines[first:], first + 1):
        bare = line[:_READ_CHARS].strip()
        if not bare:
            joined = False
            if not closing:
                last = None
            continue
        flat = line.expandtabs(4) if "\t" in line else line
        indent = len(flat) - len(flat.lstrip())
        block = None if closing or bare[0].isalnum() else _BLOCK.match(bare)
        marked = not bare[0].isalnum() or bare[0] in "rRd"
        comment = bool(closing or block or (marked and _COMMENT.match(bare) and not _SETTING.match(bare)))
        if block:
            closing = _CLOSING[block[0][:2]]
        if closing and closing in bare:
            closing = ""
        same = last is not None and last.comment == comment
        continued = (
            same and (comment or (last.indent == indent and _prose(bare) and _prose(last.text))) if last else False
        )
        if last is not None and (joined or continued):
            last.end = number
            if len(last.text) < 2 * _LINE_CHARS:
                last.text += "\n" + bare if comment else " " + bare.rstrip("\\").strip()
            joined = bare.endswith("\\")
            continue
        joined = bare.endswith("\\") and not comment
        last = TextRow(number, indent, bare.rstrip("\\").rstrip() or bare, number, comment)
        yield last


def _nested(every: list[TextRow]) -> list[TextRow]:
    """Put each row below the last one that is indented less, and rows of a section below its heading."""
    roots: list[TextRow] = []
    stack: list[TextRow] = []
    kept: list[TextRow] = []
    lifted: TextRow | None = None
    for row in every:
        named = row.text[0].isalnum()
        title = kept[-1] if kept and kept[-1].end == row.number - 1 and not kept[-1].children else None
        if title is not None and not named and _RULE.fullmatch(row.text):
            if title.parent is not None:
                title.parent.children.remove(title)
                title.parent, title.among, title.at = None, roots, len(roots)
                roots.append(title)
            title.indent, title.end, stack = -1, row.number, [title]
            continue
        if _SKIPPED.match(row.text):
            continue
        if row.text in _OPENERS and (not stack or stack[-1].indent < row.indent):
            lifted = row  # an item of a list, told by its first row
            continue
        if (not named or row.text[0] in "efd") and _CLOSER.fullmatch(row.text):
            lifted = None
            while stack and stack[-1].indent > row.indent:
                stack.pop()
            if stack:
                stack[-1].end = max(stack[-1].end, row.end)
            continue
        if lifted is not None and not row.comment:
            row.indent, row.number, row.text, lifted = lifted.indent, lifted.number, f"{lifted.text} {row.text}", None
        if not row.comment and not row.indent and _HEADING.match(row.text):
            row.indent = -2 if row.text.startswith("+++") else -1
        while stack and stack[-1].indent >= row.indent:
            stack.pop()
        row.parent = stack[-1] if stack else None
        siblings = row.parent.children if row.parent else roots
        row.at, row.among = len(siblings), siblings
        siblings.append(row)
        kept.append(row)
        if not row.comment:
            stack.append(row)
    every[:] = kept
    for row in reversed(kept):
        if row.parent is not None:
            row.parent.end = max(row.parent.end, row.end)
    return roots


def _choose(every: list[TextRow], roots: list[TextRow], room: int) -> int:
    """Choose rows level by level; return the room that is left."""
    level, comments = roots, [row for row in roots if row.comment]
    for _ in range(_DEPTH):
        if not level or room <= 0:
            break
        told = [row for row in level if not row.comment]
        room = _fill(told, room)
        level = [child for row in told if row.chosen for child in row.children]
        if level is not roots and room > 0:
            room = _fill(comments, room)
            comments = [row for row in level if row.comment]
    return _fill(comments, room) if room > 0 else room


def _fill(level: list[TextRow], room: int) -> int:
    """Choose of a level what fits: first what holds other rows and what looks new, then rows from all over."""
    shapes: Counter[tuple[int, str]] = Counter()
    ranked = []
    numbers = 0
    for row in level[:: len(level) // _WEIGHED + 1]:
        if _numeric(row.text):
            numbers += 1
            if numbers > _NUMBERS:
                continue
        shape = row.text[:60].translate(_NO_WORDS)
        word = _KEYWORD.match(row.text)
        seen = shapes[key := (id(row.parent), f"{word[0] if word else ''} {shape}")]
        shapes[key] += 1
        early = min(row.at if row.parent else seen // _HOLDING if row.children else seen, 3)
        ranked.append((early + (not row.children), seen if seen < 3 else _spread(seen), row))
    ranked.sort(key=lambda one: one[:2])
    missed = hidden = 0
    for _, _, row in ranked[:_CANDIDATES]:
        row.told = _safe(row)
        _open(row)
        hidden += row.told == "[hidden]"
        if row.told == "[hidden]" and hidden > 1:
            continue
        cost = estimate(row.told) + (4 if row.children or row.end > row.number else 2)
        if cost > room:
            missed += 1
            if missed > _MISSED or room < _LEAST_ROW:
                return 0
            continue
        row.chosen = True
        room -= cost
    return 0 if missed or len(ranked) > _CANDIDATES or len(level) > _WEIGHED else room


def _open(row: TextRow) -> None:
    """Add to a row that only opens something, like `rule(`, the first rows inside."""
    for _ in range(_OPENED if _OPENING.search(row.told) else 0):
        first = row.children[0] if row.children else None
        if first is None or first.children or first.comment or len(row.told) > _SHORT:
            break
        row.told = shorten(f"{row.told} {_safe(first)}", _LINE_CHARS)
        row.text += f" {first.text}"  # a secret's name in it guards the other rows
        del row.children[0]
        for child in row.children:
            child.at -= 1


def _spread(number: int) -> int:
    """Order numbers so that the first of them come from everywhere."""
    return int(f"{number:020b}"[::-1], 2)


def _records(siblings: list[TextRow], unread: int = 0) -> tuple[SymbolRecord, ...]:
    """Return the chosen rows in order; neighbours without rows below them share a record."""
    found: list[SymbolRecord] = []
    shared: list[TextRow] = []
    text = ""
    skipped = 0
    for row in siblings:
        if not row.chosen:
            skipped += not row.comment
            continue
        alone = row.comment or row.end > row.number
        gap = f"… +{skipped}; " if skipped else ""
        if shared and (alone or len(text) + len(row.told) > _LINE_CHARS):
            found.append(_record(shared, text + ("; " + gap[:-2] if gap else "")))
            shared, text, gap = [], "", ""
        shared.append(row)
        text = f"{text}; {gap}{row.told}" if text else gap + row.told
        skipped = 0
        if alone:
            found.append(_record(shared, text, _records(row.children)))
            shared, text = [], ""
    if shared:
        found.append(_record(shared, text))
    skipped += unread
    if skipped >= _WORTH_COUNTING and found:
        found.append(SymbolRecord(kind="row", name="…", start=0, end=0, signature=f"… {skipped:,} more"))
    return tuple(found)


def _record(shared: list[TextRow], text: str, children: tuple[SymbolRecord, ...] = ()) -> SymbolRecord:
    start, end = shared[0].number, shared[-1].end
    return SymbolRecord(kind="row", name=text[:40], start=start, end=end, signature=text, children=children)


def _safe(row: TextRow) -> str:
    """Return a row without secrets: values of secret names are hidden, also where the name is beside or above."""
    if row.comment:
        told = doc_of(strip_markers(row.text), code_allowed=True)
        told = said(masked(told or " ".join(row.text.split("\n")[0].split()).lstrip("# ")))
        return shorten("# " + told, _LINE_CHARS)
    text = masked(row.text) if _MASKABLE.search(row.text) else row.text
    if "[hidden]" not in text and "[redacted" not in text and not _HARMLESS.search(row.text):
        beside = [*row.among[max(0, row.at - 1) : row.at], *row.among[row.at + 1 : row.at + 2]]
        named = _name_of_secret(row.text)
        if named is not None:
            text = f"{text[: named.end()]} [hidden]" if _LETTERS.search(text, named.end()) else text
        elif any(map(_secret, _above(row))) or (_VALUE.match(row.text) and any(map(_secret, beside))):
            key = _KEYED.match(text)
            text = f"{key[0] if key else ''}[hidden]"
    weak = _WEAK.search(text) is not None
    text = _MIXED.sub(lambda match: "[hidden]" if _random(match[0], weak) else match[0], text)
    text = _TAGGED.sub(r"\1 \2", _HIDDEN.sub(" [hidden]", " ".join(text.replace(HIDDEN, "[hidden]").split())))
    return shorten(text, _LINE_CHARS)


def _random(token: str, weak: bool) -> bool:
    """Tell whether letters and digits alternate as in a password; beside a `weak` name, whether both occur at all."""
    changes = sum(left.isdigit() != right.isdigit() for left, right in pairwise(token))
    cased = token.lower() != token and token.upper() != token
    return (changes >= 3 and (cased or len(token) >= 8)) or (weak and changes > 0)


def _secret(row: TextRow) -> bool:
    """Tell whether a row has the name of a secret; remembered, because every row beside and below it asks."""
    if row.asked != row.text:
        row.asked, row.secret = row.text, _name_of_secret(row.text) is not None
    return row.secret


def _above(row: TextRow) -> Iterator[TextRow]:
    """Yield the rows that hold a row."""
    above = row.parent
    while above is not None:
        yield above
        above = above.parent


def _name_of_secret(text: str) -> re.Match[str] | None:
    if not perhaps(text) or _prose(text):
        return None
    words = _WORD.finditer(text[:300])
    return next((word for word in words if word[0].lower() not in {"key", "keys"} and secret_key(word[0])), None)


def _prose(text: str) -> bool:
    """Tell whether a row reads like a line of a sentence."""
    begins = text[:1].isalpha() or text[:1] in "\"'(“"
    return (
        begins
        and text.count(" ") >= 4
        and not _UNPROSAIC.search(text)
        and not _KEY.match(text)
        and 2 * sum(map(str.isalpha, text)) > len(text)
    )


def _numeric(text: str) -> bool:
    return "=" not in text and ":" not in text and 3 * sum(map(str.isalpha, text)) < len(text)


def _first_words(every: list[TextRow]) -> str:
    """Return how many rows begin with each of a few words, if most of them do."""
    words = Counter(row.text.split(None, 1)[0][:24] for row in every[:_LOOKED_AT] if not row.comment)
    often = [(word, times) for word, times in words.most_common(8) if times > 3 and _LETTERS.search(word)]
    if sum(times for _, times in often) * 2 < len(every) or len(every) < 20:
        return ""
    return "rows by first word: " + ", ".join(f"{masked(word)} × {times:,}" for word, times in often)
