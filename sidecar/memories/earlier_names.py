"""Names that the previous version gave memories recorded without one, to recognise them. Never change this."""

from __future__ import annotations

import unicodedata
from hashlib import blake2b

from sidecar.text.lazy_patterns import lazy

_LONGEST = 60
_SHORTEST = 12
_SUFFIX = 9
_MARKUP = lazy(r"^(?:[#>*+-]+\s+|\d+[.)]\s+|\*\*)+")
_ONE_SPAN = lazy(r"`+([^`]+)`+")
_SENTENCE = lazy(r"(?<=[.!?])\s|(?<=[。！？])")
_CLAUSE = lazy(r"[,;:，；：、](?=\s|\Z|[^\x00-\x7f])|\s[–—-]\s|\s\(")


def name_before(content: str) -> str:
    whole = " ".join(unicodedata.normalize("NFC", content).split())
    plain = plain_before(whole)
    sentence = plain_before(_SENTENCE.split(plain, maxsplit=1)[0])
    if len(sentence) < _SHORTEST:
        sentence = plain
    if len(sentence) <= _LONGEST and sentence == plain:
        return sentence
    digest = blake2b(whole.encode(), digest_size=3).hexdigest()
    return f"{_shorten(sentence, _LONGEST - _SUFFIX)} ({digest})"


def plain_before(text: str) -> str:
    line = " ".join(text.split())
    bare = _MARKUP.sub("", line).lstrip()
    bare = bare.rstrip(" .,;:!?。！？*") or bare
    if whole := _ONE_SPAN.fullmatch(bare):
        bare = whole[1].strip()
    elif bare.count("`") % 2:
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
