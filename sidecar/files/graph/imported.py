"""Which files of the workspace the imports of each file mean, found once for all files of a folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final

from sidecar.files.imports import MAX_FOUND, project_imports
from sidecar.store.records import ContentRecord

_STANDS_FOR_FOLDER: Final = (
    "__init__.",
    "index.",
    "mod.rs",
    "lib.rs",
    "main.rs",
    "init.lua",
    "doc.go",
    "_index.",
)
_PARTS: Final = re.compile(r"[\w-]+")


class Imported:
    """Answers over a set of paths that its owner changes, and tells of each change."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = paths
        self._known: dict[tuple[str, str, str], str | None] = {}  # by language, folder or file, and name
        self._stems: Counter[str] = Counter(stem for path in paths for stem in _stems(path))

    def by(self, path: str, language: str, names: Iterable[str]) -> list[str]:
        """The files that these imports of the file at `path` mean, each once, in their order."""
        place = path if language == "rust" else path.rpartition("/")[0]
        found: dict[str, None] = {}
        for name in names:
            key = (language, place, name)
            if key not in self._known:
                self._known[key] = self._find(path, language, name)
            target = self._known[key]
            if target is not None and target != path:
                found[target] = None
                if len(found) >= MAX_FOUND:
                    break
        return list(found)

    def came_or_went(self, path: str, *, came: bool) -> set[str]:
        """Forget what may be another answer with this path there, or gone; the imports that it is about."""
        for stem in _stems(path):
            self._stems[stem] += 1 if came else -1
        *folders, name = path.split("/")
        stem = name.split(".", 1)[0]
        keys = [stem]
        if name.startswith(_STANDS_FOR_FOLDER) or (folders and stem == folders[-1]):
            keys += [folders[-1] if folders else stem, ""]
        stale = [
            key
            for key in self._known
            if any(one in key[2] if one else not key[2].strip("./") for one in keys)
        ]
        for key in stale:
            del self._known[key]
        return {name for _, _, name in stale}

    def _may_be_here(self, language: str, name: str) -> bool:
        """Whether any file or folder has a name that the import needs; most imports are of other projects."""
        parts = _PARTS.findall(name)
        if language == "python":
            parts = parts[-1:]
        return not parts or any(self._stems[part] > 0 for part in parts)

    def _find(self, path: str, language: str, name: str) -> str | None:
        if not self._may_be_here(language, name):
            return None
        one = ContentRecord(recipe=0, hash="", language=language, lines=0, file_tokens=0, imports=(name,))
        folder = path.rpartition("/")[0]
        # Asked for all files of the folder, any of which may be the one that is meant: hence a name no file has.
        asking = path if language == "rust" else f"{folder}/\n" if folder else "\n"
        found = project_imports(one, asking, self._paths.__contains__)
        return found[0] if found else None


def _stems(path: str) -> tuple[str, ...]:
    """The names by which a file may be imported: its own up to the first dot, and its folder's."""
    *folders, name = path.split("/")
    return (name.split(".", 1)[0], *folders[-1:])
