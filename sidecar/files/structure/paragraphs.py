"""The paragraphs of prose as rows. All are cut to the same length, the longest at which most fit."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.comments import first_sentence
from sidecar.files.structure.markdown import inline_text
from sidecar.store.records import SymbolRecord, every_symbol
from sidecar.text.tokens import estimate

_PARAGRAPH_CHARS: Final = (600, 450, 300, 250, 200, 160, 130, 100)  # paragraphs are cut to the longest that fits
_MAX_LINES: Final = 1_000  # the number of lines read
_FENCE: Final = re.compile(r"\s*(?:`{3,}|~{3,})")
_CODE: Final = re.compile(r"(?: {4}|\t)\s*\S")
_RULE: Final = re.compile(r"\W*|import\b.* from [\"'].*")
_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")


def paragraph_rows(lines: Sequence[str], headings: Sequence[SymbolRecord], room: int) -> tuple[SymbolRecord, ...]:
    """Return a record for each paragraph; if there is no room for all, for the first sentences of the first ones."""
    from sidecar.text.secrets import redact

    starts = sorted({heading.start for heading in every_symbol(headings)})
    front = lines[: lines.index("---", 1)] if lines[0] == "---" and "---" in lines[1:] else ()
    parts = list(_parts([*("" for _ in front), *lines[len(front) : _MAX_LINES]], set(starts)))
    texts = redact("\n".join(text for _, _, text in parts))[0].split("\n")
    if len(texts) != len(parts):
        return ()
    lengths = (most for most in _PARAGRAPH_CHARS if sum(estimate(shorten(text, most)) + 5 for text in texts) <= room)
    if not (most := next(lengths, 0)):
        most, texts, room = _PARAGRAPH_CHARS[-1], [first_sentence(text) or "" for text in texts], room * 4 // 5
    sections, places, found = Counter[int](), list[int](), list[SymbolRecord]()
    for first, _, _ in parts:
        sections[bisect_right(starts, first)] += 1
        places.append(sections[bisect_right(starts, first)])
    for at in sorted(range(len(parts)), key=places.__getitem__):
        (first, last, _), shown = parts[at], shorten(texts[at], most)
        room -= estimate(shown) + 5
        if shown and room >= 0:
            found.append(SymbolRecord(kind="line", name=shown[:40], start=first, end=last, signature=shown))
    return tuple(sorted(found, key=lambda record: record.start))


def _parts(lines: Sequence[str], headings: set[int]) -> Iterator[tuple[int, int, str]]:
    """Yield the first and last line of each paragraph, and its text on one line."""
    part: list[str] = []
    fenced = closed = False
    for number, line in enumerate([*lines, ""], 1):
        fence = _FENCE.match(line) is not None
        ended = number in headings or (not fenced and not line.strip())
        begins = not fenced and (fence or _ITEM.match(line) is not None)
        if part and (ended or begins or closed):
            if text := _shown_text(part):
                yield number - len(part), number - 1, text
            part = []
        closed, fenced = fence and fenced, fenced ^ fence
        if not ended:
            part.append(line)


def _shown_text(part: Sequence[str]) -> str:
    bare = [" ".join(line.split()) for line in part if not _RULE.fullmatch(line)]
    if _FENCE.match(part[0]) or _CODE.match(part[0]):
        return "; ".join(line for line in bare if not _FENCE.match(line))
    return inline_text(" ".join(bare))
