"""The identifiers that a sentence names, and those that occur in a content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.files.facets.content import WORDS, Content, is_shaped
from sidecar.text.lazy_patterns import patterns
from sidecar.text.words import STOP_WORDS

TRIVIAL_WORDS: Final = WORDS["trivial"]
_PATTERNS: Final = patterns(Path(__file__), "grounding")
MIN_SINGLE_WORDS: Final = 2  # that name something, in a sentence without a pair that does
_LATIN_ABBREVIATIONS: Final = frozenset(("e.g", "i.e", "E.g", "I.e", "a.k.a", "w.r.t", "vs", "etc"))


class MentionedName(NamedTuple):
    """An identifier in a sentence, without call brackets. `quoted`: it stood in backticks."""

    text: str
    start: int
    end: int
    quoted: bool


def mentions_in(sentence: str) -> list[MentionedName]:
    """Return the identifiers in a sentence, in order. Without backticks, only words shaped like identifiers count."""
    names: list[MentionedName] = []
    covered: list[tuple[int, int]] = []
    for span in _PATTERNS["span"].finditer(sentence):
        covered.append(span.span())
        inner = span[2].strip()
        if _PATTERNS["path"].fullmatch(inner):
            continue
        head = inner.split("(", 1)[0] if re.match(r"[\w.$:>-]+\(", inner) else inner
        for word in _PATTERNS["dotted"].finditer(head if " " not in head else inner):
            name = word[0].strip("-") if not word[0].startswith("--") else word[0]
            if name and not name[0].isdigit():
                names.append(MentionedName(name, span.start(), span.end(), True))
    at = 0
    for word in _PATTERNS["bare"].finditer(sentence):
        while at < len(covered) and covered[at][1] <= word.start():
            at += 1
        if at < len(covered) and covered[at][0] < word.end():
            continue
        if _PATTERNS["path"].fullmatch(word[0]) or word[0] in _LATIN_ABBREVIATIONS:
            continue
        if word[2] or (is_shaped(word[1]) and not _is_prose(word[1])) or _PATTERNS["separator"].search(word[1]):
            names.append(MentionedName(word[1], word.start(), word.end(), False))
    return sorted(names, key=lambda name: name.start)


def occurring_names(sentence: str, content: Content) -> list[MentionedName]:
    """Return the identifiers of a sentence that occur in the content, spelled as they are there."""
    grounded: dict[str, MentionedName] = {}
    for names in ((*mentions_in(sentence), *_capitalised(sentence, content)), _as_likely_prose(sentence)):
        if grounded:
            break
        for name in names:
            occurring = form_in_content(name.text, content)
            if occurring is not None and occurring not in grounded:
                grounded[occurring] = name._replace(text=occurring)
    return sorted(grounded.values(), key=lambda name: name.start)


def form_in_content(name: str, content: Content) -> str | None:
    """Return a name as the content has it, whole or by its last part; None for a missing or common name."""
    parts = [part for part in _PATTERNS["separator"].split(_bare(name)) if part]
    if len(parts) > 1 and parts[0] in ("self", "this", "cls", "super"):
        parts = parts[1:]
    if not parts or parts[-1] not in content.identifiers:
        return None
    last = parts[-1]
    if len(parts) > 1:
        owner = parts[-2]
        stem = content.path.rpartition("/")[2].partition(".")[0]
        if owner in content.identifiers or owner == stem:
            return (
                None
                if _trivial(last, content) and _trivial(owner, content)
                else ".".join(parts[-2:])
                if (owner in content.identifiers)
                else last
            )
        is_defined = last in content.defined and not owner[:1].isupper() and not _trivial(last, content)
        return last if is_defined else None
    return None if _trivial(last, content) else last


def occurs(name: str, content: Content) -> bool:
    """Return whether the last part of a name occurs anywhere in the content, including comments."""
    parts = [part for part in _PATTERNS["separator"].split(_bare(name)) if part]
    if len(parts) > 1 and parts[-2][:1].isupper() and parts[-2] not in content.words:
        return False  # a member of the same name in another class
    return bool(parts) and (parts[-1] in content.words or parts[-1] in content.identifiers)


def defines(name: str, content: Content) -> bool:
    """Return whether the content defines a name, or the owner or member of a dotted name."""
    return any(part in content.defined for part in _PATTERNS["separator"].split(_bare(name)))


def imports(name: str, content: Content) -> bool:
    """Return whether the content imports a name and defines no part of it."""
    return _PATTERNS["separator"].split(_bare(name))[0] in content.imported and not defines(name, content)


def other_paths(sentence: str, content: Content) -> list[str]:
    """Return the paths and file names in the sentence that refer to other files."""
    own_path = content.path
    return [
        path[0]
        for path in _PATTERNS["path"].finditer(sentence)
        if not f"/{own_path}".endswith("/" + path[0].removeprefix("./")) and not path[0].endswith("/" + own_path)
    ]


def _bare(name: str) -> str:
    return name.rstrip("?!").lstrip("@")


def _trivial(word: str, content: Content) -> bool:
    low = word.lower()
    if (low in WORDS["own"] or word != low) and word in content.names:
        return False
    return low in TRIVIAL_WORDS or low in STOP_WORDS or len(word.strip("_")) < 2


def _capitalised(sentence: str, content: Content) -> Iterator[MentionedName]:
    """Yield capitalised words inside a sentence that the content defines: `... every Blueprint ...`."""
    for word in _PATTERNS["words"].finditer(_without_spans(sentence)):
        if word.start() and _PATTERNS["capital"].fullmatch(word[0]) and word[0] in content.defined:
            yield MentionedName(word[0], word.start(), word.end(), False)


def _as_likely_prose(sentence: str) -> Iterator[MentionedName]:
    """Yield words that may be prose: hyphenated ones, `auth-pass`, and capitals, `POST`."""
    for word in _PATTERNS["words"].finditer(_without_spans(sentence)):
        if "-" in word[0] or (word[0].isupper() and len(word[0]) > 2):
            yield MentionedName(word[0], word.start(), word.end(), False)


def telling_words(sentence: str, content: Content) -> list[MentionedName]:
    """Return two or more words of a sentence that occur in the content and are not common.

    Two words that form an identifier, `request timeout` for `requestTimeout`, are enough. If the content has no
    outline, words outside code count as well.
    """
    identifiers = content.identifiers if content.record.symbols else content.words | content.identifiers
    joined = {name.replace("_", "").replace("-", "").lower(): name for name in sorted(identifiers) if is_shaped(name)}
    by_word = {name.lower(): name for name in sorted(identifiers)}
    matches: dict[str, MentionedName] = {}
    pairs = False
    before: re.Match[str] | None = None
    for word in _PATTERNS["words"].finditer(_without_spans(sentence)):
        low = word[0].lower()
        both = joined.get(before[0].lower() + low) if before is not None else None
        if before is not None and both is not None:
            pairs = True
            matches.setdefault(both, MentionedName(both, before.start(), word.end(), False))
        elif len(low) > 3 and not _trivial(low, content):
            name = by_word.get(low) or by_word.get(low + "s") or by_word.get(low.removesuffix("s"))
            if name is not None:
                matches.setdefault(name, MentionedName(name, word.start(), word.end(), False))
        before = word
    return list(matches.values()) if pairs or len(matches) >= MIN_SINGLE_WORDS else []


def own_name(sentence: str, content: Content) -> list[MentionedName]:
    name = content.path.rpartition("/")[2]
    at = sentence.find(name)
    return [MentionedName(name, at, at + len(name), False)] if at >= 0 else []


def _without_spans(sentence: str) -> str:
    return _PATTERNS["span"].sub(lambda match: " " * len(match[0]), sentence)


def _is_prose(word: str) -> bool:
    return (word.isupper() and "_" not in word and len(word) <= 5) or word.lower() in WORDS["products"]
