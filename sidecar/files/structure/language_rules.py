"""How the definitions of a language are recognised line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """Line patterns of one language. `patterns` are tried in order; their groups joined are the name.

    `containers` are the kinds whose members are listed; `private` marks a line's definition as not public;
    `clauses`: neighbouring definitions of one name are one; `margin`: indentation allowed at the top level.
    """

    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    comment: tuple[str, ...] = ("//",)
    blocks: tuple[tuple[str, str], ...] = (("/*", "*/"),)
    containers: frozenset[str] = frozenset()
    imports: re.Pattern[str] | None = None
    private: re.Pattern[str] | None = None
    main: re.Pattern[str] | None = None
    clauses: bool = False
    margin: int = 0


def language(
    patterns: dict[str, str],
    *,
    comment: tuple[str, ...] = ("//",),
    blocks: tuple[tuple[str, str], ...] = (("/*", "*/"),),
    containers: str = "",
    imports: str | None = None,
    private: str | None = None,
    main: str | None = None,
    clauses: bool = False,
    margin: int = 0,
    flags: int = 0,
) -> Language:
    """Rules from pattern texts. What follows `#` in a kind only keeps the keys of `patterns` apart."""
    return Language(
        patterns=tuple(
            (kind.split("#")[0], re.compile(pattern, flags)) for kind, pattern in patterns.items()
        ),
        comment=comment,
        blocks=blocks,
        containers=frozenset(containers.split()),
        imports=re.compile(imports, flags) if imports else None,
        private=re.compile(private) if private else None,
        main=re.compile(main) if main else None,
        clauses=clauses,
        margin=margin,
    )
