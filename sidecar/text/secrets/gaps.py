"""Secrets that neither rule set finds: given in words, options, addresses, truncated blocks or unknown prefixes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sidecar.text.lazy_patterns import lazy
from sidecar.text.secrets import names
from sidecar.text.secrets.kinds import PASSWORD, PASSWORD_IN_URL, PRIVATE_KEY, SECRET, SecretSpan
from sidecar.text.secrets.values import entropy, is_key, is_password, is_random, is_url_password, is_uuid

_WINDOW, _OVERLAP = 16_000, 4_000  # longer texts are searched in parts: some of the patterns are quadratic

_KEY_BLOCK = lazy(
    r"-----BEGIN (?P<label>[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----"
    r"(?P<head>(?:\s|\\+[nr]|[\"'+,>|])*(?:[A-Za-z-]{4,20}: [^\n\\]{0,200}(?:\s|\\+[nr])+)*)"
    r"[A-Za-z0-9+/=]{32}(?:[A-Za-z0-9+/=\s\"',>|-]|\\+[nr])*?"
    r"(?:-----END (?P=label)-----|(?=[^A-Za-z0-9+/=\s\"',>|\\-])|\Z)"
)
_PUTTY_KEY = lazy(r"PuTTY-User-Key-File-[23]: (?:.*\n){0,200}?Private-MAC: *[0-9a-f]+")
_IN_URL = lazy(r"://[^\s:/?#@\"'<>\[\]()`]{0,64}:([^\s/?#\"'<>\[\]()`]{3,128})@(?=[\w\[])")
_FORMATS = (  # each with a text that it must contain, which rules out most texts
    ("Airtable token", "pat", re.compile(r"(?<![\w-])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![0-9a-f])")),
    ("OpenAI key", "sk-", re.compile(r"(?<![\w-])sk-(?:proj-)?[A-Za-z0-9]{32,}(?![\w-])")),
    ("Discord token", ".", re.compile(r"(?<![\w.-])[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])")),
    ("Discord webhook", "/api/webhooks/", re.compile(r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/([\w-]{60,})")),
)
_AZURE_SIGNATURE = lazy(r"[?&]sig=([A-Za-z0-9%+/]{40,})")
# `figd_…`, `ya29.…`: not after a slash, where document identifiers are.
_PREFIXED = lazy(
    r"(?<![\w/.+%@-])(?P<prefix>(?!(?:sha|md|blake)\d)[A-Za-z][A-Za-z0-9]{1,11}(?:[_-][A-Za-z0-9]{1,7}){0,2}[_.-])([A-Za-z0-9_-]{20,512})"
    r"(?![\w(/+-]|\.\w)"
)
_SECRET_PREFIX = lazy(
    r"(?i:(?:\A|[_-])(?:\w*key|sk|tok|token|secret|\w*pat|api|sdk|live|prod|test|priv?|access|sess|auth|svc)(?=[_.-]))"
)
# Bits per character: base64 reaches it from some thirty characters on, names and hex digits do not.
_PREFIXED_ENTROPY = 4.2
# Share of digits. Among random letters and digits it is six of 62; this leaves room.
_DIGITS = 0.05
_WORD = lazy(r"[a-z]{9}|[A-Z]{9}|[A-Z]?[a-z]+[_-][A-Z]?[a-z]+[_-][A-Z]?[a-z]+")
# `mysql -pX`, `sshpass -p X`, `redis-cli -a X`, and a line of `.netrc`
_COMMAND = lazy(
    r"\b(?:(?:mysql(?:dump|admin)?|mariadb(?:-dump)?)\b[^\n|;&]{0,200}? -p|sshpass -p ?|redis-cli [^\n|;&]{0,200}?-a "
    r"|login \S{1,100} password )[\"']?([^\s\"'`<>$-][^\s\"'`<>]{7,127})"
)
_COMMANDS = ("mysql", "mariadb", "sshpass", "redis-cli", "login ")


def find(text: str, give_way: Callable[[], None]) -> Iterator[SecretSpan]:
    """Yield every match in no particular order; matches may overlap."""
    for match in _KEY_BLOCK.finditer(text):
        yield SecretSpan(*match.span(), PRIVATE_KEY)
    if "PuTTY-User-Key-File" in text:
        for match in _PUTTY_KEY.finditer(text):
            yield SecretSpan(*match.span(), PRIVATE_KEY)
    for start in range(0, max(1, len(text) - _OVERLAP), _WINDOW - _OVERLAP):
        give_way()
        for gap in _find_in_part(text[start : start + _WINDOW]):
            yield gap._replace(start=start + gap.start, end=start + gap.end)


def _find_in_part(text: str) -> Iterator[SecretSpan]:
    if "://" in text and "@" in text:
        for match in _IN_URL.finditer(text):
            if is_url_password(match[1]):
                yield SecretSpan(*match.span(1), PASSWORD_IN_URL)
    for kind, literal, pattern in _FORMATS:
        for match in pattern.finditer(text) if literal in text else ():
            start, end = match.span(pattern.groups)
            if is_key(text[start:end]):
                yield SecretSpan(start, end, kind)
    for match in _AZURE_SIGNATURE.finditer(text) if "sig=" in text else ():
        if is_key(match[1]):
            yield SecretSpan(*match.span(1), "Azure signature")
    for match in _PREFIXED.finditer(text):
        known = _SECRET_PREFIX.search(match["prefix"]) is not None
        if _is_tail(match[2]) or (known and (is_random(match[2], 20) or is_uuid(match[2]))):
            yield SecretSpan(*match.span(), SECRET)
    for match in _COMMAND.finditer(text) if any(name in text for name in _COMMANDS) else ():
        start, end = match.span(1)
        end = start + len(text[start:end].rstrip(".!?):"))
        if is_password(text[start:end]):
            yield SecretSpan(start, end, PASSWORD, True)
    yield from names.find(text)


def _is_tail(value: str) -> bool:
    """Return whether what follows a prefix is generated: all classes of characters, evenly used, and no words."""
    digits = sum(map(str.isdigit, value)) * (1 + is_random(value, 30))
    if len(value) < 30:
        return False
    classes = digits >= _DIGITS * len(value) and any(map(str.islower, value)) and any(map(str.isupper, value))
    return classes and entropy(value) >= _PREFIXED_ENTROPY and not _WORD.search(value)
