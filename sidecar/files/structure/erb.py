"""ERB: a page's markup, the forms and blocks that helpers make, and the partials it renders."""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.html_page import html_page
from sidecar.files.structure.result import LineNumbers, Structure, distinct
from sidecar.store.records import SymbolRecord

_TAG: Final = re.compile(r"<%.*?%>", re.S)
_PARTIAL: Final = re.compile(
    r"\brender(?:_to_string)?[\s(]{1,9}(?:(?:partial|layout|template):?\s{0,9}(?:=>)?\s{0,9}:?)?"
    r"(?:[\"']([\w/.-]{1,120})[\"']|([A-Z]\w{1,60}(?:::\w{1,60}){0,4})\.new)"
)
_HELPER: Final = re.compile(
    r"<%[-=]{0,2}\s{0,9}(?P<word>form_with|form_for|form_tag|simple_form_for|bootstrap_form_with|content_for"
    r"|turbo_frame_tag)[\s(]{1,3}(?P<what>[^\n]{1,160}?)\)?\s{0,9}(?:\bdo\b|-?%>|\n)"
)
_NAMED: Final = re.compile(r"(?:\w+:\s*)?[:@\"']{0,3}([\w.-]+)")


def erb(text: str) -> Structure:
    end = text.rfind("%>") + 2  # nothing opened after it can be closed
    page = html_page(_TAG.sub(lambda match: " " + "\n" * match[0].count("\n"), text[:end]) + text[end:])
    lines = LineNumbers(text)
    symbols = list(page.symbols)
    for match in _HELPER.finditer(text):
        named = _NAMED.match(match["what"])
        if named is not None:
            kind = "form" if "form" in match["word"] else "block"
            signature = shorten(f"{match['word']} {' '.join(match['what'].split())}", 120)
            line = lines.at(match.start())
            symbols.append(SymbolRecord(kind=kind, name=named[1], start=line, end=line, signature=signature))
    rendered = [match[1] or match[2] for match in _PARTIAL.finditer(text)]
    return Structure(page.doc, tuple(symbols), distinct([*rendered, *page.imports]), (), page.partial, page.head)
