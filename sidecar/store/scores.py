"""Map ids to numbers that stay in columns, since making a dictionary of a thousand takes longer than using it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from sidecar.runtime.made_once import made_once


class Scores(Mapping[str, float]):
    """Maps ids to numbers: a `few` with the greatest among them, and a `column` for `ids`, where NaN is no number."""

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
        """Return the numbers that are not less than `minimum`, and add them to `few`."""
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
