"""Takes secrets out of a file's text before anything is made of it: outline, words, map.

What is made of a file is kept on disk and given to models. To look through all of every file for all kinds of secrets
costs eight times as much as its outline; so only lines that may hold one are looked through, with those beside them.
"""

from __future__ import annotations

from sidecar.patterns import lazy

_SUSPECT = lazy(
    r"(?<![\w+/=.~:-])(?=[\w+/=.~:-]*\d)[\w+/=.~:-]{16,}|-----BEGIN|://[^\s/@]+@"
    r"|[A-Za-z0-9]{28}|(?i:passw|passphrase|pwd)|(?i:secret|token|key\b|key[\"'`]?\s*[:=|]|credential|auth|bearer)[^\n]{0,80}[^\s\"'`]{8}"
    r"|(?i:secret|token|key)\w*\s*\||(?i:\b(?:is|was) (?:the|our|my|a) (?:[\w-]+ ){0,3}(?:key|token|secret|credential))"
)
_ASIDE = 1  # lines before and after: a value may stand below its name
_BLOCK = 120  # lines of a key, and of a table


def without_secrets(text: str) -> str:
    """The text, as many lines long, with marks in place of secrets."""
    if not _SUSPECT.search(text):
        return text
    lines = text.split("\n")
    wanted: set[int] = set()
    for at, line in enumerate(lines):
        if _SUSPECT.search(line):
            block = _BLOCK if "-----BEGIN" in line or "|" in line or "PuTTY" in line else _ASIDE
            wanted.update(range(max(0, at - _ASIDE), min(len(lines), at + block + 1)))
    from sidecar.text.secrets import take_out

    return take_out(text, "\n".join(lines[at] for at in sorted(wanted)))
