"""Find the files, symbols, URLs, issues, merge requests, epics and users that a text names. Takes linear time.

`mentions` returns what is surely meant. `possible_mentions` adds words that count only if the workspace has a file or
symbol of that name (`Retry`, `src/app`, `and/or`). In fenced code, only paths and symbols are found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final, Literal

from sidecar.text.lazy_patterns import lazy
from sidecar.text.marks import emails, mark_of_url, marks, urls
from sidecar.text.path_names import FILE_NAMES, path_of
from sidecar.text.word_lists import word_lists

ReferenceKind = Literal["path", "symbol", "url", "issue", "mergeRequest", "epic", "user"]

# No more is read; a memory has at most a tenth.
MAX_CHARS: Final = 200_000
_FENCE: Final = lazy(r"^[ \t]{0,12}(?:>[ \t]?)*(`{3,}|~{3,})([^\n`]*)$", re.MULTILINE)
_CODE_SPAN: Final = lazy(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,400})\1(?!`)")
_TAG: Final = lazy(r"</?[A-Za-z][A-Za-z0-9-]{0,40}(?:\s[^<>\n]{0,1000})?/?>|<!--|-->")
_WORD: Final = lazy(r"[A-Za-z0-9_\u00c0-\u024f./\\~@:#+$%&!?*{}<>()\[\]|^=-]+")
_SHELL_SEPARATORS: Final = lazy(r"[\s\"'=;|&<>(),`]+")
_OPENERS: Final = "([{<*_~:=|&!?+#^"
_CLOSERS: Final = ")]}>*~.,:;!?|=&^+-"
_PAIRS: Final = {")": "(", "]": "[", "}": "{", ">": "<"}
_DIFF_HEADER: Final = lazy(r"^(?:---|\+\+\+|diff --git) ", re.MULTILINE)
_NAME: Final = r"[A-Za-z_$][\w$]*[?!]?"
_DOTTED: Final = lazy(rf"~?{_NAME}(?:(?:\.|::|#|->){_NAME})*\Z")
_CALL: Final = lazy(r"([^\s()]{1,200})\(.{0,300}\)\Z", re.DOTALL)
_DECLARATION: Final = lazy(
    r"(?:(?:export|default|public|private|protected|static|async|abstract|final|pub|override)\s+){0,4}"
    r"(?:class|def|fn|func|function|interface|struct|trait|enum|type|module|const|protocol)\s+([A-Za-z_][\w.:]*)\W?.{0,200}\Z",
    re.DOTALL,
)
_CAMEL: Final = lazy(r"[A-Za-z]*[a-z0-9][A-Z]\w*|[A-Z]{2,}[a-z]\w*")
_SNAKE: Final = lazy(r"_*[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+_*|__?[A-Za-z]\w*")
_UPPER_CASE: Final = lazy(r"[A-Z][A-Z0-9_]*\Z")
_HOST: Final = lazy(r"(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|co|uk|de|eu|ch|invalid|example|local|internal)\Z")
_SYMBOL_WORDS: Final = word_lists("names.toml")["symbols"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A named file, symbol or mark; `a.py::C.m` gives both `path` and `symbol`."""

    kind: ReferenceKind
    text: str  # in normal form
    path: str | None = None
    symbol: str | None = None
    sure: bool = True  # False: it counts only if the workspace has such a file or symbol


def mentions(text: str) -> list[Mention]:
    """Return the sure mentions, each once, in the order of first occurrence."""
    return [mention for mention in possible_mentions(text) if mention.sure]


def possible_mentions(text: str) -> list[Mention]:
    """Return all mentions, including those that count only if the workspace has such a file or symbol."""
    mentions_by_key: dict[tuple[str, str, str | None, str | None], Mention] = {}
    text = text[:MAX_CHARS]
    found = (
        (start + offset, mention)
        for start, end, fenced in _regions(text)
        for offset, mention in (_code_mentions if fenced else _prose_mentions)(text[start:end])
    )
    for _, mention in sorted(found, key=itemgetter(0)):
        key = (mention.kind, mention.text, mention.path, mention.symbol)
        earlier = mentions_by_key.get(key)
        if earlier is None or (mention.sure and not earlier.sure):
            mentions_by_key[key] = mention
    return list(mentions_by_key.values())


