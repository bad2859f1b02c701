"""Find the places of the best numbers in a long column exactly, without looking at each number in Python.

Each number becomes one byte that gives its place among 256 equal steps from best to worst: scaled into [1, 1 + 1/16),
it has that byte in the middle of its mantissa. The bytes are then counted and searched.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate, compress, count
from math import sqrt
from operator import add

from sidecar.store.columns import ones, weighted_sum
from sidecar.store.scores import picked

_SHORT = 256  # values: fewer are sorted at once
_EVERY = 8  # one of this many values is sampled for the first guess at the step of the cut
_SPREAD = 3.0  # standard deviations by which the guess stays on the safe side
_WORST = 255  # the step of the worst value, and of those hardly better
_PAD = 2**-13  # room at both ends of the scale for the rounding of a value at its end
_STEP_BYTE = 5 if sys.byteorder == "little" else 2


def best(
    values: Sequence[float], most: int, scale: tuple[float, float], allowed: Callable[[int], bool] | None = None
) -> Sequence[int]:
    """Return the places, in order, of the `most` values nearest to `scale[0]`, and of those equal to the last of them.

    `scale` holds the best and the worst possible value; values equal to the worst, and places that are not `allowed`,
    do not count. `values` is an array or a view of doubles when there are many.
    """
    first, worst = scale
    if most < 1 or first == worst:
        return []
    if len(values) >= _SHORT:
        steps = _steps(values, first, worst)
        sample = steps[::_EVERY]
        expected = most / _EVERY
        at = int(expected + _SPREAD * sqrt(expected)) + 1
        while at < len(sample) and (step := _step_of(sample, at)) < _WORST:
            places = _places(steps, step)
            if allowed is not None:
                places = [index for index in places if allowed(index)]
            if len(places) >= most:
                return among(places, values, most, ascending=first < worst)
            at *= 2
    every = range(len(values))
    places = list(every if worst else compress(every, values))
    places = [index for index in places if values[index] != worst and (allowed is None or allowed(index))]
    return among(places, values, most, ascending=first < worst)


def among(places: Sequence[int], values: Sequence[float], most: int, *, ascending: bool = False) -> Sequence[int]:
    """Return the places whose values are the `most` greatest (`ascending`: least) of these, ties included."""
    if len(places) <= most:
        return places
    if most < 1:
        return []
    scores = picked(values, places)
    limit = sorted(scores, reverse=not ascending)[most - 1]
    if ascending:
        return [index for index, value in zip(places, scores, strict=True) if value <= limit]
    return [index for index, value in zip(places, scores, strict=True) if value >= limit]


def _steps(values: Sequence[float], first: float, worst: float) -> bytes:
    alpha = (1 / 16 - 2 * _PAD) / (worst - first)
    scaled = weighted_sum(values, ones(len(values)), alpha, 1.0 + _PAD - alpha * first)
    return scaled.tobytes()[_STEP_BYTE::8]


def _step_of(sample: bytes, at: int) -> int:
    """Return the byte that the sorted sample has at this place."""
    upto = bytes(range(256))
    return bisect_left(upto, at + 1, key=lambda step: len(sample) - len(sample.translate(None, upto[: step + 1])))


def _places(steps: bytes, last: int) -> list[int]:
    """Return the places of bytes up to `last`."""
    gaps = steps.translate(bytes(last + 1).ljust(256, b"\1")).split(b"\0")
    return list(map(add, accumulate(map(len, gaps[:-1])), count()))
