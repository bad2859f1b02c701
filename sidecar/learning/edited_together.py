"""Three or more files edited for one request belong together."""

from __future__ import annotations

import posixpath
from typing import Final

from sidecar.learning.lesson import bounded_name

RULE: Final = "edited-together"
LEAST: Final = 3
FILES_MOST: Final = 200
FILES_KEPT: Final = 50
_LISTED: Final = 10
_NAMED: Final = 4


class EditedFiles:
    """The distinct files edited since the user's last message, in order."""

    def __init__(self) -> None:
        self._paths: dict[str, None] = {}

    def edited(self, path: str) -> None:
        """A file was edited."""
        if len(self._paths) < FILES_MOST:
            self._paths[path] = None

    def not_edited(self, path: str) -> None:
        """An edit turned out not to have happened."""
        self._paths.pop(path, None)

    def take(self) -> tuple[str, ...]:
        """The files, sorted, when they are enough to say something; from now on there are none."""
        paths, self._paths = sorted(self._paths), {}
        return tuple(paths) if len(paths) >= LEAST else ()


def name(paths: tuple[str, ...]) -> str:
    """The same for the same files, in whatever order they were edited."""
    place = posixpath.commonpath(paths)
    inner = [posixpath.relpath(path, place) if place else path for path in paths]
    more = f" and {len(inner) - _NAMED} more: {' '.join(inner[_NAMED:])}" if len(inner) > _NAMED else ""
    return bounded_name(f"Changed together in {place or 'the project'}: {', '.join(inner[:_NAMED])}{more}")


def content(paths: tuple[str, ...]) -> str:
    """What the memory says."""
    shown = ", ".join(f"`{path}`" for path in paths[:_LISTED])
    more = f" and {len(paths) - _LISTED} more" if len(paths) > _LISTED else ""
    return f"Changed together for one request: {shown}{more}. When one of them changes, look at the others."
