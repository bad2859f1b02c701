"""What a reader gives: the events of a session, and where they come from."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

CALLS_HELD = 256


class Event(NamedTuple):
    """One thing that happened, at `at` in epoch milliseconds (0: not told).

    A message of the user is empty where no person typed it, and a turn begins all the same.
    `id` is the agent's own id of a message or call, empty where it has none. `output` to `refused` are of a tool:
    `status` is a command's exit status, None when unknown; `refused` says that the tool did not do it.
    """

    kind: Literal["user", "agent", "tool", "compaction"]
    at: int
    text: str = ""
    id: str = ""
    tool: str = ""
    given: Any = None
    output: str = ""
    status: int | None = None
    refused: bool = False


class Transcript(NamedTuple):
    """One session. `folder` is where it began to work, empty when that is not told; `stamp` changes as it grows."""

    session_id: str
    agent: str
    started_at: int
    folder: str
    stamp: str
    path: Path
    events: Callable[[], Iterator[Event]]


class Calls:
    """Uses of tools whose results have not come yet; the oldest are forgotten."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, tuple[str, Any]] = OrderedDict()

    def began(self, id: object, tool: object, given: Any, folder: object = None) -> None:
        """A tool is used; `folder` is where, unless the input says so itself."""
        if not isinstance(id, str) or not isinstance(tool, str):
            return
        if isinstance(folder, str) and folder and isinstance(given, Mapping):
            given = {"cwd": folder, **given}
        self._open[id] = (tool, given)
        if len(self._open) > CALLS_HELD:
            self._open.popitem(last=False)

    def ended(
        self, id: object, at: int, output: str = "", status: int | None = None, *, refused: bool = False
    ) -> Iterator[Event]:
        """The use with its result; nothing for a result without a use."""
        found = self._open.pop(id, None) if isinstance(id, str) else None
        if found is not None:
            yield Event("tool", at, "", str(id), *found, output, status, refused)
