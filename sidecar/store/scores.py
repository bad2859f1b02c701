"""Combine scores, and find the places of the best in a long column exactly, without a Python loop.

Each number falls into one of 256 equal steps from best to worst. A byte in the middle of its mantissa tells which, once
the number is scaled into [1, 1 + 1/16); the bytes are then counted and searched.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, compress
from math import sqrt
from operator import itemgetter
from typing import Any

from sidecar.runtime.made_once import made_once
from sidecar.store.columns import ones, weighted_sum

_MIN_SAMPLED_VALUES = 256  # fewer values are sorted directly
_SAMPLING_INTERVAL = 8  # one value in this many is sampled, to guess the step of the last value wanted
_SAFE_DEVIATIONS = 3.0  # standard deviations added to the guess for safety
_WORST_STEP = 255  # of the worst value, and of values hardly better
_SCALE_MARGIN = 2**-13  # room for rounding at both ends of the scale
_EACH = bytes(range(256))
_STEP_BYTE = 5  # of a double


def best_places(
    values: Sequence[float], limit: int, scale: tuple[float, float], allowed: Callable[[int], bool] | None = None
) -> Sequence[int]:
    """Return, in ascending order, the places of the `limit` best values and of all that equal the last of them.

    `scale` is (best, worst) possible value. Values equal to the worst, and places that are not `allowed`, do not count.
    A long column must be an array or a view of doubles.
    """
    first, worst = scale
    if limit < 1 or first == worst:
        return []
    if len(values) >= _MIN_SAMPLED_VALUES:
        steps = _steps(values, first, worst)
        sample = steps[::_SAMPLING_INTERVAL]
        expected = limit / _SAMPLING_INTERVAL
        sample_index = int(expected + _SAFE_DEVIATIONS * sqrt(expected)) + 1
        while sample_index < len(sample) and (step := _step_of(sample, sample_index)) < _WORST_STEP:
            places, kept_steps = _places(steps, step), steps.translate(None, _EACH[step + 1 :])
            if allowed is not None:
                is_allowed = list(map(allowed, places))
                places, kept_steps = list(compress(places, is_allowed)), bytes(compress(kept_steps, is_allowed))
            if len(places) >= limit:
                cut = _step_of(kept_steps, limit - 1)
                sure, equal = (list(compress(places, kept_steps.translate(table))) for table in _tables(cut))
                return sorted([*sure, *best_places_among(equal, values, limit - len(sure), ascending=first < worst)])
            sample_index *= 2
    better = compress(range(len(values)), map(worst.__ne__, values) if worst else values)
    return best_places_among(
        list(better if allowed is None else filter(allowed, better)), values, limit, ascending=first < worst
    )


def best_places_among(
    places: Sequence[int], values: Sequence[float], count: int, *, ascending: bool = False
) -> Sequence[int]:
    """Return those of `places` that have the `count` greatest values (`ascending`: least), with ties."""
    if len(places) <= count:
        return places
    if count < 1:
        return []
    scores = pick(values, places)
    limit = sorted(scores, reverse=not ascending)[count - 1]
    if ascending:
        return [index for index, value in zip(places, scores, strict=True) if value <= limit]
    return [index for index, value in zip(places, scores, strict=True) if value >= limit]


def _steps(values: Sequence[float], first: float, worst: float) -> bytes:
    alpha = (1 / 16 - 2 * _SCALE_MARGIN) / (worst - first)
    scaled = weighted_sum(values, ones(len(values)), alpha, 1.0 + _SCALE_MARGIN - alpha * first)
    return scaled.tobytes()[_STEP_BYTE::8]


def _step_of(sample: bytes, index: int) -> int:
    """Return the byte at position `index` of the sorted sample."""
    return bisect_left(_EACH, index + 1, key=lambda step: len(sample) - len(sample.translate(None, _EACH[: step + 1])))


def _places(steps: bytes, last: int) -> list[int]:
    """Return the places of bytes up to `last`."""
    lines = steps.translate((b"\n" * (last + 1)).ljust(256)).splitlines(keepends=True)
    return list(accumulate(map(len, lines), initial=-1))[1 : len(lines) + (steps[-1] <= last)]


def _tables(step: int) -> tuple[bytes, bytes]:
    """Return two translation tables: one makes 1 of each byte below `step`, the other of `step` itself."""
    return (b"\1" * step).ljust(256, b"\0"), bytes(step).ljust(step + 1, b"\1").ljust(256, b"\0")


class Scores(Mapping[str, float]):
    """Maps ids to numbers: `few` holds some with the greatest, `column` a number for each of `ids` (NaN: none)."""

    def __init__(
        self, few: dict[str, float] | None = None, ids: Sequence[str] = (), column: Sequence[float] = ()
    ) -> None:
        self.few = {} if few is None else few
        self.ids = ids
        self.column = column

    @made_once
    def _all(self) -> dict[str, float]:
        return {id: score for id, score in zip(self.ids, self.column, strict=True) if score == score} | self.few

    def greatest(self, otherwise: float) -> float:
        return max(self.few.values(), default=otherwise)

    def at_least(self, minimum: float) -> dict[str, float]:
        """Return the numbers of at least `minimum`, and add them to `few`."""
        numbers = {id: score for id, score in zip(self.ids, self.column, strict=True) if score >= minimum}
        numbers |= {id: score for id, score in self.few.items() if score >= minimum}
        self.few |= numbers
        return numbers

    def __getitem__(self, id: str) -> float:
        return self.few[id] if id in self.few else self._all[id]

    def __contains__(self, id: object) -> bool:
        return id in self.few or id in self._all

    def get(self, id: str, otherwise: Any = None) -> Any:
        value = self.few.get(id)
        return self._all.get(id, otherwise) if value is None else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def pick(values: Any, places: Sequence[Any]) -> Sequence[Any]:
    """Return the values at these places or keys, several times as fast as a comprehension."""
    return itemgetter(*places)(values) if len(places) > 1 else [values[place] for place in places]
