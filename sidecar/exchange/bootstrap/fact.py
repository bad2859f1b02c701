"""One fact of a project."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """What is to be remembered. `name` is the same each time, so that a fact that changed is known for the same one."""

    name: str
    content: str
    files: tuple[str, ...]
    category: str = "fact"
