"""The order in which a session's memories were recorded, and the neighbours of each memory in it."""

from __future__ import annotations

from bisect import bisect_left, insort

from sidecar.memories.index.lazy_collections import LazyCollections

MAX_NEIGHBOUR_DISTANCE = 2  # places in that order; memories this close are neighbours


class SessionOrders(LazyCollections[str, list[tuple[int, str]]]):
    """The memories of each session, as (time of recording, id) in that order."""

    def __init__(self) -> None:
        super().__init__(list, lambda old, new: sorted([*old, *new]))

    def add(self, session: str, created_at: int, id: str) -> None:
        insort(self.setdefault(session, []), (created_at, id))

    def remove(self, session: str, created_at: int, id: str) -> None:
        """Remove a memory; the values are those with which it was added."""
        order = self[session]
        del order[bisect_left(order, (created_at, id))]
        if not order:
            del self[session]

    def neighbours(self, session: str, created_at: int, id: str) -> list[tuple[str, int]]:
        """Return (id, distance) of memories up to `MAX_NEIGHBOUR_DISTANCE` places away, nearest first."""
        order = self[session]
        at = bisect_left(order, (created_at, id))
        neighbours = []
        for distance in range(1, MAX_NEIGHBOUR_DISTANCE + 1):
            neighbours += [
                (order[index][1], distance) for index in (at - distance, at + distance) if 0 <= index < len(order)
            ]
        return neighbours
