"""Regular expressions that are compiled on first use, since a process that answers one question uses few of them."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, AnyStr, cast

if TYPE_CHECKING:
    from pathlib import Path


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern compiled on first use; neither `isinstance` nor the functions of `re` recognise it."""
    return cast("re.Pattern[AnyStr]", Lazy(pattern, flags))


def patterns(module: Path, table: str) -> dict[str, re.Pattern[str]]:
    """Return the expressions of a table in `patterns.toml` next to a module; line ends in an expression are ignored."""
    expressions = _tables(module.with_name("patterns.toml"))[table]
    return {name: lazy(expression.replace("\n", "")) for name, expression in expressions.items()}


def byte_patterns(module: Path, table: str) -> dict[str, re.Pattern[bytes]]:
    """Do the same as `patterns` for bytes."""
    expressions = _tables(module.with_name("patterns.toml"))[table]
    return {name: lazy(expression.replace("\n", "").encode()) for name, expression in expressions.items()}


@cache
def _tables(path: Path) -> dict[str, dict[str, str]]:
    import tomllib

    return tomllib.loads(path.read_text("utf-8"))


class Lazy:
    def __init__(self, pattern: Any, flags: int) -> None:
        self.expression = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(re.compile(*self.expression), name)
        if not name.startswith("__"):
            setattr(self, name, attribute)  # later look-ups then bypass this method
        return attribute
