"""Find secrets in a text and put a visible mark in their place."""

import re
from collections import Counter
from collections.abc import Iterator
from sidecar.text import secret_gaps, secret_kinds

_MOST_PASSES = 10
_WORTH_A_LOOK = re.compile(
    r"[A-Za-z0-9_+/=-]{16}|://|pass|pwd|secret|contrase|key|token|credential|bearer", re.IGNORECASE
)
_ESCAPE_BEFORE = re.compile(r"\\[abfnrtv]\Z")


def redact(text: str) -> tuple[str, list[Finding]]:
    """The text with every secret replaced by `[redacted: KIND]`, and what was found, by kind in alphabetical order."""
    counts: Counter[str] = Counter()
    for _ in range(_MOST_PASSES):
        spans = _spans(text)
        if not spans:
            break
        parts: list[str] = []
        at = 0
        for start, end, kind, _weak in spans:
            parts += (text[at:start], f"[redacted: {kind}]")
            counts[kind] += 1
            at = end
        text = "".join((*parts, text[at:]))
    return text, [Finding(kind, counts[kind]) for kind in sorted(counts)]


class _Judge:
    """The detectors, made once; nothing in it changes, so threads can share it."""

    def __init__(self) -> None:
        import redact_secret

        from sidecar.text.secret_rules import RuleBook

        self._scan = redact_secret.scan
        self._rules = RuleBook()

    def finds(self, text: str) -> Iterator[_Span]:
        """What counts as a secret; spans may overlap."""
        # Ranges are code points, and a lone surrogate is none: it is put aside, one character for another.
        plain = text.encode("utf-8", "replace").decode() if not _encodable(text) else text
        for finding in self._scan(plain):
            yield from self._judged(text, finding.start, finding.end, finding.type)
        for rule in self._rules.find(text):
            yield from self._judged(text, rule.start, rule.end, rule.rule)
        for gap in secret_gaps.find(text):
            yield _Span(*gap)


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
