"""Find secrets that both rule sets miss: in words, options, addresses, truncated blocks, or with unknown prefixes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from sidecar.text.lazy_patterns import patterns
from sidecar.text.secrets import names
from sidecar.text.secrets.kinds import PASSWORD, PASSWORD_IN_URL, PRIVATE_KEY, SECRET, SecretSpan
from sidecar.text.secrets.values import entropy, is_key, is_password, is_random, is_url_password, is_uuid

_PATTERNS = patterns(Path(__file__), "gaps")
# A longer text is searched in overlapping parts, since some patterns are quadratic.
_WINDOW_CHARS, _OVERLAP_CHARS = 16_000, 4_000

# For each format: the kind of secret, a string that the text must contain, and an expression.
_KEY_FORMATS = (
    ("Airtable token", "pat", re.compile(r"(?<![\w-])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![0-9a-f])")),
    ("OpenAI key", "sk-", re.compile(r"(?<![\w-])sk-(?:proj-)?[A-Za-z0-9]{32,}(?![\w-])")),
    ("Discord token", ".", re.compile(r"(?<![\w.-])[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])")),
    ("Discord webhook", "/api/webhooks/", re.compile(r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/([\w-]{60,})")),
)
# Bits per character that thirty characters of base64 reach, names and hex digits do not.
_PREFIXED_ENTROPY_BITS = 4.2
# Of random letters and digits, 10 in 62 are digits.
_MIN_DIGIT_SHARE = 0.05
_LOGIN_COMMANDS = ("mysql", "mariadb", "sshpass", "redis-cli", "login ")


def find(text: str, give_way: Callable[[], None]) -> Iterator[SecretSpan]:
    for match in _PATTERNS["key_block"].finditer(text):
        yield SecretSpan(*match.span(), PRIVATE_KEY)
    if "PuTTY-User-Key-File" in text:
        for match in _PATTERNS["putty_key"].finditer(text):
            yield SecretSpan(*match.span(), PRIVATE_KEY)
    for start in range(0, max(1, len(text) - _OVERLAP_CHARS), _WINDOW_CHARS - _OVERLAP_CHARS):
        give_way()
        for gap in _find_in_part(text[start : start + _WINDOW_CHARS]):
            yield gap._replace(start=start + gap.start, end=start + gap.end)


def _find_in_part(text: str) -> Iterator[SecretSpan]:
    if "://" in text and "@" in text:
        for match in _PATTERNS["in_url"].finditer(text):
            if is_url_password(match[1]):
                yield SecretSpan(*match.span(1), PASSWORD_IN_URL)
    for kind, literal, pattern in _KEY_FORMATS:
        for match in pattern.finditer(text) if literal in text else ():
            start, end = match.span(pattern.groups)
            if is_key(text[start:end]):
                yield SecretSpan(start, end, kind)
    for match in _PATTERNS["azure_signature"].finditer(text) if "sig=" in text else ():
        if is_key(match[1]):
            yield SecretSpan(*match.span(1), "Azure signature")
    for match in _PATTERNS["prefixed"].finditer(text):
        known = _PATTERNS["secret_prefix"].search(match["prefix"]) is not None
        if _is_generated_tail(match[2]) or (known and (is_random(match[2], 20) or is_uuid(match[2]))):
            yield SecretSpan(*match.span(), SECRET)
    for match in _PATTERNS["command"].finditer(text) if any(name in text for name in _LOGIN_COMMANDS) else ():
        start, end = match.span(1)
        end = start + len(text[start:end].rstrip(".!?):"))
        if is_password(text[start:end]):
            yield SecretSpan(start, end, PASSWORD, True)
    yield from names.find(text)


def _is_generated_tail(value: str) -> bool:
    """Return whether the value after a prefix is generated: all kinds of characters, evenly used, and no words."""
    if len(value) < 30 or not (digits := sum(map(str.isdigit, value))):
        return False
    digits *= 1 + is_random(value, 30)
    classes = digits >= _MIN_DIGIT_SHARE * len(value) and any(map(str.islower, value)) and any(map(str.isupper, value))
    return classes and entropy(value) >= _PREFIXED_ENTROPY_BITS and not _PATTERNS["word"].search(value)
