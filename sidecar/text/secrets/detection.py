"""Judge what the detectors find in a text, and replace the secrets with marks.

Two rule sets are maintained by others: redact-secret (a native library) and gitleaks (`rules.py`); `gaps.py` finds
secrets that both miss. A match is extended to the whole token, and a value found by its name is removed everywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from sidecar.text.lazy_patterns import lazy
from sidecar.text.secrets import gaps, kinds
from sidecar.text.secrets.kinds import SecretSpan
from sidecar.text.secrets.values import is_generated, is_key, is_password, is_placeholder_key, is_url_password

if TYPE_CHECKING:
    from sidecar.text.secrets.rules import RuleBook


class RemovedSecrets(msgspec.Struct, frozen=True):
    """How many secrets of one kind were removed; never a secret itself."""

    kind: str
    count: int


# A mark may uncover another match.
_MAX_PASSES = 10
# A generated token has a digit or a change of case within this many characters.
_MAX_UNMIXED_CHARS = 4

_SECRET_SIGNS = tuple("://|q~|pass|pwd|secret|contrase|key|token|credential|bearer|mysql|mariadb|redis-cli".split("|"))
_LONG_RUN = lazy(r"[A-Za-z0-9_+/=-]{16}", re.IGNORECASE)
_REST_OF_TOKEN = lazy(r"[A-Za-z0-9_-]*=*")
_REST_OF_DOTTED = lazy(r"[A-Za-z0-9_-]*(?:[.=]+[A-Za-z0-9_-]+)*=*")
_DOTTED_KINDS = frozenset(("JSON Web Token", "GitLab token", "Google OAuth token"))
# Kinds of secrets that may lack digits.
_UNMIXED = frozenset(("AWS access key",))
_ESCAPE_BEFORE = lazy(r"\\[abfnrtv]\Z")
_ENCODED_BEFORE = lazy(r"[A-Za-z0-9+/]{24}\Z")
_PASSWORD_BEFORE = lazy(r"pass|pwd", re.IGNORECASE)
# Matches `publicKeyToken =` and `did:key:`, which precede public values.
_BEFORE_PUBLIC_VALUE = lazy(r"did:key:\Z|public[\w.-]*[\"']?\s*[:=]", re.IGNORECASE)
# The name of a value is looked for in this many characters before it.
_NAME_CHARS = 40
_REDACTION_MARK = lazy(r"\[redacted: [A-Za-z0-9 ]{1,60}\]")


def redact(text: str, give_way: Callable[[], None]) -> tuple[str, list[RemovedSecrets]]:
    counts: Counter[str] = Counter()
    for _ in range(_MAX_PASSES):
        spans = _spans(text, give_way)
        if not spans:
            break
        parts: list[str] = []
        offset = 0
        for start, end, kind, _weak in spans:
            parts += (text[offset:start], f"[redacted: {kind}]")
            counts[kind] += 1
            offset = end
        text = "".join((*parts, text[offset:]))
    return text, [RemovedSecrets(kind, counts[kind]) for kind in sorted(counts)]


def remove_secrets_of(text: str, part: str) -> str:
    for start, end, kind, _weak in _spans(part, lambda: None):
        secret = part[start:end]
        mark = f"[redacted: {kind}]" + "\n" * secret.count("\n")
        places = list(_occurrences(text, secret))
        for offset, behind in reversed(places):
            text = text[:offset] + mark + text[behind:]
        if not places:
            text = text.replace(secret, mark)
    return text


def _spans(text: str, give_way: Callable[[], None]) -> list[SecretSpan]:
    """Return the spans of secrets in ascending order, without overlaps and outside the marks of an earlier pass."""
    folded = text.casefold()
    if not any(sign in folded for sign in _SECRET_SIGNS) and not _LONG_RUN.search(text):
        return []
    # Do not search earlier marks, which contain words like "password in URL", and drop matches that touch one.
    marks = [match.span() for match in _REDACTION_MARK.finditer(text)] if "[redacted: " in text else []
    for start, end in marks:
        text = f"{text[:start]}{chr(0) * (end - start)}{text[end:]}"
    spans = list(_find_secrets(text, give_way))
    for span in tuple(spans):
        if span.weak:
            found = _occurrences(text, text[span.start : span.end])
            spans += [SecretSpan(*bounds, span.kind, True) for bounds in found]
    merged: list[SecretSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end, span.weak, span.kind)):
        if any(start < span.end and span.start < end for start, end in marks):
            continue
        if not merged or span.start >= merged[-1].end:
            merged.append(span)
            continue
        kind, weak = (merged[-1] if merged[-1].weak <= span.weak else span)[2:]
        merged[-1] = SecretSpan(merged[-1].start, max(merged[-1].end, span.end), kind, weak)
    return merged


@cache
def _rules() -> RuleBook:
    """Return the rules, made once; they do not change, so threads can share them."""
    from sidecar.text.secrets.rules import RuleBook

    return RuleBook()


def _find_secrets(text: str, give_way: Callable[[], None]) -> Iterator[SecretSpan]:
    """Yield the spans of secrets; spans may overlap."""
    import redact_secret

    # The scanner refuses lone surrogates: replace each by one character, so that positions stay.
    for finding in redact_secret.scan(text.encode("utf-8", "replace").decode()):
        yield from _judge(text, finding.start, finding.end, finding.type)
    for rule in _rules().find(text, give_way):
        yield from _judge(text, rule.start, rule.end, rule.rule)
    yield from gaps.find(text, give_way)


def _judge(text: str, start: int, end: int, detector: str) -> Iterator[SecretSpan]:
    name = kinds.identifier(detector)
    value = text[start:end]
    if name in kinds.NAMED:
        before = text[max(0, start - _NAME_CHARS) : start].rpartition("\n")[2]
        if not _BEFORE_PUBLIC_VALUE.search(before) and (is_password(value) or is_generated(value, _MAX_UNMIXED_CHARS)):
            says_password = _PASSWORD_BEFORE.search(before)
            yield SecretSpan(start, end, kinds.PASSWORD if says_password else kinds.SECRET, True)
        return
    kind = kinds.label(name)
    if kind == kinds.PRIVATE_KEY:
        yield SecretSpan(start, end, kind)
    elif kind == kinds.PASSWORD_IN_URL:
        if is_url_password(value):
            yield SecretSpan(start, end, kind)
    elif not is_placeholder_key(value) and (kind in _UNMIXED or is_key(value)) and not _is_inside_value(text, start):
        rest = (_REST_OF_DOTTED if kind in _DOTTED_KINDS else _REST_OF_TOKEN).match(text, end)
        yield SecretSpan(start, rest.end() if rest is not None else end, kind)


def _is_inside_value(text: str, start: int) -> bool:
    """Return whether `start` is in the middle of a longer value, such as an image in base64."""
    if not start:
        return False
    joined = text[start - 1].isalnum() and text[start].isalnum()
    if joined and not _ESCAPE_BEFORE.search(text, max(0, start - 2), start):
        return True
    before = _ENCODED_BEFORE.search(text, max(0, start - 24), start)
    return before is not None and any(map(str.isdigit, before[0])) and any(map(str.isupper, before[0]))


def _occurrences(text: str, secret: str) -> Iterator[tuple[int, int]]:
    """Yield every occurrence of a secret that is not inside a longer word."""
    offset = text.find(secret)
    while offset >= 0:
        end = offset + len(secret)
        joined = (offset and text[offset - 1].isalnum() and secret[0].isalnum()) or (
            end < len(text) and text[end].isalnum() and secret[-1].isalnum()
        )
        if not joined or _ESCAPE_BEFORE.search(text, max(0, offset - 2), offset):
            yield offset, end
        offset = text.find(secret, end)
