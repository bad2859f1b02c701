"""A command that is run a third time in a session is how things are done here."""

from collections import OrderedDict
from typing import Final
from sidecar.text.shell import ShellLine

TIMES: Final = 3
COMMANDS_MOST: Final = 200
_NO_SUCH_PROGRAM: Final = frozenset({126, 127})


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
    """Looking around, the routine of any repository and scripts given on the spot are no way of working."""
    return line.weight >= 1.5 and not line.inline
