"""The paragraphs of prose as rows. All are cut to the same length, the longest at which they fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.guards import HIDDEN
from sidecar.files.structure.markdown import inline_text
from sidecar.files.structure.values import masked
from sidecar.store.records import SymbolRecord, every_symbol
from sidecar.text.tokens import estimate

_LENGTHS: Final = (600, 450, 300, 250, 200, 160, 130, 100)  # paragraphs are cut to the longest that fits
_LINES: Final = 1_000  # the maximum length of a text that is shown by its paragraphs
_FENCE: Final = re.compile(r"\s*(?:`{3,}|~{3,})")
_CODE: Final = re.compile(r"(?: {4}|\t)\s*\S")
_RULE: Final = re.compile(r"\W*")
_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")


def paragraph_rows(lines: Sequence[str], headings: Sequence[SymbolRecord], room: int) -> tuple[SymbolRecord, ...]:
    """Return a record for each paragraph; none if they need more than `room` tokens."""
    from sidecar.text.secrets import redact

    if len(lines) > _LINES:
        return ()
    parts = list(_parts(lines, {heading.start for heading in every_symbol(headings)}))
    texts = redact("\n".join(masked(text).replace(HIDDEN, "[hidden]") for _, _, text in parts))[0].split("\n")
    for most in _LENGTHS if len(texts) == len(parts) else ():
        shown = [shorten(text, most) for text in texts]
        if sum(estimate(text) + 5 for text in shown) <= room:
            rows = zip(parts, shown, strict=True)
            return tuple(
                SymbolRecord(kind="line", name=text[:40], start=start, end=end, signature=text)
                for (start, end, _), text in rows
            )
    return ()


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
