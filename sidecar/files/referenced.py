"""The files and symbols that a memory's text names, with the hashes that they have when it is recorded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sidecar.checkout.tree import Tree
from sidecar.files.present import PresentFiles
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.runtime.errors import OutsideWorkspace
from sidecar.store.records import FoundReferences, ReferenceRecord

if TYPE_CHECKING:
    from sidecar.text.references import Mention

MAX_REFERENCES = 100  # of a memory; a longer list of names is an index, not a statement
MAX_FILES = 40  # read for one memory
MAX_OUTLINED = 8  # files parsed to find symbols that are named without their file
MAX_DEFINING = 4  # files parsed to find the only one that defines a symbol; a name in more files is a common one
MAX_BYTES = 300_000  # of a file that is parsed for its symbols, because recording has to stay fast


class ReferencedFiles:
    """Finds what a text names among the present files of one checkout. Thread-safe."""

    def __init__(
        self, tree: Tree, files: WorkspaceFiles, present: PresentFiles, defining: Callable[[str], Sequence[str]]
    ) -> None:
        """`defining` returns the files that define a name, as far as it is known without waiting."""
        self._tree = tree
        self._files = files
        self._present = present
        self._defining = defining

    def find_references(self, text: str, files: Sequence[str], *, local: bool) -> FoundReferences:
        """Return the references of a text, and one for each of `files`, which the memory is declared to be about."""
        from sidecar.text.references import entities, possible_mentions

        mentions = possible_mentions(text)
        if not mentions and not files:
            return FoundReferences()
        if not local:
            references = [_unresolved(mention) for mention in mentions if mention.sure]
            references += [ReferenceRecord(kind="path", text=path) for path in files]
            return FoundReferences(_each_once(references), entities([mention for mention in mentions if mention.sure]))
        places = self._places([mention.path for mention in mentions if mention.path is not None])
        about = dict.fromkeys([*files, *(target for target in places.values() if target is not None)])
        self._present.forget_changed(list(about)[:MAX_FILES])
        hashes = {path: self._present.content(path) for path in list(about)[:MAX_FILES]}
        references = [ReferenceRecord(kind="path", text=path, path=path, hash=hashes.get(path)) for path in files]
        homes = self._homes(mentions, [path for path, hash in hashes.items() if hash is not None])
        hashes |= self._look_up([mention for mention in mentions if mention.sure], homes)
        for mention in mentions:
            target = places.get(mention.path) if mention.path is not None else None
            if mention.kind == "path":
                references += _path(mention, target, hashes)
            elif mention.kind == "symbol":
                references += self._symbol(mention, target, hashes, homes)
            elif mention.sure:
                references.append(_unresolved(mention))
        return FoundReferences(_each_once(references), entities([mention for mention in mentions if mention.sure]))

    def _places(self, paths: Iterable[str]) -> dict[str, str | None]:
        """Return where each named path is in the workspace: as given, or the only known file that ends like it."""
        places: dict[str, str | None] = {}
        unknown: list[str] = []
        for name in dict.fromkeys(paths):
            path = self._inside(name)
            if path is not None and self._tree.exists(path):
                places[name] = path
            else:
                places[name] = None
                unknown.append(name)
        tails = [name for name in unknown if not name.startswith(("/", ".")) and "." in name.rsplit("/", 1)[-1]]
        if tails:
            for name, candidates in self._files.pointers.paths_ending(tails[:MAX_FILES]).items():
                here = [path for path in candidates if self._tree.exists(path)]
                if len(here) == 1:
                    places[name] = here[0]
        return places

    def _inside(self, name: str) -> str | None:
        try:
            return self._tree.relative(name)
        except OutsideWorkspace:
            return None

    def _homes(self, mentions: Sequence[Mention], paths: Sequence[str]) -> dict[str, list[str]]:
        """Return, for each symbol that is named without its file, which of these files define it."""
        homes: dict[str, list[str]] = {
            mention.symbol: []
            for mention in mentions
            if mention.kind == "symbol" and not mention.path and mention.symbol
        }
        if not homes:
            return {}
        for path in paths[:MAX_OUTLINED]:
            for name in self._defined(path, homes):
                homes[name].append(path)
        return homes

    def _look_up(self, mentions: Sequence[Mention], homes: dict[str, list[str]]) -> dict[str, str | None]:
        """Add the only file, by the index of all files, that defines a symbol without a home; return the hashes."""
        hashes: dict[str, str | None] = {}
        parsed: set[str] = set()
        for name in [mention.symbol for mention in mentions if mention.symbol and homes.get(mention.symbol) == []]:
            paths = self._defining(name)
            if len(paths) > MAX_DEFINING or len(parsed.union(paths)) > MAX_OUTLINED:
                continue
            parsed.update(paths)
            defining_paths = [path for path in paths if self._defined(path, [name])]
            if len(defining_paths) == 1:
                homes[name] = defining_paths
                hashes[defining_paths[0]] = self._present.content(defining_paths[0])
        return hashes

    def _defined(self, path: str, names: Collection[str]) -> list[str]:
        """Return which of the symbols a file defines; a large file counts as defining none."""
        from sidecar.files.symbols.hashes import full_name, spans

        read = self._present.read(path)
        if read is None or read.size > MAX_BYTES:
            return []
        defined = spans(self._files.record_of(read))
        return [name for name in names if full_name(name, defined) is not None]

    def _symbol(
        self, mention: Mention, target: str | None, hashes: Mapping[str, str | None], homes: Mapping[str, Sequence[str]]
    ) -> list[ReferenceRecord]:
        """Return a reference into each file that defines the symbol, or a bare name that is surely a symbol."""
        name = mention.symbol or ""
        paths = [target] if target is not None else [] if mention.path else list(homes.get(name, ()))
        references: list[ReferenceRecord] = []
        for path in paths:
            own = self._present.symbols(path, [name]).get(name) if hashes.get(path) is not None else None
            if own is not None:
                references.append(
                    ReferenceRecord(
                        kind="symbol", text=mention.text, path=path, hash=own, symbol=name, file_hash=hashes[path]
                    )
                )
        if references:
            return references
        if mention.path is not None and target is not None:  # the file lacks the symbol: refer to the file
            return [ReferenceRecord(kind="path", text=mention.text, path=target, hash=hashes.get(target))]
        return [_unresolved(mention)] if mention.sure else []


def _path(mention: Mention, path: str | None, hashes: Mapping[str, str | None]) -> list[ReferenceRecord]:
    if path is not None and hashes.get(path) is not None:
        return [ReferenceRecord(kind="path", text=mention.text, path=path, hash=hashes[path])]
    return [_unresolved(mention)] if mention.sure else []


def _unresolved(mention: Mention) -> ReferenceRecord:
    return ReferenceRecord(kind=mention.kind, text=mention.text, symbol=mention.symbol)


def _each_once(references: Sequence[ReferenceRecord]) -> tuple[ReferenceRecord, ...]:
    """Drop duplicates: `src/x.py` given as a file and named in the text is one reference."""
    unique: dict[tuple[str, str | None, str | None], ReferenceRecord] = {}
    for reference in references:
        key = (
            (reference.kind, reference.path, reference.symbol)
            if reference.path is not None
            else (reference.kind, reference.text, None)
        )
        unique.setdefault(key, reference)
    return tuple(unique.values())[:MAX_REFERENCES]
