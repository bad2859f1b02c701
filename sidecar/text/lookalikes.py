"""Fold a text to the plain letters and signs that a reader sees in it.

Folding undoes disguises: compatibility forms, accents, letters of other scripts, character references, and our own
marks of invisible characters. So each rule of `fence.py` is written once, for plain letters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from sidecar.text.lazy_patterns import lazy

# Letters that resemble Latin ones (Unicode TR 39, confusables): each group begins with the Latin letter.
_LETTER_GROUPS = (
    "aаαɑ⍺ꭺᎪꓮ bЬьƅвΒᏴꓐ cсϲⅽⲥᏟꓚ dԁԀᎠꓓ eеεєℯҽᎬꓰ fꞙꬵϝꓝ gɡցԌᏀꓖ hһհнΗᎻꓧ iіιıɩӏꭵᎥǀꓲ jјϳյᎫꓙ kкκҡᏦꓗ lꓡᏞⅼ mмΜᎷⅿꓟ nոηпΝΝꓠ"
    " oоοօσⲟഠꓳ pрρⲣᏢꓑ qԛզ rгᴦⲅᏒꓣ sѕꜱՏᏚꓢ tтτᎢꓔ uυսʋՍꓴ vνѵᏙꓦ wԝաωѡᎳꓪ xхχⅹꓫ yуγүʏΥᎩꓬ zᏃΖꓜ"
    " <‹❮❬⟨〈〈«⟪《˂ᐸ≺⋖⧼⦑≪ >›❯❭⟩〉〉»⟫》˃ᐳ≻⋗⧽⦒≫ /⁄∕⧸⟋╱ |│∣❘⏐┃ǁ :ː∶꞉׃։˸᛬ -‐‑‒–—―−⁃ `ˋ‵ ~∼〜 [【〔⟦ ]】〕⟧"
)
_RESEMBLED_LETTER = {ord(letter): group[0] for group in _LETTER_GROUPS.split() for letter in group[1:]}
# Names of letters without a Unicode decomposition: small capitals, letters with strokes, in black circles.
_NAMED = lazy(r"LATIN (?:CAPITAL |SMALL |LETTER )+([A-Z])(?: WITH .*)?|.*(?:LATIN CAPITAL|SYMBOL) LETTER ([A-Z])")
# Characters that may look like others, our marks of invisible characters, and character references.
_DISGUISED_LETTERS = lazy(
    r"\[U\+[0-9A-F]{4,6}(?: x\d+)?\]|[^\x00-\x7f]"
    r"|&(?:amp;){0,8}(?:[lL][tT];?|#\d{1,7};?|#[xX][\da-fA-F]{1,6};?|\w{1,31};)"
)


class FoldedText(NamedTuple):
    """A folded text."""

    text: str
    spans: list[tuple[int, int]] | None  # `text[i]` is at `spans[i]` in the original; None: at i

    def span(self, offset: int) -> tuple[int, int]:
        return self.spans[offset] if self.spans is not None else (offset, offset + 1)


def lower_in_place(text: str) -> str:
    """Return the text in lower case, with equal length: a letter whose lower case is longer stays unchanged."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return lower


def fold(text: str) -> FoldedText:
    letters: list[str] = []
    spans: list[tuple[int, int]] = []
    offset = 0
    for match in _DISGUISED_LETTERS.finditer(text):
        start, end = match.span()
        letters += (text[offset:start].lower(), shown := _plain_token(match[0]))
        spans += _one_to_one(offset, start)
        spans += [(start, end)] * len(shown) if len(shown) != end - start else _one_to_one(start, end)
        offset = end
    if not offset:
        return FoldedText(text.lower(), None)
    spans += _one_to_one(offset, len(text))
    return FoldedText("".join([*letters, text[offset:].lower()]), spans)


def _one_to_one(start: int, end: int) -> Iterator[tuple[int, int]]:
    return zip(range(start, end), range(start + 1, end + 1), strict=True)


def _plain_token(token: str) -> str:
    if len(token) == 1:
        return _plain_letters(token)
    if token[0] == "[":
        return ""
    from html import unescape  # imported here, since it loads the names of 2,231 characters

    for _ in range(10):
        token, before = unescape(token), token
        if token == before:
            break
    return "".join(map(_plain_letters, token))


@lru_cache(maxsize=4096)
def _plain_letters(character: str) -> str:
    shown = []
    for letter in unicodedata.normalize("NFKD", character):
        if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
            continue
        plain = _RESEMBLED_LETTER.get(ord(letter)) or _RESEMBLED_LETTER.get(ord(letter.lower()[0]), letter)
        if plain > "\x7f" and (named := _NAMED.fullmatch(unicodedata.name(letter, ""))):
            plain = named[1] or named[2]
        shown.append(plain.lower())
    return "".join(shown)
