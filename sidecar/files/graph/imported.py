"""Which files of the workspace the imports of each file mean, found once for all files of a folder."""

from __future__ import annotations

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


class Imported:
    """Answers over a set of paths that its owner changes, and tells of each change."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = paths
        self._known: dict[tuple[str, str, str], str | None] = {}  # by language, folder or file, and name

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

    def came_or_went(self, path: str) -> set[str]:
        """Forget what may be another answer with this path there, or gone; the imports that it is about."""
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

    def _find(self, path: str, language: str, name: str) -> str | None:
        one = ContentRecord(recipe=0, hash="", language=language, lines=0, file_tokens=0, imports=(name,))
        folder = path.rpartition("/")[0]
        # Asked for all files of the folder, any of which may be the one that is meant: hence a name no file has.
        asking = path if language == "rust" else f"{folder}/\n" if folder else "\n"
        found = project_imports(one, asking, self._paths.__contains__)
        return found[0] if found else None
