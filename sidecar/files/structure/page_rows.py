"""Render the main elements of a page as rows: headings, landmarks, forms, scripts, named parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.html_page import HEADING, LANDMARKS
from sidecar.files.structure.result import LineNumbers, first_sentence
from sidecar.files.structure.row_reading import TextRow
from sidecar.files.structure.tags import Tag, tags
from sidecar.store.records import SymbolRecord
from sidecar.text.lazy_patterns import patterns

_FORMS: Final = patterns(Path(__file__), "page_rows")
_EMPTY: Final = frozenset("area base br col embed hr img input link meta source track wbr".split())
_LANDMARKS: Final = LANDMARKS | {"iframe"}
LINKED: Final = {"a": "href", "img": "src"}
_FIELDS: Final = frozenset({"input", "select", "textarea", "button"})
_LOADING_ATTRIBUTE: Final = {"script": "src", "iframe": "src", "base": "href", "form": "action"}
_ATTRIBUTES: Final = tuple(
    "aria-label x-data data-controller hx-get hx-post v-if v-for :if :for field navigate patch phx-click phx-submit"
    " *ngif *ngfor ng-if ng-show ng-repeat ng-model ng-click formcontrolname routerlink (click)".split()
)
_ELEMENTS: Final = frozenset({"heading", "landmark", "element", "form", "field"})
_META: Final = frozenset({"description", "theme-color"})
_MIN_SHOWN_WORDS: Final = 2  # only a longer text is shown
_TEXTLESS: Final = ("style", "script", "title")
_MAX_DEPTH: Final = 60


def page_rows(text: str, symbols: Sequence[SymbolRecord]) -> Iterator[TextRow]:
    lines = LineNumbers(text)
    found = [TextRow(one.start, _MAX_DEPTH, one.signature, one.end) for one in symbols if one.kind not in _ELEMENTS]
    found += (
        TextRow(line, _MAX_DEPTH, f"<!-- {match[1]} -->", line, comment=True)
        for match in _FORMS["comment"].finditer(text)
        for line in (lines.at(match.start()),)
    )
    found += (
        TextRow(line, _MAX_DEPTH, " ".join(match[0].split()), line)
        for match in _FORMS["template"].finditer(text)
        for line in (lines.at(match.start()),)
    )
    found += _code_rows(text, lines) if "<%" in text else ()
    stack: list[tuple[str, TextRow | None]] = []
    depth = 0  # the number of rows in the stack
    heading: TextRow | None = None
    for tag in tags(text):
        line = lines.at(tag.start)
        if tag.closing:
            if any(name == tag.name for name, _ in stack[-_MAX_DEPTH:]):
                while stack:
                    name, row = stack.pop()
                    if row is not None:
                        row.end, depth = max(row.end, line), depth - 1
                    if name == tag.name:
                        break
            heading = None if HEADING.fullmatch(tag.name) else heading
        shown = "" if tag.closing else _row_text(tag)
        level = min(depth, _MAX_DEPTH - 1)
        row = TextRow(line, level, shown, line) if shown else None
        if row is not None:
            found.append(row)
        if heading is not None:
            heading.text += f" {_words(tag.text)}"
        elif HEADING.fullmatch(tag.name) and not tag.closing:
            heading = row
        elif row is None and tag.name not in _TEXTLESS and len(words := _words(tag.text)) > _MIN_SHOWN_WORDS:
            at = lines.at(text.find(tag.text[:20], tag.start) + len(tag.text) - len(tag.text.lstrip()))
            found.append(TextRow(at, level, f"“{first_sentence(words, 90)}”", at))
        if not tag.closing and not tag.empty and tag.name not in _EMPTY:
            stack.append((tag.name, row))
            depth += row is not None
    yield from sorted(_placed(found), key=lambda row: (row.number, row.indent))


def _code_rows(text: str, lines: LineNumbers) -> Iterator[TextRow]:
    """Yield what template tags decide, loop over and call."""
    for match in _FORMS["code"].finditer(text):
        shown = _FORMS["styled"].sub("", " ".join(match[1].split())).strip()
        first, last = lines.at(match.start()), lines.at(match.end() - 1)
        yield TextRow(first, _MAX_DEPTH, shown, last)


def _placed(rows: list[TextRow]) -> Iterator[TextRow]:
    """Yield rows. A comment, and the code of a script, stands below the element around it."""
    around: list[TextRow] = []
    for row in sorted(rows, key=lambda one: (one.number, one.indent)):
        while around and around[-1].end < row.number:
            around.pop()
        if row.indent == _MAX_DEPTH:
            row.indent = around[-1].indent + 1 if around else 0
        elif row.end > row.number:
            around.append(row)
        row.text = " ".join(row.text.split())
        if row.text[:1] != "“" or len(row.text) > 4:
            yield row


def _row_text(tag: Tag) -> str:
    """Return the row of an element; "" if it only contains other elements."""
    name, attributes = tag.name, tag.attributes
    if name == "style":
        return f"style ({len(_FORMS['rule'].findall(tag.text))} rules)"
    if name == "link":
        return f"link {attributes.get('rel', '')} {shorten(attributes.get('href', ''), 60)}"
    if name == "meta":
        key = attributes.get("name", "")
        return f"meta {key}: {shorten(attributes.get('content', ''), 60)}" if key in _META else ""
    if name == "title":
        return f"title {_words(tag.text)}"
    if HEADING.fullmatch(name):
        return f"{name} {_words(tag.text)}"
    loaded = attributes.get(_LOADING_ATTRIBUTE.get(name, ""), "")
    if name in ("script", "base"):
        return f"{name} {shorten(loaded, 70)}".strip()
    if name in _FIELDS:
        field = attributes.get("name") or attributes.get("id") or _words(tag.text)[:40]
        kind = attributes.get("type", "") if name == "input" else ""
        return " ".join(filter(None, (name, kind, shorten(field, 40)))) if field else ""
    if name in LINKED and (address := attributes.get(LINKED[name], "").strip()):
        return f"{name} {shorten(_words(tag.text) or attributes.get('alt', ''), 40)} {shorten(address, 60)}"
    values = ((key, shorten(attributes[key], 60)) for key in _ATTRIBUTES if attributes.get(key))
    given = " ".join(f"{key}={value}" if value[0] == "{" else f'{key}="{value}"' for key, value in values)
    key = f"#{attributes['id']}" if attributes.get("id", "").strip() else ""
    if not key and not given and name not in _LANDMARKS and not _FORMS["component"].search(name):
        return ""
    classes = _FORMS["tags"].sub("", attributes.get("class", "")).split()
    key = key or next((f".{one}" for one in classes if _FORMS["class"].fullmatch(one)), "")
    return " ".join(filter(None, (f"{name}{shorten(key, 60)}", given, shorten(loaded, 60))))


def _words(text: str) -> str:
    return shorten(" ".join(unescape(_FORMS["tags"].sub(" ", text[:1_000])).split()), 400)
