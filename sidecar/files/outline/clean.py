"""Takes secrets out of what an outline repeats of a file: comments, headings, defaults of parameters.

An outline is kept on disk and given to models. To look through every text of every file for all kinds of secrets
costs eight times as much as the outline; so only texts are looked through that may hold one.
"""

from __future__ import annotations

from msgspec.structs import replace

from sidecar.patterns import lazy
from sidecar.store.records import ContentRecord, SymbolRecord
from sidecar.text.redaction import redact

_SUSPECT = lazy(
    r"(?<![\w+/=.~:-])(?=[\w+/=.~:-]*\d)[\w+/=.~:-]{16,}|-----BEGIN|://[^\s/@]+@"
    r"|(?i:passw|secret|token|api.?key|credential|bearer|basic )"
)


def cleaned(record: ContentRecord) -> ContentRecord:
    """The record without secrets."""
    return replace(
        record,
        doc=_optional(record.doc),
        head=_optional(record.head),
        symbols=tuple(map(_symbol, record.symbols)),
        entry_points=tuple(map(_text, record.entry_points)),
    )


def _symbol(symbol: SymbolRecord) -> SymbolRecord:
    name, signature, doc = _text(symbol.name), _text(symbol.signature), _optional(symbol.doc)
    children = tuple(map(_symbol, symbol.children))
    same = (name, signature, doc) == (symbol.name, symbol.signature, symbol.doc)
    if same and all(map(_is, children, symbol.children)):
        return symbol
    return replace(symbol, name=name, signature=signature, doc=doc, children=children)


def _is(one: object, other: object) -> bool:
    return one is other


def _optional(text: str | None) -> str | None:
    return None if text is None else _text(text)


def _text(text: str) -> str:
    return redact(text)[0] if _SUSPECT.search(text) else text
