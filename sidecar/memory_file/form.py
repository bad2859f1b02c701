"""The form that the settings choose, one file or a directory of pages: where it is, and what is kept about it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Literal

from sidecar.checkout.exclude import exclude
from sidecar.checkout.hand_edits import normalise_text
from sidecar.checkout.repository import Repository
from sidecar.checkout.repository_key import digest
from sidecar.memory_file import disk
from sidecar.memory_file.state import StateStore
from sidecar.settings.model import MemoryFileSettings
from sidecar.store.file_store import FileStore

log = logging.getLogger(__name__)


class FileForm:
    """The form of the memory file in one checkout, whose root is a real path."""

    def __init__(self, root: Path, settings: MemoryFileSettings, files: FileStore, checkout: str) -> None:
        self.is_off = settings.mode == "off"
        self.is_directory = settings.mode == "directory"
        self.root = root
        self.path = settings.folder if self.is_directory else settings.path  # below `root`
        self._settings = settings
        self._files = files
        self._checkout = checkout
        self._other_is_left = False
        self.states = self._state_store("directory" if self.is_directory else "file")

    def resolve(self) -> Path:
        """Return the place of the file or directory. Raises `UnusableFile` if it is outside of the root."""
        return disk.resolve_inside(self.root, self.path)

    def exclude_once(self) -> None:
        """Exclude the file from git only before it is first created: a user may remove the line to share the file."""
        name = f"memory-file:{self._checkout}:{self._settings.mode}:excluded"
        if self._files.get_blob(name):
            return
        self._files.put_blob(name, b"1")
        folder = self.path if self.is_directory else self.path.rpartition("/")[0]
        # While it is written, the file has a temporary name, which nobody should share.
        exclude(self.root, folder, f"{'/' if folder else ''}{disk.TEMPORARY_PATTERN}")
        if exclude(self.root, self.path):
            log.info("%s is kept out of git by info/exclude; remove that line to share it.", self.path)

    def tidy_once(self) -> None:
        """Remove what the other form and interrupted writes left."""
        if not self._other_is_left:
            self._leave_other()
            self._other_is_left = True
            path = self.resolve()
            disk.remove_stale(path if self.is_directory else path.parent)

    def _leave_other(self) -> None:
        """Remove the file or pages of the other form, which would become outdated, unless somebody has edited them."""
        store = self._state_store("file" if self.is_directory else "directory")
        state = store.load()
        if state is None:
            return
        if self.is_directory:
            path = disk.resolve_inside(self.root, self._settings.path)
            text = disk.read_text(path)
            if text is not None and digest(normalise_text(text)) == state.digest:
                disk.remove(path)
        else:
            folder = disk.resolve_inside(self.root, self._settings.folder)
            texts = {name: disk.read_text(folder / name) or "" for name in sorted(set(state.files.values()))}
            if {name: digest(normalise_text(text)) for name, text in texts.items()} == state.pages:
                for name in texts:
                    disk.remove(folder / name)
        store.save(None)

    def _state_store(self, form: Literal["file", "directory"]) -> StateStore:
        return StateStore(self._files, self._checkout, form)


class RepositoryTrust:
    """Whether a repository's file counts as the user's own words, in all checkouts of the repository."""

    def __init__(self, files: FileStore, repository: Repository | None, folder: Path) -> None:
        self._files = files
        place = repository.common_dir if repository is not None else folder
        self._name = f"memory-file:trusted:{digest(str(place))}"

    @property
    def on(self) -> bool:
        return bool(self._files.get_blob(self._name))

    def set(self, on: bool) -> None:
        self._files.put_blob(self._name, b"1" if on else b"")
