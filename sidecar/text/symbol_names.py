"""Distinguish names of functions, classes and variables from other words: `parse_args()`, not `npm install`."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from sidecar.text.lazy_patterns import lazy
from sidecar.text.word_lists import word_lists

_NAME: Final = r"[A-Za-z_$][\w$]*[?!]?"
_DOTTED: Final = lazy(rf"~?{_NAME}(?:(?:\.|::|#|->){_NAME})*\Z")
_CALL: Final = lazy(r"([^\s()]{1,200})\(.{0,300}\)\Z", re.DOTALL)
_DECLARED: Final = lazy(
    r"(?:(?:export|default|public|private|protected|static|async|abstract|final|pub|override)\s+){0,4}"
    r"(?:class|def|fn|func|function|interface|struct|trait|enum|type|module|const|protocol)\s+([A-Za-z_][\w.:]*)\W?.{0,200}\Z",
    re.DOTALL,
)
_CAMEL: Final = lazy(r"[A-Za-z]*[a-z0-9][A-Z]\w*|[A-Z]{2,}[a-z]\w*")
_SNAKE: Final = lazy(r"_*[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+_*|__?[A-Za-z]\w*")
_UPPER: Final = lazy(r"[A-Z][A-Z0-9_]*\Z")
_HOST: Final = lazy(r"(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|co|uk|de|eu|ch|invalid|example|local|internal)\Z")
_WORDS: Final = word_lists("names.toml")["symbols"]


class NamedSymbol(NamedTuple):
    """A symbol as a text writes it, and its dotted name; if not `sure`, it counts only if the workspace defines it."""

    text: str
    name: str
    sure: bool


def quoted_symbol(span: str) -> NamedSymbol | None:
    """Return the symbol that a whole back-ticked span names; None for a command, a value or a word."""
    text = span.strip()
    if not text or len(text) > 300:
        return None
    declared = _DECLARED.match(text)
    if declared is not None:
        return _symbol(text, declared[1].rstrip(".:"), called=True)
    called = _CALL.match(text)
    name = called[1] if called else text
    if not _DOTTED.match(name):
        return None
    return _symbol(name, name, called=called is not None or text[-1] in "?!")  # `save!` is not a word


def bare_symbol(word: str) -> NamedSymbol | None:
    """Return the symbol that a word of prose may be: CamelCase, snake_case, a call or a dotted call; never sure."""
    called = word.endswith("()")
    name = word.removesuffix("()")
    if (len(name) < 3 and not called) or len(name) > 200 or not _DOTTED.match(name):
        return None
    shaped = _CAMEL.fullmatch(name) or _SNAKE.fullmatch(name) or "." in name or "::" in name or re.search("->|#", name)
    symbol = _symbol(name, name, called=called) if shaped or called else None
    return None if symbol is None else symbol._replace(sure=False)


def _symbol(text: str, name: str, *, called: bool) -> NamedSymbol | None:
    dotted = re.sub(r"::|#|->", ".", name).rstrip("?!")
    parts = dotted.removeprefix("self.").removeprefix("this.").split(".")
    first, last = parts[0], parts[-1]
    if (
        first in _WORDS["builtins"]
        or (last.lower() in _WORDS["keywords"] and not called)
        or dotted.lower() in _WORDS["conventions"]
    ):
        return None
    if (len(parts) == 1 and (last.lower() in _WORDS["products"] or last in _WORDS["keywords"])) or _HOST.match(dotted):
        return None
    if re.fullmatch(r"v?\d.*", last):
        return None
    owned = dotted != ".".join(parts)
    if called or owned or len(parts) > 1:
        return NamedSymbol(text, ".".join(parts), True)
    if _UPPER.match(last):
        return NamedSymbol(text, last, False) if "_" in last or len(last) > 3 else None
    sure = bool(_CAMEL.fullmatch(last) or _SNAKE.fullmatch(last))
    return NamedSymbol(text, last, sure)
