"""Find secrets in a text and put a visible mark in their place.

Detection is detect-secrets' (its published formats and its secret-sounding names), with the formats it lacks in
`secret_formats.py`. What is here judges its finds: placeholders, examples, hashes and pieces of longer strings are
no secrets; a find grows to the whole token, a private key to its whole block.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sidecar.text.secret_values import is_generated, is_key, is_password, is_placeholder_key, is_url_password

if TYPE_CHECKING:
    from detect_secrets.plugins.keyword import KeywordDetector

    from sidecar.text.secret_formats import Detector


@dataclass(frozen=True)
class Finding:
    """How many secrets of a kind were taken out. Never the secret."""

    kind: str
    count: int


class _Span(NamedTuple):
    start: int
    end: int
    kind: str


_PRIVATE_KEY = "private key"
_PASSWORD = "password"  # noqa: S105  a kind, not a password
_TOKEN = "token"  # noqa: S105
_MOST_PASSES = 10
_MOST_ON_A_LINE = 8
# Longer lines are looked at in overlapping windows: some of the patterns are quadratic.
_WINDOW, _OVERLAP = 16_000, 4_000
_NAMES_WINDOW, _NAMES_OVERLAP = 600, 200
_MOST_NAMES = 12

_WORTH_A_LOOK = re.compile(
    r"[A-Za-z0-9_+/=-]{16}|://|pass|pwd|secret|contrase|key|token|credential|bearer", re.IGNORECASE
)
_KEY_BLOCK = re.compile(
    r"-----BEGIN (?P<label>[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----"
    r"(?P<head>(?:\s|\\+[nr]|[\"'+,>|])*(?:[A-Za-z-]{4,20}: [^\n\\]{0,200}(?:\s|\\+[nr])+)*)"
    r"[A-Za-z0-9+/=]{32}(?:[A-Za-z0-9+/=\s\"',>|-]|\\+[nr])*?"
    r"(?:-----END (?P=label)-----|(?=[^A-Za-z0-9+/=\s\"',>|\\-])|\Z)"
)
_PUTTY_KEY = re.compile(r"PuTTY-User-Key-File-[23]: (?:.*\n){0,200}?Private-MAC: *[0-9a-f]+")
_REST_OF_TOKEN = re.compile(r"[A-Za-z0-9_-]*=*")
_REST_OF_DOTTED = re.compile(r"[A-Za-z0-9_-]*(?:[.=]+[A-Za-z0-9_-]+)*=*")
_DOTTED_KINDS = frozenset(("JSON Web Token", "GitLab token", "Google OAuth token"))
# Formats with little of their own: not in the middle of a longer run of letters and digits.
_WEAK_KINDS = frozenset(("AWS access key", "Twilio key", "Mailchimp key", "Mailgun key", "Telegram token"))
# Signs around the secret that a pattern without groups takes along.
_AROUND, _AROUND_END = " \t\r\n\"'=:", " \t\r\n\"'"
_ESCAPE_BEFORE = re.compile(r"\\[abfnrtv]\Z")
_MARKED = re.compile(r"\[redacted: [A-Za-z ]{1,40}\]")

_ASSIGNMENT = re.compile(r"[=:(\"'`]| (?:is|was|to) |[Bb]earer|BEARER|[Bb]asic")
_NAME = re.compile(r"pass|pwd|secret|contrase|key|token", re.IGNORECASE)
_ENVIRONMENT_LINE = re.compile(r"\s*(?:export\s+|set\s+|-\s+)?[A-Z][A-Z0-9_]*=(\S+)\s*")
_END_OF_VALUE = re.compile(r"[\s;,&)}\]]")
_TOKEN_ASSIGNED = re.compile(
    r"(?:token|pass(?:phrase|code)|credentials?|[-_](?:pass|auth)|"
    r"(?:api|access|signing|encryption|master|session|shared|hmac|webhook)[-_]?(?:key|secret))"
    r"[\"'\]]{0,2}\s{0,4}(?::=|=>|[:=])\s{0,4}[\"'`]?([A-Za-z0-9_./+=~-]{16,256})(?![\w(\[./+=~-])",
    re.IGNORECASE,
)
# detect-secrets wants a letter or digit first.
_SIGN_FIRST = re.compile(
    r"(?:password|passwd|pwd|secret)\w*[\"'\]]{0,2}\s{0,4}(?::=|=>|[:=]{1,3})\s{0,4}([\"'])([^\w\s\"'][^\s\"']{7,128})\1",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\b(?:bearer|basic)\s+([A-Za-z0-9._~+/-]{20,}=*)", re.IGNORECASE)
_SAID = re.compile(
    r"\b(?:password|passwd|passphrase|pwd|passcode)\b[^\n:=\"'`]{0,20}?(?:\bis\b|\bwas\b|\bto\b|:)\s{0,4}[\"'`]?([^\s\"'`,;]{6,128})",
    re.IGNORECASE,
)


def redact(text: str) -> tuple[str, list[Finding]]:
    """The text with every secret replaced by `[redacted: KIND]`, and what was found, by kind in alphabetical order.

    `redact(redact(text)[0])[0] == redact(text)[0]`. Nothing found: the text itself and an empty list.
    """
    counts: Counter[str] = Counter()
    for _ in range(_MOST_PASSES):
        spans = _spans(text)
        if not spans:
            break
        parts: list[str] = []
        at = 0
        for start, end, kind in spans:
            parts += (text[at:start], f"[redacted: {kind}]")
            counts[kind] += 1
            at = end
        text = "".join((*parts, text[at:]))
    return text, [Finding(kind, counts[kind]) for kind in sorted(counts)]


def _spans(text: str) -> list[_Span]:
    """Where the secrets are: ascending, without overlaps, none inside of a mark of an earlier pass."""
    if not _WORTH_A_LOOK.search(text):
        return []
    # The words of earlier marks ("password in URL") are not looked at, and what touches them stays.
    marks = [match.span() for match in _MARKED.finditer(text)] if "[redacted: " in text else []
    for start, end in marks:
        text = f"{text[:start]}{chr(0) * (end - start)}{text[end:]}"
    found = [_Span(*match.span(), _PRIVATE_KEY) for match in _KEY_BLOCK.finditer(text)]
    if "PuTTY-User-Key-File" in text:
        found += [_Span(*match.span(), _PRIVATE_KEY) for match in _PUTTY_KEY.finditer(text)]
    assigned: dict[str, str] = {}
    offset = 0
    for line in text.splitlines(keepends=True):
        for start, window in _windows(line, _WINDOW, _OVERLAP):
            for low, high, kind in _judge().published(window):
                found.append(_Span(offset + start + low, offset + start + high, kind))
        for _, window in _windows(line, _NAMES_WINDOW, _NAMES_OVERLAP):
            for kind, secret in _judge().assigned(window):
                assigned.setdefault(secret, kind)
        offset += len(line)
    for secret, kind in assigned.items():
        found += [_Span(*place, kind) for place in _everywhere(text, secret)]
    kept: list[_Span] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if any(start < span.end and span.start < end for start, end in marks):
            continue
        if kept and span.start < kept[-1].end:
            if span.end > kept[-1].end:
                kept[-1] = kept[-1]._replace(end=span.end)
            continue
        kept.append(span)
    return kept


def _windows(line: str, length: int, overlap: int) -> Iterator[tuple[int, str]]:
    """Overlapping parts of a line that are worth a look, each with its place."""
    for start in range(0, max(1, len(line) - overlap), length - overlap):
        window = line[start : start + length]
        if _WORTH_A_LOOK.search(window):
            yield start, window


@lru_cache(maxsize=1)
def _judge() -> _Judge:
    return _Judge()


class _Judge:
    """The detectors, made once; nothing in it changes, so threads can share it."""

    def __init__(self) -> None:
        from detect_secrets.plugins.jwt import JwtTokenDetector
        from detect_secrets.plugins.keyword import CONFIG_DENYLIST_REGEX_TO_GROUP, KeywordDetector

        from sidecar.text.secret_formats import PASSWORD_IN_URL, detectors

        self._detectors: list[Detector] = detectors()
        self._keywords: KeywordDetector = KeywordDetector()
        self._unquoted = CONFIG_DENYLIST_REGEX_TO_GROUP
        self._is_token = JwtTokenDetector.is_formally_valid
        self._in_url = PASSWORD_IN_URL

    def published(self, line: str) -> Iterator[_Span]:
        """Where a line has a secret of a published format."""
        for detector in self._detectors:
            if detector.needs not in line:
                continue
            for pattern in detector.denylist:
                for match in pattern.finditer(line):
                    span = self._published(line, match, detector.secret_type)
                    if span is not None:
                        yield span

    def _published(self, line: str, match: re.Match[str], kind: str) -> _Span | None:
        start, end = _secret_of(match, anything=kind == self._in_url)
        secret = line[start:end]
        if kind == self._in_url:
            return _Span(start, end, kind) if is_url_password(secret) else None
        joined = start and line[start - 1].isalnum() and line[start].isalnum()
        if joined and not _ESCAPE_BEFORE.search(line, max(0, start - 2), start):
            return None  # a piece of something longer
        if kind in _WEAK_KINDS and end < len(line) and line[end].isalnum():
            return None
        if kind == "JSON Web Token" and not self._is_token(secret):
            return None
        if not (is_key(secret) if kind not in _WEAK_KINDS else not is_placeholder_key(secret)):
            return None
        rest = (_REST_OF_DOTTED if kind in _DOTTED_KINDS else _REST_OF_TOKEN).match(line, end)
        return _Span(start, rest.end() if rest is not None else end, kind)

    def assigned(self, line: str) -> Iterator[tuple[str, str]]:
        """The kind and value of what is given to secret-sounding names, and of passwords told in a sentence."""
        # Dozens of names side by side are no assignments, and detect-secrets is cubic in them.
        if not _ASSIGNMENT.search(line) or len(_NAME.findall(line)) > _MOST_NAMES:
            return
        environment = _ENVIRONMENT_LINE.fullmatch(line)
        for groups in (None, self._unquoted):
            rest = line
            for _ in range(_MOST_ON_A_LINE):
                values = list(self._keywords.analyze_string(rest, groups))
                past = len(rest)
                for value in values:
                    secret = value
                    if groups is not None and environment is not None:
                        secret = environment[1].strip("\"'")
                    elif groups is not None:
                        secret = _END_OF_VALUE.split(value, maxsplit=1)[0]
                    past = min(past, rest.find(value) + max(1, len(secret)))
                    if is_password(secret):
                        yield _PASSWORD, secret
                if not values:
                    break
                rest = rest[past:]
        for match in _SIGN_FIRST.finditer(line):
            if is_password(match[2]):
                yield _PASSWORD, match[2]
        for match in _SAID.finditer(line):
            secret = match[1].rstrip(".!?)")
            if is_password(secret):
                yield _PASSWORD, secret
        for pattern, run in ((_TOKEN_ASSIGNED, 4), (_BEARER, 6)):
            for match in pattern.finditer(line):
                if is_generated(match[1], run):
                    yield _TOKEN, match[1]


def _secret_of(match: re.Match[str], *, anything: bool) -> tuple[int, int]:
    """The span of the longest group, or of the whole match when its groups are but prefixes."""
    groups = range(1, match.re.groups + 1)
    longest = max(groups, key=lambda group: len(match[group] or ""), default=0)
    if longest and (anything or len(match[longest] or "") >= 16):
        return match.span(longest)
    whole = match[0]
    return match.start() + len(whole) - len(whole.lstrip(_AROUND)), match.start() + len(
        whole.rstrip(_AROUND_END)
    )


def _everywhere(text: str, secret: str) -> Iterator[tuple[int, int]]:
    """Every place of a secret that is not inside of a longer word."""
    at = text.find(secret)
    while at >= 0:
        end = at + len(secret)
        joined = (at and text[at - 1].isalnum() and secret[0].isalnum()) or (
            end < len(text) and text[end].isalnum() and secret[-1].isalnum()
        )
        if not joined or _ESCAPE_BEFORE.search(text, max(0, at - 2), at):
            yield at, end
        at = text.find(secret, end)
