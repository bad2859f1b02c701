"""What a file contains besides its symbols: comments, calls, tags and settings, a line for each stretch of the file.

A file that is one component, one script or one long table would otherwise be only a name with a range of lines, so a
file whose symbols leave room in its briefing gets these lines, extracted by patterns that hold for most languages. Each
line covers part of the innermost symbol around it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.files.clean_text import shorten
from sidecar.files.outline.comments import doc_of, strip_markers
from sidecar.files.structure.markdown import inline_text
from sidecar.files.structure.rows import BESIDE_SYMBOLS, stretch_rows
from sidecar.files.structure.values import secret_value
from sidecar.store.records import SymbolRecord

_LEAST: Final = 5  # minimum number of rows in a stretch
_LEAST_ROOM: Final = 20  # minimum number of tokens worth filling
_TOKENS: Final = 30  # tokens of one line
_LEAST_CHARS: Final = 100
_MOST_CHARS: Final = 320
_COMMENT_CHARS: Final = 72
_MOST: Final = 40  # maximum number of lines
_NEAR: Final = 6  # maximum number of decorator rows above a name
_LOOKED_AT: Final = 100  # maximum number of rows that one line summarises
_GIVEN: Final = 6  # texts shown for one callee
_TABLE: Final = tomllib.loads((Path(__file__).parent / "inside.toml").read_text(encoding="utf-8"))
_WORDS_OF: Final = {
    key: frozenset(words.split()) for part in ("languages", "words") for key, words in _TABLE[part].items()
}
_PROSE: Final = _WORDS_OF["prose"]
_MARKUP: Final = BESIDE_SYMBOLS - _PROSE
_SHELLS: Final = frozenset({"bash", "powershell"})
_SPACED: Final = _WORDS_OF["spaced"]
_HOLDERS: Final = _WORDS_OF["holders"]
_TRANSLATING: Final = _WORDS_OF["translating"]
_EVERYDAY: Final = _WORDS_OF["everyday"]
_LEADS: Final = _TABLE["leads"] | {
    language: _TABLE["leads"][like] for like, languages in _TABLE["led"].items() for language in languages.split()
}
_SLASHES: Final = r"(?://+!?|/\*+|\*+/?(?:\s|$))"
_IMPORT: Final = re.compile(
    r"\s*(?:import|from|use|using|require|require_relative|include|#include|package|library|module|namespace|alias"
    r"|export \{|export \*|\} from|@import|@use|@forward|extern crate)\b"
)
_ITEM: Final = re.compile(
    r"(?P<called>(?:[A-Za-z_$][\w$!?]*(?:\.|::|->|\?\.|:))*[A-Za-z_][\w$!?-]*)"
    r"(?:(?P<opened>\(\s{0,40})|(?=[ ][\"']))[ ]?(?:\w+(?:: ?| ?= ?))?"
    r"(?P<quote>[\"'`])(?P<text>[^\"'`\n]{1,60})(?P=quote)"
    r"|(?<![\w>])<(?P<tag>[A-Z][\w.]{1,60}|\.[a-z]\w{1,40}|[a-z]+-[\w-]{1,40})(?=[\s/>]|$)",
    re.M,
)
_FILLED: Final = re.compile(r"[#$]?\{[^}]*\}?|\$\w+|<%.*")
_PARAGRAPH: Final = re.compile(r"\s{0,3}[*\"'(`\[_]{0,3}(?:[A-Z]\w*\S*(?: \S+){2}|(?=[^\W\d_a-z])[^\x00-\x7f])")
_LISTED: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)]|\|(?![-| ]*$))\s*(?=.*[^\W\d_])(?P<text>.{1,200})")
_LABEL: Final = re.compile(r"[A-Z\d]\S* \S|(?:\S+ ){4}\S|[^\x00-\x7f]")
_OWN: Final = re.compile(r"^(?:this|self|cls|super|@?_?self|s|t)[.:]|^@(?=[a-z]\w*\.)|!$")


class _Stretch(NamedTuple):
    """Rows from `first`, counted from 0, up to `end` (exclusive), all inside the same symbol, or `loose` in none."""

    first: int
    end: int
    loose: bool = False


def inside(
    language: str, text: str, symbols: Sequence[SymbolRecord], room: int, *, titles: bool
) -> tuple[SymbolRecord, ...]:
    """Summarise the parts of `text` that no symbol covers, in about `room` tokens; of tests, the `titles` only."""
    if room < _LEAST_ROOM:
        return ()
    rows = text.split("\n")
    lead = re.compile(r"\s*" + _LEADS.get(language, _SLASHES))
    free = [one for one in _free(symbols, rows, lead) if one.end - one.first >= _LEAST]
    found: list[SymbolRecord] = []
    for one in free.copy():
        share = room * (one.end - one.first) // len(rows)
        if opened := tuple(
            stretch_rows(
                rows, one.first, one.end, share, whole=language in _MARKUP or (one.loose and language in _SHELLS)
            )
        ):
            found += opened
        if opened or titles:
            free.remove(one)
    step = max(_LEAST, sum(one.end - one.first for one in free) // max(1, min(_MOST, room // _TOKENS)))
    parts = [part for one in free for part in _parts(rows, one, step)][:_MOST]
    told = [_told(language, rows[part.first : min(part.end, part.first + _LOOKED_AT)], lead) for part in parts]
    chars = min(_MOST_CHARS, max(_LEAST_CHARS, 3 * room // max(1, len(parts))))
    for part, (comment, items) in zip(parts, told, strict=True):
        kept = [_shown(item, given) for item, given in items.items()]
        listed = ", ".join(kept)
        comment = shorten(comment, chars // 2) if kept else comment
        line = f"{comment}: {listed}" if comment and kept else comment or listed
        if line:
            shown = shorten(line, chars)
            record = SymbolRecord(kind="inside", name=shown[:80], start=part.first + 1, end=part.end, signature=shown)
            found.append(record)
    return tuple(sorted(found, key=lambda record: record.start))


def _free(symbols: Sequence[SymbolRecord], rows: list[str], lead: re.Pattern[str]) -> Iterator[_Stretch]:
    """Yield the runs of rows that belong to one symbol and not to one that merely contains others."""
    at = 0
    while at < len(rows) and (not rows[at].strip() or lead.match(rows[at]) or rows[at].startswith("#!")):
        at += 1
    owners = [-1] * at + [0] * (len(rows) - at)
    todo = list(symbols)
    for one in todo:
        todo += one.children
    todo = sorted((one for one in todo if one.kind != "more"), key=lambda one: (one.start, -one.end))
    for number, one in enumerate(todo, 1):
        near = range(one.start - 1, min(one.end, one.start + _NEAR, len(rows)))
        named = next((row for row in near if one.name in rows[row]), one.start - 1)
        for row in range(one.start - 1, min(one.end, len(rows))):
            owners[row] = -1 if one.kind in _HOLDERS or row <= named else number
    first = 0
    for row in range(1, len(rows) + 1):
        if row == len(rows) or owners[row] != owners[first]:
            if owners[first] >= 0:
                yield _Stretch(first, row, owners[first] == 0)
            first = row


def _parts(rows: list[str], whole: _Stretch, step: int) -> Iterator[_Stretch]:
    """Cut a stretch at empty lines into parts of at least `step` rows, without leading or trailing empty rows."""
    first = whole.first
    for at in range(whole.first, whole.end):
        if (at - first >= step and not rows[at].strip() and whole.end - at >= _LEAST) or at - first >= 2 * step:
            yield from _trimmed(rows, first, at)
            first = at
    yield from _trimmed(rows, first, whole.end)


def _trimmed(rows: list[str], first: int, end: int) -> Iterator[_Stretch]:
    while first < end and not rows[first].strip():
        first += 1
    while end > first and not rows[end - 1].strip():
        end -= 1
    if end > first:
        yield _Stretch(first, end)


def _told(language: str, rows: list[str], lead: re.Pattern[str]) -> tuple[str, dict[str, list[str]]]:
    """Return the first comment of a part, or its first sentence, and the items it uses with the texts given to each."""
    if language in _PROSE:
        return _sentence(rows), {}
    comment = ""
    items: dict[str, list[str]] = {}
    lines: list[str] = []
    code: list[str] = []
    alone = True
    for row in [*rows, ""]:
        if lead.match(row):
            lines += [row] if alone or lines else []
            continue
        if lines and row.strip() and not comment:
            told = doc_of(strip_markers("\n".join(lines))) or ""
            comment = shorten(told, _COMMENT_CHARS) if _LABEL.match(told) else ""
        lines, alone = [], not row.strip()
        if not _IMPORT.match(row):
            code.append(row[:400])
    for item, given in _items(language, "\n".join(code)):
        texts = items.setdefault(item, [])
        if given and given not in texts:
            texts.append(given)
    return comment, items


def _sentence(rows: list[str]) -> str:
    """Return the first sentence of the first paragraph of prose."""
    for paragraph in "\n".join(rows).split("\n\n"):
        if _PARAGRAPH.match(paragraph):
            return doc_of([inline_text(paragraph)], code_allowed=True) or ""
    listed = (match["text"] for row in rows if (match := _LISTED.match(row)) is not None)
    return "; ".join(shorten(inline_text(text), 60) for text in listed)


def _items(language: str, code: str) -> Iterator[tuple[str, str]]:
    for match in _ITEM.finditer(code):
        found = match.groupdict()
        text = _text(found["text"] or "")
        if found["tag"]:
            yield f"<{found['tag']}>", ""
        elif text and found["opened"] and found["called"] in _TRANSLATING:
            yield f"“{text}”", ""
        elif text and (found["opened"] or language in _SPACED):
            name = ".".join(re.split(r"\.|\?\.", _OWN.sub("", found["called"]))[-2:])
            last = name.rpartition(".")[2]
            if len(name) > 2 and not {name, last, last.lstrip("_")} & _EVERYDAY:
                yield name, text


def _text(text: str) -> str:
    """Return the text if it says something in words, else ""."""
    worded = re.search(r"[^\W\d_]{2}", _FILLED.sub("", text))
    return text if worded and not secret_value(text) else ""


def _shown(item: str, given: list[str]) -> str:
    if not given:
        return item
    more = f" … +{len(given) - _GIVEN}" if len(given) > _GIVEN else ""
    return f"{item} {', '.join(map(repr, given[:_GIVEN]))}{more}"
