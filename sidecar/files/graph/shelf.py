"""Collections by path, number or name. Most of their values stay in a snapshot and are made when asked for."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Final, Generic, TypeVar, overload

T = TypeVar("T")


class LazySequence(Sequence[T]):
    """A sequence whose values are made when asked for."""

    def __init__(self, count: int, make: Callable[[int], T]) -> None:
        self._count = count
        self._make = make

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return [self._make(index) for index in range(self._count)[at]]
        if at >= self._count:
            raise IndexError(at)
        return self._make(at)

    def __len__(self) -> int:
        return self._count


class Shelf(MutableMapping[str, T], Generic[T]):
    """Values by path: those stored in the snapshot, found by `numbers`, and those put since."""

    def __init__(self, stored: Sequence[T], numbers: Mapping[str, int]) -> None:
        self._stored = stored
        self.entries: dict[str, T | int] = {**numbers}  # values or their numbers

    def __getitem__(self, path: str) -> T:
        value = self.entries[path]
        return self._stored[value] if isinstance(value, int) else value

    def __setitem__(self, path: str, value: T) -> None:
        self.entries[path] = value

    def __delitem__(self, path: str) -> None:
        del self.entries[path]

    def __contains__(self, path: object) -> bool:
        return path in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def as_of_now(self, paths: Sequence[str]) -> Sequence[T]:
        """Return the values at these paths as they are now; later changes do not affect them."""
        stored, entries = self._stored, [self.entries[path] for path in paths]

        def make(at: int) -> T:
            value = entries[at]
            return stored[value] if isinstance(value, int) else value

        return LazySequence(len(entries), make)


_ANY: Final = "surrogatepass"  # lone surrogates, which JSON can hold


class Texts(LazySequence[str]):
    """Texts in one piece of UTF-8. As separate objects they would take four times the memory."""

    def __init__(self, data: memoryview | bytes = b"", ends: Sequence[int] = ()) -> None:
        super().__init__(len(ends), lambda at: self.encoded(at).decode("utf-8", _ANY))
        self.data, self.ends = data, ends

    @classmethod
    def joined(cls, texts: Iterable[str]) -> Texts:
        ends, data = array("I"), bytearray()
        for text in texts:
            data += text.encode("utf-8", _ANY)
            ends.append(len(data))
        return cls(bytes(data), ends)

    def encoded(self, at: int) -> bytes:
        return bytes(self.data[self.ends[at - 1] if at else 0 : self.ends[at]])


class Names:
    """Names by number: those stored, in ascending order, and those added since."""

    def __init__(self, stored: Texts | None = None) -> None:
        self._stored = stored or Texts()
        self._since: list[str] = []
        self._numbers: dict[str, int] = {}  # of the added names, and of any others that were looked up

    def __getitem__(self, number: int) -> str:
        at = number - len(self._stored)
        return self._stored[number] if at < 0 else self._since[at]

    def __len__(self) -> int:
        return len(self._stored) + len(self._since)

    def number(self, name: str) -> int | None:
        number = self._numbers.get(name)
        if number is None and self._stored:
            wanted = name.encode("utf-8", _ANY)
            at = bisect_left(range(len(self._stored)), wanted, key=self._stored.encoded)
            if at < len(self._stored) and self._stored.encoded(at) == wanted:
                number = self._numbers[name] = at
        return number

    def add(self, names: Sequence[str]) -> list[int]:
        """Return the numbers of names; add the new ones."""
        numbers = list(map(self._numbers.get, names))
        return [self._add(name) if number is None else number for name, number in zip(names, numbers, strict=True)]

    def _add(self, name: str) -> int:
        number = self.number(name)
        if number is None:
            number = self._numbers[name] = len(self)
            self._since.append(name)
        return number


MAX_PATHS_IN_TUPLE: Final = 8


class Definers:
    """The files that define each name, by number: as stored, and as changed since.

    Most names have one definer. It is kept in a tuple, because a set of one takes four times the memory.
    """

    def __init__(self, stored: Sequence[Sequence[str]] = ()) -> None:
        self._stored = stored
        self._changed: dict[int, tuple[str, ...] | set[str]] = {}

    def get(self, number: int) -> Collection[str]:
        paths = self._changed.get(number)
        if paths is None:
            return self._stored[number] if number < len(self._stored) else ()
        return paths

    def add(self, number: int, path: str) -> None:
        paths = self.get(number)
        if isinstance(paths, set):
            paths.add(path)
        elif path not in paths:
            self._changed[number] = (*paths, path) if len(paths) < MAX_PATHS_IN_TUPLE else {*paths, path}

    def remove(self, number: int, path: str) -> None:
        paths = [definer for definer in self.get(number) if definer != path]
        if paths or number < len(self._stored):
            self._changed[number] = tuple(paths) if len(paths) <= MAX_PATHS_IN_TUPLE else set(paths)
        else:
            self._changed.pop(number, None)