def entities(mentions_found: list[Mention]) -> tuple[str, ...]:
    """Return the issues, merge requests, epics, users and URLs mentioned, each once; an issue's URL gives both."""
    names: dict[str, None] = {}
    for mention in mentions_found:
        if mention.kind == "user":
            names[mention.text.lower()] = None
        elif mention.kind in ("issue", "mergeRequest", "epic", "url"):
            names[mention.text] = None
            if mention.kind == "url" and (mark := mark_of_url(mention.text)) is not None:
                names[mark] = None
    return tuple(names)


def _regions(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, whether inside a fence), without the fences' own lines."""
    offset = 0
    opened: str | None = None
    for fence in _FENCE.finditer(text):
        mark = fence[1]
        if opened is None:
            yield offset, fence.start(), False
            opened = mark
        elif mark[0] == opened[0] and len(mark) >= len(opened) and not fence[2].strip():
            yield offset, fence.start(), True
            opened = None
        else:
            continue
        offset = fence.end()
    yield offset, len(text), opened is not None


def _prose_mentions(text: str) -> Iterator[tuple[int, Mention]]:
    """Search prose for one kind after another; each mention is blanked out first, so that none counts twice."""
    rest = text
    addresses = list(urls(rest))
    for mark in addresses:
        yield mark.start, Mention(mark.kind, mark.text)
    rest = _blank_out(rest, (mark.span for mark in addresses))
    spans = list(_CODE_SPAN.finditer(rest)) if "`" in rest else []
    for span in spans:
        for mention in _span_mentions(span[2]):
            yield span.start(), mention
    rest = _blank_out(rest, (span.span() for span in spans))
    rest = _blank_out(rest, (tag.span() for tag in _TAG.finditer(rest)))
    rest = _blank_out(rest, emails(rest))
    rest = rest.replace("](", "] ")
    marks_found = list(marks(rest))
    for mark in marks_found:
        yield mark.start, Mention(mark.kind, mark.text)
    rest = _blank_out(rest, (mark.span for mark in marks_found))
    for word in _WORD.finditer(rest):
        if not _is_plain(word[0]):
            for mention in _word_mentions(word[0]):
                yield word.start(), mention


def _is_plain(word: str) -> bool:
    return word.isalpha() and word.islower() and word not in FILE_NAMES


def _span_mentions(span: str) -> Iterator[Mention]:
    """Yield the mention that a span in backticks is as a whole or, if it is a command, the paths in it."""
    text = span.strip()
    for mark in marks(text, quoted=True):
        if mark.end - mark.start == len(text) or (mark.kind != "user" and len(text) - (mark.end - mark.start) <= 16):
            yield Mention(mark.kind, mark.text)
            return
    urls_found = list(urls(text))
    for mark in urls_found:
        yield Mention(mark.kind, mark.text)
    if urls_found:
        text = _blank_out(text, (mark.span for mark in urls_found))
    named = path_of(_trim(text), quoted=True) if not re.search(r"\s", text) else None
    symbol = _quoted_symbol(text)
    if named is not None and (named.sure or symbol is None or "/" in named.path):
        yield from _path_mentions(named.path, named.symbol, sure=named.sure)
    elif symbol is not None:
        yield symbol
        if named is not None:
            yield from _path_mentions(named.path, None, sure=False)
    elif re.search(r"\s|=", text) and not text.startswith("#"):
        for word in _SHELL_SEPARATORS.split(text):
            inner = path_of(_trim(word))
            if inner is not None:
                yield from _path_mentions(inner.path, inner.symbol, sure=inner.sure)


def _code_mentions(text: str) -> Iterator[tuple[int, Mention]]:
    """Search fenced code for sure paths and for names that may be symbols of the workspace."""
    differs = _DIFF_HEADER.search(text) is not None
    rest = text
    if len(text) < 4_000:
        rest = _blank_out(rest, (mark.span for mark in urls(rest)))
    rest = _blank_out(rest, emails(rest))
    for word in _WORD.finditer(rest):
        raw = _trim(word[0])
        if differs and raw[:2] in ("a/", "b/"):
            raw = raw[2:]
        for part in _SHELL_SEPARATORS.split(raw):
            named = path_of(part)
            if named is not None and ("/" in part or named.sure):
                yield from (
                    (word.start(), mention) for mention in _path_mentions(named.path, named.symbol, sure=named.sure)
                )
            elif (symbol := _bare_symbol(_trim(part))) is not None:
                yield word.start(), symbol


