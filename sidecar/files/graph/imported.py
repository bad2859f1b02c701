"""Which files of the workspace the imports of each file mean, resolved once for all files of a folder."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from sidecar.files.graph.node import JVM_ROOT, PACKAGED
from sidecar.files.imports import MAX_FOUND, project_imports
from sidecar.store.records import ContentRecord

_STANDS_FOR_FOLDER: Final = ("__init__.", "index.", "mod.rs", "lib.rs", "main.rs", "init.lua", "doc.go", "_index.")
_BY_NAME: Final = PACKAGED | {"python"}  # languages whose imports end in the name that code then uses


class Imported:
    """Resolves imports over a set of paths. After the set changes, call `stale` before the next question."""

    def __init__(self, paths: Collection[str], missing: Sequence[str] = ()) -> None:
        """`missing` are the imports of links that another process made."""
        self._paths = paths
        self._asked = missing
        self._known: dict[tuple[str, str, str], str | None] = {}  # by language, folder or file, and name

    def targets(self, path: str, language: str, names: Iterable[str]) -> list[str]:
        """Return the files that these imports of the file at `path` mean, in order, each once."""
        place = _place(path, language)
        targets: dict[str, None] = {}
        for name in names:
            target = self._target_of(path, language, place, name)
            if target is not None and target != path:
                targets[target] = None
                if len(targets) >= MAX_FOUND:
                    break
        return list(targets)

    def _target_of(self, path: str, language: str, place: str, name: str) -> str | None:
        key = (language, place, name)
        if key not in self._known:
            self._known[key] = self._find(path, language, name)
        return self._known[key]

    def foreign_names(self, path: str, language: str, names: Iterable[str]) -> set[str]:
        """Return the names that these imports take from other projects."""
        if language not in _BY_NAME:
            return set()
        place = _place(path, language)
        foreign: set[str] = set()
        for name in names:
            if name.startswith("."):
                continue
            holder, _, last = name.rpartition("/" if language == "go" else ".")
            if self._target_of(path, language, place, name) is not None:
                continue
            if not holder or language == "go" or self._target_of(path, language, place, holder) is None:
                foreign.add(last)
        return foreign

    def forget(self) -> None:
        self._known.clear()
        self._asked = ()

    def stale(self, paths: Iterable[str]) -> set[str]:
        """Forget the answers that added or removed paths may change; return the imports that they answered."""
        keys: set[str] = set()
        for path in paths:
            *folders, name = path.split("/")
            stem = name.split(".", 1)[0]
            keys.add(stem)
            if name.startswith(_STANDS_FOR_FOLDER) or (folders and stem == folders[-1]):
                keys.update((folders[-1] if folders else stem, ""))

        def concerns(name: str) -> bool:
            return any(suffix in name if suffix else not name.strip("./") for suffix in keys)

        stale = [key for key in self._known if concerns(key[2])]
        for key in stale:
            del self._known[key]
        return {name for _, _, name in stale} | {name for name in self._asked if concerns(name)}

    def _find(self, path: str, language: str, name: str) -> str | None:
        record = ContentRecord(recipe=0, hash="", language=language, lines=0, file_tokens=0, imports=(name,))
        folder = path.rpartition("/")[0]
        # The answer serves all files of the folder, any of which may be the target: hence a name that no file has.
        asking = path if language == "rust" else f"{folder}/\n" if folder else "\n"
        targets = project_imports(record, asking, self._paths.__contains__)
        return targets[0] if targets else None


def _place(path: str, language: str) -> str:
    """Return the folder, file or package root on which the meaning of a path's imports depends."""
    if language == "rust":
        return path
    if language in PACKAGED and language != "go":
        root = JVM_ROOT.match(path)
        if root is not None:
            return root[0]
    return path.rpartition("/")[0]
