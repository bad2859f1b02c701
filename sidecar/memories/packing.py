"""Choose items greedily inside a token budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import msgspec

from sidecar.memories.gist import says_all
from sidecar.memories.render import FRAME_LINES, TITLE_LINES, Format, RenderedItem, frame_tokens, title_tokens

_SMALLEST_ITEM = 10  # an item has a date or a path, and something to say
_SHARE = 0.5
_SILENT = frozenset(("",))  # no item's words are a subset or superset of this
_UNLIMITED = 1 << 40
_LETTERS_PER_TOKEN = 6  # more than prose or code has: a longer text is known to be too long without rendering


# These come first, whatever their value: directives of the project, of this user, of all projects; then what is pinned.
# What only the repository's file says comes last: it takes no place from the user's.
SCOPES = ("project", "personal", "global")
PINNED, REST, LAST = 3, 4, 5


class BlockCandidate(NamedTuple):
    """A memory or file that may be shown.

    `key` is an id or a path, `letters` its length; `rank` sorts before `value`. Those `ahead` and files may each take
    half of the budget while others want it.
    """

    kind: Literal["memory", "file"]
    key: str
    section: str
    value: float
    ahead: bool = False
    pinned: bool = False
    letters: int = 0
    rank: int = REST


class Packed(msgspec.Struct, frozen=True):
    """What was taken, in that order, with its rendering; what did not fit; and what another item says as well."""

    taken: tuple[tuple[BlockCandidate, RenderedItem], ...]
    left: tuple[BlockCandidate, ...]
    repeated: tuple[BlockCandidate, ...]


def order(candidate: BlockCandidate) -> tuple[int, bool, float, str]:
    """Return the sort key: directives first, then what is pinned, then by value, ties by key."""
    return candidate.rank, not candidate.pinned, -candidate.value, candidate.key


def _wording(item: RenderedItem) -> frozenset[str]:
    return _SILENT if item.gist is None else item.gist.words


def pack(
    candidates: Sequence[BlockCandidate],
    budget: int,
    format: Format,
    render: Callable[[BlockCandidate], RenderedItem],
    max_lines: int | None = None,
) -> Packed:
    """Take candidates in order while the whole fits the budget; smaller ones may fit after one that does not."""
    room = budget - frame_tokens(format)
    room_lines = _UNLIMITED if max_lines is None else max_lines - FRAME_LINES
    share = int(budget * _SHARE)
    spent = {"ahead": 0, "file": 0}
    sections: set[str] = set()
    chosen: list[tuple[BlockCandidate, RenderedItem]] = []
    wordings: list[frozenset[str]] = []  # what the taken items say
    dropped: list[BlockCandidate] = []
    waiting: list[BlockCandidate] = []
    repeated: list[BlockCandidate] = []

    def alike(candidate: BlockCandidate, item: RenderedItem) -> tuple[int, bool] | None:
        """Return the place of a taken item that says all this one says, or (True) less than this one."""
        if item.gist is None:
            return None
        words = item.gist.words
        for at in [at for at, others in enumerate(wordings) if words <= others or others <= words]:
            other, shown = chosen[at]
            if shown.gist is None or other.section != candidate.section:
                continue
            if says_all(shown.gist, item.gist):
                return at, False
            if not other.ahead and says_all(item.gist, shown.gist):
                return at, True
        return None

    def take(candidate: BlockCandidate, *, bounded: bool) -> None:
        nonlocal room, room_lines
        if room < max(_SMALLEST_ITEM, candidate.letters // _LETTERS_PER_TOKEN):
            dropped.append(candidate)
            return
        item = render(candidate)
        title = 0 if candidate.section in sections else title_tokens(candidate.section, format)
        cost = item.tokens + title
        lines = item.lines + (0 if candidate.section in sections else TITLE_LINES)
        kind = "ahead" if candidate.ahead else candidate.kind
        if not candidate.ahead and (twin := alike(candidate, item)) is not None:
            at, more = twin
            other, shown = chosen[at]
            growth = item.tokens - shown.tokens
            longer = item.lines - shown.lines
            fuller = more or growth > 0
            fits = growth <= room and longer <= room_lines
            if fuller and not other.ahead and fits:  # if so, this item replaces the other
                chosen[at] = candidate._replace(value=other.value, rank=other.rank), item
                wordings[at] = _wording(item)
                room -= growth
                room_lines -= longer
                repeated.append(other)
            else:
                (dropped if more else repeated).append(candidate)
        elif cost > room or lines > room_lines:
            dropped.append(candidate)
        elif bounded and kind in spent and spent[kind] + cost > share:
            waiting.append(candidate)
        else:
            room -= cost
            room_lines -= lines
            sections.add(candidate.section)
            chosen.append((candidate, item))
            wordings.append(_wording(item))
            if kind in spent:
                spent[kind] += cost

    for candidate in candidates:
        take(candidate, bounded=True)
    for candidate in waiting:
        take(candidate, bounded=False)
    return Packed(tuple(chosen), tuple(dropped), tuple(repeated))
