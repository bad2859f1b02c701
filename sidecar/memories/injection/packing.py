"""Choose items greedily within a token budget, best first; `injector.py` calls it with what `choosing.py` returned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from sidecar.memories.drafts import Format
from sidecar.memories.injection.render import FRAME_LINES, TITLE_LINES, RenderedItem, frame_tokens, title_tokens
from sidecar.memories.wording.gist import gist_of, says_all

MIN_BRIEFING_TOKENS = 60  # a shorter briefing is not worth including
_SHARE_OF_BRIEFINGS = 0.4  # the briefings of the files in play together take at most this share of the budget
_MIN_ITEM_TOKENS = 10  # an item has a date or a path, and a text
_SHARE_OF_KIND = 0.5  # items `ahead` may take at most this share of the budget at first, and so may files
_NO_SKETCH = 1 << 64  # stands for the sketch of an item without a gist; no gist's sketch has this bit
_UNLIMITED_LINES = 1 << 40  # more lines than any block has
_MAX_CHARS_PER_TOKEN = 6  # more than any text has: a longer text exceeds the budget and need not be rendered


SCOPES = ("project", "personal", "global")
"""Directives come first, whatever their value, in the order of these scopes: their ranks are 0, 1 and 2."""
PINNED_RANK, OTHER_RANK, REPOSITORY_ONLY_RANK = 3, 4, 5
"""The ranks of pinned memories, of others, and last of memories that only the repository's file says."""


def briefing_tokens(budget: int, files: int) -> int:
    """Return the tokens that each of `files` briefings may take."""
    return max(MIN_BRIEFING_TOKENS, int(budget * _SHARE_OF_BRIEFINGS) // max(1, files))


class BlockItem(NamedTuple):
    """A memory or file that may be shown.

    Items `ahead` may take half of the budget, and files half; each takes more only if the other items leave room.
    """

    kind: Literal["memory", "file"]
    key: str  # an id or a path
    section: str
    value: float
    ahead: bool = False
    pinned: bool = False
    chars: int = 0  # length of the text
    rank: int = OTHER_RANK


def order(item: BlockItem) -> tuple[int, bool, float, str]:
    """Return an item's sort key: rank, then pinned items, then the greater value, then the key."""
    return item.rank, not item.pinned, -item.value, item.key


class Packing:
    """Fills a block.

    `chosen` items are in it, `dropped` ones found no room; other items were left out because a chosen one says the
    same.
    """

    def __init__(
        self, format: Format, budget: int, max_lines: int | None, render: Callable[[BlockItem], RenderedItem]
    ) -> None:
        self.chosen: list[tuple[BlockItem, RenderedItem]] = []
        self.dropped: list[BlockItem] = []
        self.repeated: list[BlockItem] = []
        self._waiting: list[BlockItem] = []  # items for which their kind's share had no room
        self._render = render
        self._format: Format = format
        self._free_tokens = budget - frame_tokens(format)
        self._free_lines = _UNLIMITED_LINES if max_lines is None else max_lines - FRAME_LINES
        self._share = int(budget * _SHARE_OF_KIND)
        self._spent = {"ahead": 0, "file": 0}
        self._sections: set[str] = set()
        self._sketches: list[int] = []  # of the chosen items

    def fill(self, items: Sequence[BlockItem]) -> None:
        """Take each item, in order, that fits; after an item that does not fit, a smaller one still may."""
        for item in items:
            self._add(item, bounded=True)
        for item in self._waiting:
            self._add(item, bounded=False)

    def _add(self, item: BlockItem, *, bounded: bool) -> None:
        if self._free_tokens < max(_MIN_ITEM_TOKENS, item.chars // _MAX_CHARS_PER_TOKEN):
            self.dropped.append(item)
            return
        rendered = self._render(item)
        if not item.ahead and (twin := self._find_twin(item, rendered)) is not None:
            self._keep_fuller(item, rendered, *twin)
            return
        opens = item.section not in self._sections
        cost = rendered.tokens + (title_tokens(item.section, self._format) if opens else 0)
        lines = rendered.lines + (TITLE_LINES if opens else 0)
        kind = "ahead" if item.ahead else item.kind
        if cost > self._free_tokens or lines > self._free_lines:
            self.dropped.append(item)
        elif bounded and kind in self._spent and self._spent[kind] + cost > self._share:
            self._waiting.append(item)
        else:
            self._free_tokens -= cost
            self._free_lines -= lines
            self._sections.add(item.section)
            self.chosen.append((item, rendered))
            self._sketches.append(rendered.sketch or _NO_SKETCH)
            if kind in self._spent:
                self._spent[kind] += cost

    def _keep_fuller(self, item: BlockItem, rendered: RenderedItem, index: int, says_more: bool) -> None:
        """Replace the chosen item at `index` if this one says more and fits; otherwise drop this one."""
        chosen_item, chosen_rendering = self.chosen[index]
        growth, longer = rendered.tokens - chosen_rendering.tokens, rendered.lines - chosen_rendering.lines
        fits = growth <= self._free_tokens and longer <= self._free_lines
        if (says_more or growth > 0) and not chosen_item.ahead and fits:
            self.chosen[index] = item._replace(value=chosen_item.value, rank=chosen_item.rank), rendered
            self._sketches[index] = rendered.sketch or _NO_SKETCH
            self._free_tokens -= growth
            self._free_lines -= longer
            self.repeated.append(chosen_item)
        else:
            (self.dropped if says_more else self.repeated).append(item)

    def _find_twin(self, item: BlockItem, rendered: RenderedItem) -> tuple[int, bool] | None:
        """Return (index, False) of a chosen item that says everything that `item` says.

        Return (index, True) if instead `item` says everything that the chosen one says, and more. Return None if
        neither.
        """
        if not (sketch := rendered.sketch):
            return None
        for at in [at for at, other in enumerate(self._sketches) if sketch & other in (sketch, other)]:
            other, shown = self.chosen[at]
            if other.section != item.section:
                continue
            chosen_gist, own_gist = gist_of(shown.compared_text), gist_of(rendered.compared_text)
            if chosen_gist is None or own_gist is None:
                continue
            if says_all(chosen_gist, own_gist):
                return at, False
            if not other.ahead and says_all(own_gist, chosen_gist):
                return at, True
        return None
