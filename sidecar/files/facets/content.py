"""A file's content as seen by facets: the identifiers in it, and those it defines."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sidecar.files.words import unpack
from sidecar.runtime.made_once import made_once
from sidecar.store.records import ContentRecord, SymbolRecord, every_symbol
from sidecar.text.lazy_patterns import lazy

_NAME: Final = lazy(r"[^\W\d]\w*|\$\w+|_+[^\W_]\w*")
# The hyphen comes first: searching for one is fast, and most words have none.
_HYPHENED: Final = lazy(r"(?<=\w)-(?=\w)|--(?=[A-Za-z])")
_WITH_HYPHENS: Final = lazy(r"(?:--)?[A-Za-z]\w{0,63}(?:-\w{1,63}){0,8}")
_SHAPED: Final = lazy(r"\w*_\w*|\w*[a-z0-9][A-Z]\w*|\w*[A-Z]{2,}\w*|\w*[A-Za-z]\d\w*|\$\w+")
_CODE_SPAN: Final = lazy(r"`([^`\n]{1,200})`")
_FENCE: Final = lazy(r"^[ \t]*(?:```|~~~)[^\n]*\n(.*?)^[ \t]*(?:```|~~~)", re.MULTILINE | re.DOTALL)
_ASSIGNED: Final = lazy(
    r"^[ \t]*(?:(?:export|const|let|var|val|static|final|public|private|protected|readonly|local|pub"
    r"|mut|my|def|fn|func"
    r"|function|class|type|struct|enum|interface|trait|module|async|default|abstract"
    r"|@?property)[ \t]+){0,4}"
    r"(?:self\.|this\.|@|\$|cls\.|#define[ \t]+)?([^\W\d][\w-]*)[ \t]*(?::[^=\n]{0,120})?(?:=(?!=)|:="
    r"|:(?=[ \t]|$)|\()",
    re.MULTILINE,
)
_IMPORT: Final = lazy(
    r"^[ \t]*(?:from[ \t]+\S+[ \t]+import[ \t]*(?:\([^()]*\)|[^\n]*)|import[ \t]*(?:type[ \t]*)?\{[^{}]*\}"
    r"|import[ \t(][^\n]*|(?:pub[ \t]+)?use[ \t]+[\w:]+(?:\{[^{}]*\})?[^\n]*|using[ \t][^\n]*"
    r"|#[ \t]*include[ \t][^\n]*|require[ \t(][^\n]*)",
    re.MULTILINE,
)
MAX_NAME: Final = 100  # maximum length of a name; a longer run of letters is data
PROSE: Final = frozenset("markdown restructuredtext rst text asciidoc html".split())
"""Languages whose plain words are not identifiers."""


@dataclass(frozen=True)
class Content:
    """One content of a file: its `path` (relative POSIX), decoded text, and the outline's record."""

    path: str
    text: str
    record: ContentRecord

    @made_once
    def words(self) -> frozenset[str]:
        """All words that could be names, including those in comments and strings."""
        return frozenset(word for word in _NAME.findall(self.text) if len(word) <= MAX_NAME)

    @made_once
    def imported(self) -> frozenset[str]:
        """The words of import statements, whose meaning is defined elsewhere."""
        return frozenset(word for line in _IMPORT.findall(self.text) for word in _NAME.findall(line))

    @made_once
    def identifiers(self) -> frozenset[str]:
        """All identifiers, as written.

        In code, words in strings count if shaped like an identifier, plain words in comments do not; in prose only
        shaped words and text marked as code count.
        """
        if self.record.language in PROSE:
            marked = " ".join((*_CODE_SPAN.findall(self.text), *_FENCE.findall(self.text)))
            words = set(_NAME.findall(marked))
            words.update(filter(_SHAPED.fullmatch, self.words))
        else:
            words = set(self.words)
            code = self._words_of_code
            if code:
                words = {word for word in words if word in code or len(word) < 2 or _SHAPED.fullmatch(word)}
        words.update(_hyphenated(self.text))
        return frozenset(words)

    @made_once
    def defined(self) -> frozenset[str]:
        """The identifiers that the file defines: symbols and members, assigned names, keys."""
        names = {part for symbol in self.symbols for part in _NAME.findall(symbol.name)}
        if self.record.language not in PROSE:  # names assigned in a document's examples are defined elsewhere
            names.update(_ASSIGNED.findall(self.text))
        return frozenset(names & self.identifiers)

    @made_once
    def symbols(self) -> tuple[SymbolRecord, ...]:
        return tuple(every_symbol(self.record.symbols))

    @made_once
    def names(self) -> frozenset[str]:
        return frozenset(symbol.name.rpartition(".")[2] for symbol in self.symbols)

    @made_once
    def _words_of_code(self) -> frozenset[str]:
        try:
            return frozenset(word for word, _, in_code in unpack(self.record.words) if in_code)
        except ValueError:
            return frozenset()


def _hyphenated(text: str) -> Iterable[str]:
    """Yield hyphenated names and long options: `fetch-depth`, `--no-cache`."""
    end = 0
    for hyphen in _HYPHENED.finditer(text):
        at = hyphen.start()
        if at < end:
            continue
        while at and at > hyphen.start() - MAX_NAME and (text[at - 1].isalnum() or text[at - 1] == "_"):
            at -= 1
        if name := _WITH_HYPHENS.match(text, at):
            end = name.end()
            yield name[0]


def is_shaped(word: str) -> bool:
    """Return whether a word by itself looks like an identifier: `max_age`, `parseHeader`, `HTTP2`, not `load`."""
    return _SHAPED.fullmatch(word) is not None
