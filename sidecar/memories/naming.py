"""A name for a memory that was recorded without one.

The name is the first sentence or clause. When that is not the whole content, a digest of the content follows:
two memories that only begin alike ("Error: command failed ...") must not fall under one key and be merged, while
the same content always gives the same name and so is recognised.
"""

from __future__ import annotations

import unicodedata
from hashlib import blake2b

from sidecar.patterns import lazy

LONGEST = 60
_SHORTEST = 12  # a first "sentence" shorter than this says nothing: "Hey!", "e.g."
_SUFFIX = 9  # " (" + 6 hexadecimal digits + ")"
_DIGEST = lazy(r" \([0-9a-f]{6}\)\Z")
_MARKUP = lazy(r"^(?:[#>*+-]+\s+|\d+[.)]\s+|\*\*)+")
_ONE_SPAN = lazy(r"`+([^`]+)`+")
_SENTENCE = lazy(r"(?<=[.!?])\s|(?<=[。！？])")
_CLAUSE = lazy(r"[,;:，；：、](?=\s|\Z|[^\x00-\x7f])|\s[–—-]\s|\s\(")


def derive_name(content: str) -> str:
    """A readable name of at most 60 characters; the same for texts that differ in white space only."""
    whole = " ".join(unicodedata.normalize("NFC", content).split())
    plain = _plain(whole)
    sentence = _plain(_SENTENCE.split(plain, maxsplit=1)[0])
    if len(sentence) < _SHORTEST:
        sentence = plain
    if len(sentence) <= LONGEST and sentence == plain:
        return sentence
    digest = blake2b(whole.encode(), digest_size=3).hexdigest()
    return f"{_shorten(sentence, LONGEST - _SUFFIX)} ({digest})"


def _plain(text: str) -> str:
    line = " ".join(text.split())
    bare = _MARKUP.sub("", line).lstrip()
    bare = bare.rstrip(" .,;:!?。！？*") or bare
    if whole := _ONE_SPAN.fullmatch(bare):
        bare = whole[1].strip()
    elif bare.count("`") % 2:  # half a span; both ends of whole ones stay
        bare = bare.strip("`").strip() or bare
    return bare or line


def _shorten(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    clauses = [match.start() for match in _CLAUSE.finditer(text, 0, most + 1)]
    if clauses and clauses[-1] >= most // 3:
        return text[: clauses[-1]].rstrip()
    cut = text[: most - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space >= most // 2 else cut).rstrip() + "…"


def is_derived(name: str, content: str) -> bool:
    """Whether a name only repeats how the content begins."""
    base = _DIGEST.sub("", name).removesuffix("…")
    beginning = content[: 4 * LONGEST]
    words = base.split(maxsplit=1)
    if words and words[0] not in beginning and beginning.isascii():
        return False  # most names; what follows only takes characters away
    start = _plain(unicodedata.normalize("NFC", beginning))
    # Earlier versions took a back-tick at the beginning away, and those names are stored.
    return start.startswith(base) or start.lstrip("`").startswith(base)
