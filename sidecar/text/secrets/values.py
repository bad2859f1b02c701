"""Judge values: a password or a generated key, or else a placeholder, a name, a reference or a path."""

from __future__ import annotations

import math
import re
from collections import Counter

from sidecar.text.lazy_patterns import lazy
from sidecar.text.word_lists import word_lines

_RANDOM, _VERY_RANDOM = 3.3, 4.2  # bits per character: hex digits have 3.3 to 4, base64 above 4

_PLACEHOLDER = lazy(
    r"x{4,}|\*{3,}|\.{3,}|example|your[-_]?|placeholder|change[-_]?me|redacted|dummy|insert|replace|sample"
    r"|0{8,}|1234567890|abcdefgh|<[^>]*>|\$\{|\$\(|\{\{|%\(|%[sd](?!\w)|%\{|\{[A-Za-z_.]*\}",
    re.IGNORECASE,
)
# In a published format, only what no generator makes: a long key contains any four letters somewhere.
_PLACEHOLDER_KEY = lazy(
    r"x{5,}|X{5,}|\*{3,}|\.{3,}|EXAMPLE|(?<![a-z])(?:example|placeholder|redacted|your[-_])|0{8,}|\$?\{"
)
# Keys typed along the keyboard: a person who makes one up types this. No manual needs it legible, and it may be in use.
_TYPED_KEY = lazy(r"1234567890|abcdefgh", re.IGNORECASE)
_PLAIN_WORDS = word_lines("words.txt")["plain"]
_UUID = lazy(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
# What names another place instead of being a secret: variables, calls, attributes, addresses, paths.
_REFERENCE = lazy(
    r"\$[A-Za-z_]+[0-9]?$|[$%@]?[({<\[]|[&*@][A-Za-z_.>-]+$|%[a-z]$"
    r"|(?:os|sys|self|process|env|this|config|settings|args|request|ctx|var|local|data|module)[.\[]"
    r"|!!|[A-Z][A-Za-z]+![\])]*:?$|\$\w+[:/.]|(?:sha|md)\d+[:-]|[a-z]{2,10}://|[\w.]+[(\[]|\w+->\w|\\"
)
_PATH = lazy(r"[.~]?/|[\w.-]+/[\w.-]+/|\.\.?$|[A-Za-z]:\\")
_RUN = lazy(r"[A-Za-z0-9_-]+")
# Times and machine addresses also have digits throughout.
_WRITTEN = lazy(r"\d{4}-\d\d-\d\d(?:T|$)|\d{1,3}(?:\.\d{1,3}){3}(?![\w-])|\w+:\?")
_COUNTS = lazy(r"1234|3456|5678|9876|abcd|cdef|0000|1111|2222|aaaa|ffff", re.IGNORECASE)
_SOLID = lazy(r"[A-Za-z0-9]+")
_DIGIT_GROUP = lazy(r"[0-9]+")
_WORD_RUN = lazy(r"[A-Z][a-z]{2,}|[a-z]{3,}|[A-Z]{4,}")
_DOTTED_NAME = lazy(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


def is_password(value: str) -> bool:
    """Return whether a value looks chosen or generated, and not like a name, a reference or a placeholder."""
    if not 8 <= len(value) <= 256 or any(map(str.isspace, value)):
        return False
    if value.casefold() in _PLAIN_WORDS or _PLACEHOLDER.search(value) or _UUID.fullmatch(value):
        return False
    if _REFERENCE.match(value) or len(set(value)) < 5:
        return False
    if (_PATH.match(value) or _DOTTED_NAME.fullmatch(value)) and entropy(value) < _VERY_RANDOM:
        return False
    letters = any(map(str.isalpha, value))
    if not letters or not any(map(str.isdigit, value)):
        return letters and any(char in "!@#$%^&*" for char in value.strip("!*")[1:]) and value.isprintable()
    # Match snake_case, dotted and hyphenated names, perhaps with a digit at the end.
    return not re.fullmatch(r"[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?[0-9]?(?:[-_.][A-Za-z]+)*", value)


def is_url_password(value: str) -> bool:
    """Return whether the text between a name and the @ of an address is a password, not the word or a variable."""
    if value.casefold() in _PLAIN_WORDS or len(set(value)) <= 2:
        return False
    return not (_PLACEHOLDER.search(value) or _REFERENCE.match(value))


def is_key(value: str) -> bool:
    """Return whether a value in the form of a published key looks generated."""
    longest = max(_RUN.findall(value), key=len, default="")
    return not is_placeholder_key(value) and (_is_mixed(longest, 10) or bool(_TYPED_KEY.search(longest)))


def is_placeholder_key(value: str) -> bool:
    """Return whether a value in the form of a published key was written by hand, for a manual or a form."""
    return bool(_PLACEHOLDER_KEY.search(value)) or len(set(value)) < 8


def is_generated(value: str, run: int) -> bool:
    """Return whether a value is random enough for a token, with a digit or a change of case in `run` characters."""
    reference = _UUID.fullmatch(value) or _PLACEHOLDER.search(value) or _REFERENCE.match(value)
    if reference or ((_PATH.match(value) or _DOTTED_NAME.fullmatch(value)) and entropy(value) < _VERY_RANDOM):
        return False
    return entropy(value) >= _RANDOM and _is_mixed(value, run)


def is_random(value: str, least: int) -> bool:
    """Return whether a value of at least `least` characters is surely generated: digits or capitals throughout."""
    if not least <= len(value) <= 4096 or _PLACEHOLDER.search(value) or _REFERENCE.match(value):
        return False
    named = _PATH.match(value) or _DOTTED_NAME.fullmatch(value)
    if _UUID.fullmatch(value) or _WRITTEN.match(value) or (named and entropy(value) < _VERY_RANDOM):
        return False
    longest = max(_SOLID.findall(value), key=len, default="")
    if (len(longest) < 8 and entropy(value) < 3.8) or entropy(value) < 3 or not any(map(str.isalpha, longest)):
        return False
    evidence = len(_DIGIT_GROUP.findall(value)) + sum(map(_turns_up, value, value[1:]))
    return evidence >= max(3, len(value) / 8) and sum(map(len, _WORD_RUN.findall(value))) < 0.8 * len(value)


def is_uuid(value: str) -> bool:
    """Return True for a UUID whose digits do not merely count up."""
    return bool(_UUID.fullmatch(value)) and not _COUNTS.search(value) and len(set(value)) > 10


def _is_mixed(value: str, length: int) -> bool:
    """Return whether a value has a digit or a change of case every `length` characters, more often than a name has."""
    return any(map(str.isdigit, value)) or sum(map(_turns_up, value, value[1:])) * length >= len(value)


def _turns_up(before: str, char: str) -> bool:
    return before.islower() and char.isupper()


def entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
