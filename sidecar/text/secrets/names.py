"""Find secrets by the name before or after them, in assignments, options, sentences, tables and markup.

Every name counts that contains a word for a secret. Then the value decides: a password may look chosen by a person, any
other secret must look generated.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sidecar.text.lazy_patterns import patterns
from sidecar.text.lookalikes import lower_in_place
from sidecar.text.secrets.kinds import PASSWORD, SECRET, SecretSpan
from sidecar.text.secrets.values import is_password, is_random, is_url_password, is_uuid

_PATTERNS = patterns(Path(__file__), "names")
_PASSWORD_NAMES = frozenset("password passwd passphrase passcode pass pwd contraseña".split())
# Words that count only alone or as a part of a name.
_WEAK_NAMES = frozenset("key pat auth private access".split())
# The least length of a generated value, by the kind of text between its name and the value.
_MIN_LENGTHS = {"assigned": 16, "in_sentence": 20, "adjacent": 20}
_MIN_OPTION_CHARS = 8
# The least length of a value directly after a common word.
_MIN_WEAK_CHARS = 20
_MAX_TABLE_ROWS = 200


class _SecretName(NamedTuple):
    """A name that a secret may follow."""

    start: int
    end: int
    password: bool
    strong: bool  # never used for anything else
    option: bool  # a flag of a command


def _named_secret(start: int, value: str, *, password: bool) -> SecretSpan:
    return SecretSpan(start, start + len(value), PASSWORD if password else SECRET, True)


def find(text: str) -> Iterator[SecretSpan]:
    for name in _names(text):
        values = (_value_after(text, name, joint) for joint in _MIN_LENGTHS)
        if (span := next(filter(None, values), None)) is not None:
            yield span
    for match in _PATTERNS["name_after"].finditer(text):
        before = _PATTERNS["value_before"].search(text, max(0, match.start() - 600), match.start())
        value = before[0].rstrip(".:!?").lstrip("/*#;-") if before is not None else ""
        if before is not None and (is_random(value, 16) or (match["password"] and is_password(value))):
            start = before.start() + before[0].index(value)
            yield _named_secret(start, value, password=bool(match["password"]))
    for match in _PATTERNS["passphrase"].finditer(text) if "passphrase" in text.lower() else ():
        yield _named_secret(match.start(2), match[2], password=True)
    yield from _in_tables(text)


def _names(text: str) -> Iterator[_SecretName]:
    folded = lower_in_place(text)
    for match in _PATTERNS["name"].finditer(folded):
        start, name = match.start(), match[0]
        password = name in _PASSWORD_NAMES
        strong = name not in _WEAK_NAMES or (
            name == "key" and _PATTERNS["strong_key"].search(folded, max(0, start - 16), start) is not None
        )
        inside = text[start - 1 : start].isalpha() and not text[start].isupper()  # monkey, compass
        goes_on = text[match.end() : match.end() + 1].islower()  # keyboard, author
        names_secret = name != "pass" or _PATTERNS["given"].match(text, match.end())
        if not names_secret or (not strong and (inside or goes_on)):
            continue
        rest = _PATTERNS["rest"].match(text, match.end())
        end = rest.end() if rest is not None else match.end()
        public = not password and _PATTERNS["public"].search(text, max(0, start - 16), start)
        if not public and not _PATTERNS["property"].search(text, start, end):
            option = _PATTERNS["option"].search(text, max(0, start - 40), start) is not None
            yield _SecretName(start, end, password, strong, option)


def _value_after(text: str, name: _SecretName, joint: str) -> SecretSpan | None:
    """Return the secret after a name, if only text of the kind `joint` is between them, else None."""
    between = _PATTERNS[joint].match(text, name.end)
    if between is None or "fingerprint" in between[0] or (joint == "assigned" and not between[0].strip()):
        return None
    quote = text[between.end() - 1]
    quoted = quote in "\"'`"
    match = _PATTERNS["quoted" if quoted else "bare"].match(text, between.end())
    if match is None or match[0][0] in "@.)}]":
        return None
    after = text[match.end() : match.end() + 1]
    if (quoted and after.isspace() and after != "\n") or after in ("(", "["):
        return None
    value = match[0].split("&")[0] if quote == "=" and not name.password else match[0]
    value = value.rstrip(".!?):,;*}\\")
    direct = joint == "assigned" or (joint == "adjacent" and name.option)
    if name.password and (direct or joint == "in_sentence"):
        in_words = _PATTERNS["quoted_in_words"].search(between[0]) is not None
        is_secret = is_password(value) or (in_words and is_url_password(value))
    else:
        length = _MIN_OPTION_CHARS if joint == "adjacent" and name.option else _MIN_LENGTHS[joint]
        is_part = text[name.start - 1 : name.start] in ("_", "-")
        is_secret = is_random(value, length if name.strong or not direct else _MIN_WEAK_CHARS) or (
            joint == "assigned" and is_uuid(value) and (name.strong or is_part)
        )
    return _named_secret(match.start(), value, password=name.password) if is_secret else None


def _in_tables(text: str) -> Iterator[SecretSpan]:
    """Yield cells below a heading such as password or token, in tables of Markdown, commas or tabs."""
    behind = 0
    for word in _PATTERNS["heading"].finditer(lower_in_place(text)):
        if word.start() < behind:
            continue
        start = text.rfind("\n", 0, word.start()) + 1
        row = _PATTERNS["row"].match(text, start)
        behind = _line_end(text, word.end())
        if row is None:
            continue
        sign = next(sign for sign in "|\t," if sign in row[0])
        cells = row[0].split(sign)
        plain = sign == "|" or all(_PATTERNS["plain"].fullmatch(cell.strip()) for cell in cells)
        names = [_PATTERNS["cell"].match(cell.strip()) if plain and len(cell) < 60 else None for cell in cells]
        for _ in range(_MAX_TABLE_ROWS - 1 if any(names) else 0):
            if behind >= len(text) or (row := _PATTERNS["row"].match(text, behind + 1)) is None:
                break
            start, behind = row.span()
            for name, cell in zip(names, row[0].split(sign), strict=False):
                value = cell.strip(" \t`\"'*")
                if name and (is_password(value) if name["password"] else is_random(value, 16)):
                    yield _named_secret(start + cell.index(value), value, password=bool(name["password"]))
                start += len(cell) + 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
