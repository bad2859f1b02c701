"""Regular expressions that are compiled when they are first used.

Compiling one takes a tenth of a millisecond to several, and a process that answers one question uses few of those that
the rooms it imports define.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, later. What is wrong with a pattern is raised with its first use; a test compiles them all.

    The result has the methods of a pattern. It is none to `isinstance` and to the functions of `re`.
    """
    return cast("re.Pattern[AnyStr]", Lazy(pattern, flags))


class Lazy:
    """Stands for a pattern."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self.given = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self.given), name)
        if not name.startswith("__"):
            setattr(self, name, found)  # from now on it is found without coming here
        return found
