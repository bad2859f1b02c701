"""The greatest or least of a long row of numbers, without sorting all of it.

A sample tells about where the cut is; one pass keeps what lies beyond, and only that is sorted. Whatever the sample
says, the answer is exact: where it was too strict, everything is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

_EVERY = 8  # one of so many values is sampled
_SPREAD = 3.0  # standard deviations that the guess stays on the safe side
_SHORT = 512  # values: fewer are sorted at once


def greatest(values: Sequence[float], most: int, allowed: Callable[[int], bool] | None = None) -> list[int]:
    """The places of the `most` greatest values above zero, and of those that equal the least of them; in order.

    Only places that are `allowed` count.
    """
    sampled = _sampled(values, most)
    if sampled is not None:
        sample, place = sampled
        limit = sample[-place]
        if limit > 0.0:
            above = _permitted([at for at, value in enumerate(values) if value >= limit], allowed)
            if len(above) >= most:
                return among(above, values, most)
    return among(_permitted([at for at, value in enumerate(values) if value > 0.0], allowed), values, most)


def least(values: Sequence[float], most: int) -> list[int]:
    """The places of the `most` least values, and of those that equal the greatest of them; in order."""
    if not 0 < most < len(values):
        return list(range(len(values))) if most > 0 else []
    sampled = _sampled(values, most)
    below: Sequence[int] = ()
    if sampled is not None:
        sample, place = sampled
        below = [at for at, value in enumerate(values) if value <= sample[place - 1]]
    if len(below) < most:
        below = range(len(values))
    limit = sorted([values[at] for at in below])[most - 1]
    return [at for at in below if values[at] <= limit]


def among(places: list[int], values: Sequence[float], most: int) -> list[int]:
    """Those of the places whose value is one of the `most` greatest of these places, ties included."""
    if len(places) <= most:
        return places
    if most < 1:
        return []
    limit = sorted([values[place] for place in places])[-most]
    return [place for place in places if values[place] >= limit]


def _sampled(values: Sequence[float], most: int) -> tuple[list[float], int] | None:
    """A sorted sample, and how far from its end the cut lies at the most, probably; None where it tells nothing."""
    if most < 1 or len(values) < max(_SHORT, 2 * most):
        return None
    sample = sorted(values[::_EVERY])
    expected = most * len(sample) / len(values)
    place = int(expected + _SPREAD * sqrt(expected)) + 1
    return (sample, place) if place <= len(sample) else None


def _permitted(places: list[int], allowed: Callable[[int], bool] | None) -> list[int]:
    return places if allowed is None else [place for place in places if allowed(place)]