def _word_mentions(raw: str) -> Iterator[Mention]:
    word = _trim(raw)
    if len(word) < 3 or _is_plain(word):
        return
    named = path_of(word)
    if named is not None:
        yield from _path_mentions(named.path, named.symbol, sure=named.sure)
        if named.sure or "/" in named.path:
            return
    symbol = _bare_symbol(word)
    if symbol is not None:
        yield symbol


def _path_mentions(path: str, symbol: str | None, *, sure: bool) -> Iterator[Mention]:
    if symbol is None:
        yield Mention("path", path, path=path, sure=sure)
    else:
        yield Mention("symbol", f"{path}::{symbol}", path=path, symbol=symbol, sure=sure)


def _trim(word: str) -> str:
    """Strip brackets, emphasis and punctuation around a word, except brackets that the word itself opens."""
    start, end = 0, len(word)
    while start < end and word[start] in _OPENERS and word[start : start + 2] not in ("__",):
        start += 1
    while end > start and word[end - 1] in _CLOSERS:
        last = word[end - 1]
        if last in _PAIRS and word.count(_PAIRS[last], start, end) >= word.count(last, start, end):
            break
        end -= 1
    return word[start:end]


def _blank_out(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Replace the spans by blanks, so that the rest of the text keeps its position."""
    if not (places := sorted(spans)):
        return text
    pieces: list[str] = []
    offset = 0
    for start, end in places:
        if start < offset:
            continue
        pieces += [text[offset:start], " " * (end - start)]
        offset = end
    pieces.append(text[offset:])
    return "".join(pieces)


def _quoted_symbol(span: str) -> Mention | None:
    """Return the symbol that a span in backticks names as a whole; None for a command, a value or a word."""
    text = span.strip()
    if not text or len(text) > 300:
        return None
    declared = _DECLARATION.match(text)
    if declared is not None:
        return _symbol_mention(declared[1].rstrip(".:"), called=True)
    called = _CALL.match(text)
    name = called[1] if called else text
    if not _DOTTED.match(name):
        return None
    return _symbol_mention(name, called=called is not None or text[-1] in "?!")  # `save!` is a method


def _bare_symbol(word: str) -> Mention | None:
    """Return the symbol that a word of prose may be: CamelCase, snake_case, a call or a dotted call; never sure."""
    called = word.endswith("()")
    name = word.removesuffix("()")
    if (len(name) < 3 and not called) or len(name) > 200 or not _DOTTED.match(name):
        return None
    shaped = _CAMEL.fullmatch(name) or _SNAKE.fullmatch(name) or "." in name or "::" in name or re.search("->|#", name)
    symbol = _symbol_mention(name, called=called) if shaped or called else None
    return None if symbol is None else replace(symbol, sure=False)


def _symbol_mention(name: str, *, called: bool) -> Mention | None:
    dotted = re.sub(r"::|#|->", ".", name).rstrip("?!")
    parts = dotted.removeprefix("self.").removeprefix("this.").split(".")
    first, last = parts[0], parts[-1]
    if (
        first in _SYMBOL_WORDS["builtins"]
        or (last.lower() in _SYMBOL_WORDS["keywords"] and not called)
        or dotted.lower() in _SYMBOL_WORDS["conventions"]
    ):
        return None
    if (
        len(parts) == 1 and (last.lower() in _SYMBOL_WORDS["products"] or last in _SYMBOL_WORDS["keywords"])
    ) or _HOST.match(dotted):
        return None
    if re.fullmatch(r"v?\d.*", last):
        return None
    bare = ".".join(parts)
    if called or dotted != bare or len(parts) > 1:
        return Mention("symbol", bare, symbol=bare)
    if _UPPER_CASE.match(last):
        return Mention("symbol", last, symbol=last, sure=False) if "_" in last or len(last) > 3 else None
    return Mention("symbol", last, symbol=last, sure=bool(_CAMEL.fullmatch(last) or _SNAKE.fullmatch(last)))
