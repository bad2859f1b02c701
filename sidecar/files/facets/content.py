"""The identifiers that a content contains, imports and defines. `admission` judges facets by them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sidecar.files.words import unpack
from sidecar.runtime.made_once import made_once
from sidecar.store.records import ContentRecord, SymbolRecord, every_symbol
from sidecar.text.lazy_patterns import patterns

_PATTERNS: Final = patterns(Path(__file__), "content")
WORDS: Final = {
    name: frozenset(words.split())
    for name, words in tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8")).items()
}
# A longer run of letters is data.
MAX_NAME_CHARS: Final = 100
PROSE_LANGUAGES: Final = frozenset("markdown restructuredtext rst text asciidoc html".split())


@dataclass(frozen=True)
class Content:
    """One content of a file."""

    path: str  # relative, POSIX
    text: str
    record: ContentRecord

    @made_once
    def words(self) -> frozenset[str]:
        """Return all words that could be names, also those in comments and strings."""
        return frozenset(word for word in _PATTERNS["name"].findall(self.text) if len(word) <= MAX_NAME_CHARS)

    @made_once
    def imported(self) -> frozenset[str]:
        """Return the words of import statements, whose meaning is defined elsewhere."""
        return frozenset(
            word for line in _PATTERNS["import"].findall(self.text) for word in _PATTERNS["name"].findall(line)
        )

    @made_once
    def identifiers(self) -> frozenset[str]:
        """Return all identifiers, as written.

        In code, words in strings count if they are shaped like an identifier; plain words in comments do not. In prose,
        only shaped words and text marked as code count.
        """
        if self.record.language in PROSE_LANGUAGES:
            marked = " ".join((*_PATTERNS["code_span"].findall(self.text), *_PATTERNS["fence"].findall(self.text)))
            words = set(_PATTERNS["name"].findall(marked))
            words.update(filter(_PATTERNS["shaped"].fullmatch, self.words))
        else:
            words = set(self.words)
            code = self._words_of_code
            if code:
                words = {word for word in words if word in code or len(word) < 2 or _PATTERNS["shaped"].fullmatch(word)}
        words.update(_hyphenated(self.text))
        return frozenset(words)

    @made_once
    def defined(self) -> frozenset[str]:
        """Return the identifiers that the file defines: symbols and members, assigned names, keys."""
        names = {part for symbol in self.symbols for part in _PATTERNS["name"].findall(symbol.name)}
        if self.record.language not in PROSE_LANGUAGES:  # names assigned in a document's examples are defined elsewhere
            names.update(_PATTERNS["assigned"].findall(self.text))
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
    for hyphen in _PATTERNS["hyphened"].finditer(text):
        at = hyphen.start()
        if at < end:
            continue
        while at and at > hyphen.start() - MAX_NAME_CHARS and (text[at - 1].isalnum() or text[at - 1] == "_"):
            at -= 1
        if name := _PATTERNS["with_hyphens"].match(text, at):
            end = name.end()
            yield name[0]


def is_shaped(word: str) -> bool:
    """Return whether a word by itself looks like an identifier: `max_age`, `parseHeader`, `HTTP2`, but not `load`."""
    return _PATTERNS["shaped"].fullmatch(word) is not None
