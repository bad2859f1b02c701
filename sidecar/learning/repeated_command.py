"""A command that is run a third time in a session is how things are done here."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from sidecar.text.shell import ShellLine

RULE: Final = "repeated-command"
TIMES: Final = 3
COMMANDS_MOST: Final = 200
_NO_SUCH_PROGRAM: Final = frozenset({126, 127})


@dataclass(slots=True)
class _Count:
    times: int = 0
    told: bool = False


class RepeatedCommands:
    """Counts the commands of one session by key; the longest unused are forgotten beyond `COMMANDS_MOST`."""

    def __init__(self) -> None:
        self._counts: OrderedDict[str, _Count] = OrderedDict()

    def ran(self, line: ShellLine) -> bool:
        """Count a run. Whether it is the one that makes a lesson: the third, once."""
        if not _counts(line):
            return False
        count = self._counts.setdefault(line.key, _Count())
        self._counts.move_to_end(line.key)
        if len(self._counts) > COMMANDS_MOST:
            self._counts.popitem(last=False)
        count.times += 1
        if count.times < TIMES or count.told:
            return False
        count.told = True
        return True

    def ended(self, line: ShellLine, status: int | None) -> None:
        """A run whose program turned out not to exist was none."""
        count = self._counts.get(line.key)
        if count is not None and status in _NO_SUCH_PROGRAM:
            count.times -= 1


def _counts(line: ShellLine) -> bool:
    """Looking around, the routine of any repository and scripts given on the spot are no way of working.

    Nor is what is no whole shell line: half a quotation, or prose in place of a command.
    """
    return line.weight >= 1.5 and not line.inline and line.whole


def content(shown: str, folder: str | None) -> str:
    """What the memory says. `folder` is where it was run, relative, when not at the top."""
    where = f" in `{folder}`" if folder and folder != "." else ""
    return f"`{shown}` is a frequently used command of this project{where}."
