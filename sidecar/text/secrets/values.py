"""Decide whether a value is a password or a generated key rather than a placeholder, a name, a reference or a path."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path

from sidecar.text.lazy_patterns import patterns
from sidecar.text.word_lists import word_lines

_PATTERNS = patterns(Path(__file__), "values")
# Bits per character: hex digits have 3.3 to 4, base64 has more than 4.
_RANDOM_ENTROPY_BITS, _VERY_RANDOM_ENTROPY_BITS = 3.3, 4.2

_PLAIN_WORDS = word_lines("words.txt")["plain"]


def is_password(value: str) -> bool:
    """Return whether a value looks chosen or generated, not like a name, a reference or a placeholder."""
    if not 8 <= len(value) <= 256 or any(map(str.isspace, value)):
        return False
    if value.casefold() in _PLAIN_WORDS or _PATTERNS["placeholder"].search(value) or _PATTERNS["uuid"].fullmatch(value):
        return False
    if _PATTERNS["reference"].match(value) or len(set(value)) < 5 or _is_path_or_name(value):
        return False
    letters = any(map(str.isalpha, value))
    if not letters or not any(map(str.isdigit, value)):
        return letters and any(char in "!@#$%^&*" for char in value.strip("!*")[1:]) and value.isprintable()
    # Match snake_case, dotted and hyphenated names, perhaps with a digit at the end.
    return not re.fullmatch(r"[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?[0-9]?(?:[-_.][A-Za-z]+)*", value)


def is_url_password(value: str) -> bool:
    """Return whether the text before the @ of an address is a password, not the word "password" or a variable."""
    if value.casefold() in _PLAIN_WORDS or len(set(value)) <= 2:
        return False
    return not (_PATTERNS["placeholder"].search(value) or _PATTERNS["reference"].match(value))


def is_key(value: str) -> bool:
    """Return whether a value in the form of a published key looks generated."""
    longest = max(_PATTERNS["run"].findall(value), key=len, default="")
    return not is_placeholder_key(value) and (_is_mixed(longest, 10) or bool(_PATTERNS["typed_key"].search(longest)))


def is_placeholder_key(value: str) -> bool:
    """Return whether a value in the form of a published key is an example written by hand."""
    return bool(_PATTERNS["placeholder_key"].search(value)) or len(set(value)) < 8


def is_generated(value: str, run: int) -> bool:
    """Return whether a value is random enough for a token and has a digit or change of case in `run` characters."""
    if (
        _PATTERNS["uuid"].fullmatch(value)
        or _PATTERNS["placeholder"].search(value)
        or _PATTERNS["reference"].match(value)
    ):
        return False
    return not _is_path_or_name(value) and entropy(value) >= _RANDOM_ENTROPY_BITS and _is_mixed(value, run)


def is_random(value: str, min_length: int) -> bool:
    """Return whether a value of `min_length` or more characters is surely generated: digits or capitals throughout."""
    if (
        not min_length <= len(value) <= 4096
        or _PATTERNS["placeholder"].search(value)
        or _PATTERNS["reference"].match(value)
    ):
        return False
    if _PATTERNS["uuid"].fullmatch(value) or _PATTERNS["written"].match(value) or _is_path_or_name(value):
        return False
    longest = max(_PATTERNS["solid"].findall(value), key=len, default="")
    if (len(longest) < 8 and entropy(value) < 3.8) or entropy(value) < 3 or not any(map(str.isalpha, longest)):
        return False
    evidence = len(_PATTERNS["digit_group"].findall(value)) + sum(map(_turns_up, value, value[1:]))
    return evidence >= max(3, len(value) / 8) and sum(map(len, _PATTERNS["word_run"].findall(value))) < 0.8 * len(value)


def _is_path_or_name(value: str) -> bool:
    named = _PATTERNS["path"].match(value) or _PATTERNS["dotted_name"].fullmatch(value)
    return named is not None and entropy(value) < _VERY_RANDOM_ENTROPY_BITS


def is_uuid(value: str) -> bool:
    """Return whether a value is a UUID whose digits do not merely count up."""
    return bool(_PATTERNS["uuid"].fullmatch(value)) and not _PATTERNS["counting"].search(value) and len(set(value)) > 10


def _is_mixed(value: str, length: int) -> bool:
    """Return whether a value has a digit or change of case every `length` characters, more often than a name has."""
    return any(map(str.isdigit, value)) or sum(map(_turns_up, value, value[1:])) * length >= len(value)


def _turns_up(before: str, char: str) -> bool:
    return before.islower() and char.isupper()


def entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
