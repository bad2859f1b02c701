"""The parts of an open workspace, and how they are assembled.

Opening starts no thread; `Workspace` decides when to open, what runs in the background and when to close.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from sidecar.checkout.identity import Identity, identify, record_identity
from sidecar.checkout.opened_folder import OpenedFolder
from sidecar.checkout.tree import Tree
from sidecar.embedding.model_choice import NO_EMBEDDINGS
from sidecar.embedding.workspace_embedding import WorkspaceEmbedding
from sidecar.engine.enabled_components import EnabledComponents
from sidecar.engine.file_references import Grounding
from sidecar.files.briefing.companions import with_companions
from sidecar.files.memory import BRIEFING_TOKENS, FileMemory, Summary
from sidecar.files.symbols.cache import SymbolCache
from sidecar.memories import renaming
from sidecar.memories.book import MemoryBook
from sidecar.runtime.errors import MemoryDisabled, SidecarError
from sidecar.store.file_store import FileStore
from sidecar.store.location import PRIVATE_FILE
from sidecar.store.memory_store import MemoryStore
from sidecar.system.processes import is_alive

if TYPE_CHECKING:
    from sidecar.engine.services import Services
    from sidecar.engine.workspace import Workspace
    from sidecar.memory_file.sync import MemoryFile

log = logging.getLogger(__name__)

COMPANIONS = 3
"""Files often changed together with a file that its briefing names."""


_OFF = "memory-sidecar-off-"


class ThrowawayStores:
    """Stores of a folder whose memory is switched off and never was on; they stay empty and are removed on close."""

    def __init__(self) -> None:
        from tempfile import TemporaryDirectory, gettempdir

        for left in Path(gettempdir()).glob(f"{_OFF}*-*"):  # left by killed processes
            number = left.name.removeprefix(_OFF).partition("-")[0]
            if number.isdecimal() and not is_alive(int(number)):
                shutil.rmtree(left, ignore_errors=True)
        self._room = TemporaryDirectory(prefix=f"{_OFF}{os.getpid()}-", ignore_cleanup_errors=True)
        self.memories = MemoryStore.open(Path(self._room.name) / "memory")
        self.user = MemoryStore.open(Path(self._room.name) / "user")

    def close(self) -> None:
        """Close the stores and remove their folder. Idempotent."""
        self.memories.close()
        self.user.close()
        self._room.cleanup()


@dataclass(eq=False)
class Components:
    """The parts of an open workspace; `enabled` is None while memory is off, `ours` are the files that we write."""

    workspace: Workspace
    services: Services
    identity: Identity
    data_home: Path
    home: Path
    standing: OpenedFolder
    tree: Tree
    memories: MemoryStore
    user: MemoryStore
    book: MemoryBook
    files: FileMemory
    files_store: FileStore | None
    symbols: SymbolCache
    ours: tuple[str, ...]
    grounding: Grounding
    embedding: WorkspaceEmbedding
    throwaway: ThrowawayStores | None
    enabled: EnabledComponents | None = field(init=False)

    def __post_init__(self) -> None:
        self.enabled = EnabledComponents(self, self.files_store) if self.files_store is not None else None

    @property
    def memory_file(self) -> MemoryFile | None:
        return self.enabled.memory_file if self.enabled is not None else None

    @property
    def outdated(self) -> Literal["gone", "replaced"] | None:
        """Return `gone` if the stores were deleted, `replaced` if the folder now holds another workspace."""
        if self.memories.is_gone or self.user.is_gone:
            return "gone"
        return "replaced" if self.standing.is_replaced() else None

    def require_enabled(self) -> EnabledComponents:
        if self.enabled is None:
            raise MemoryDisabled("Memory is switched off.", hint="Set memory.enabled to true to record and search.")
        return self.enabled

    def summary(self, given: str, intent: str = "explore", budget: int = BRIEFING_TOKENS) -> Summary:
        """Return a file's briefing with what was learned about it. Raises `OutsideWorkspace` or `FileUnavailable`."""
        if self.enabled is None:
            return self.files.summary(given, intent, budget)
        found = self.files.summary(given, intent, budget, self.enabled.facets.note)
        if found.advice is not None:
            return found
        near = [one for one in self.enabled.companions(found.path) if self.tree.exists(one.path)]
        return with_companions(found, near[:COMPANIONS], budget)

    def close(self) -> None:
        if self.enabled is not None:
            self.enabled.end()
            if self._holds_anything(self.enabled):
                record_identity(self.identity, self.data_home, keep=True)
        self.book.save()
        self.embedding.close()
        self.memories.close()
        if self.enabled is not None:
            self.enabled.close()
        if self.throwaway is not None:
            self.throwaway.close()

    def _holds_anything(self, components: EnabledComponents) -> bool:
        """Tell whether the stores hold irreplaceable data and must be found again."""
        try:
            ours = self.memories.seq() or self.memories.reminders() or self.memories.candidates()
            return bool(ours or components.has_learned())
        except SidecarError as error:
            log.info("It cannot be seen whether anything was recorded: %s", error.message)
            return False


def open_components(workspace: Workspace, services: Services) -> Components:
    """Open the stores of a workspace and assemble its parts. Raises `StoreUnavailable` and its subclasses."""
    folder, settings = workspace.folder, workspace.settings
    is_enabled = settings.memory.enabled
    data_home = services.data_home()
    identity = identify(folder, data_home, settings.workspace.id)
    standing = OpenedFolder(identity, data_home)
    home = data_home / "workspaces" / identity.id
    throwaway = None if is_enabled or (home / "memory").exists() else ThrowawayStores()
    memories = MemoryStore.open(home / "memory") if throwaway is None else throwaway.memories
    files_store = FileStore.open(home / "files") if is_enabled else None
    if is_enabled:
        record_identity(identity, data_home, keep=bool(memories.seq()))
        _describe(home / "workspace.json", identity)
    ours = (f"/{settings.memory_file.path}", f"/{settings.memory_file.folder}/")  # files that this program writes
    tree = Tree(folder, max_file_bytes=settings.files.max_file_bytes, extra_ignores=(*settings.files.ignore, *ours))
    files = FileMemory(
        files_store,
        tree,
        identity.checkout,
        keep_per_path=settings.files.keep_per_path,
        on_invalidated=partial(services.events.files_invalidated, workspace),
    )
    symbols = SymbolCache(files_store)
    grounding = Grounding(tree, files, symbols, partial(workspace.verify_later, "files found changed"))
    stores = (memories, services.user_store() if throwaway is None else throwaway.user)
    embedding = WorkspaceEmbedding(
        services.models.choose(settings.embeddings if is_enabled else NO_EMBEDDINGS),
        stores,
        workspace.operations,
        services.clock,
        patient=not workspace.watched,
    )
    book = MemoryBook(
        *stores,
        services.clock,
        services.new_id,
        surroundings=grounding,
        embedder=embedding.embedder,
        loaded=embedding.loaded,
        vectors=embedding.kept,
    )
    book.changed.subscribe(partial(services.events.memories_changed, workspace))
    if is_enabled:
        _mend_names(stores)
    return Components(
        workspace=workspace,
        services=services,
        identity=identity,
        data_home=data_home,
        home=home,
        standing=standing,
        tree=tree,
        memories=memories,
        user=stores[1],
        book=book,
        files=files,
        files_store=files_store,
        symbols=symbols,
        ours=ours,
        grounding=grounding,
        embedding=embedding,
        throwaway=throwaway,
    )


def _mend_names(stores: Sequence[MemoryStore]) -> None:
    """Rename memories that an earlier version named badly; in a read-only store, their next update does so."""
    try:
        mended = renaming.mend_names(stores)
    except SidecarError as error:
        log.info("Names of an earlier version stay for now: %s", error.message)
    else:
        if mended:
            log.info("%d memories were called what they said before; they are named anew", mended)


def _describe(path: Path, identity: Identity) -> None:
    """Write a file beside the stores that tells people which workspace they belong to; nothing reads it back."""
    description = {
        "kind": identity.kind,
        "folder": str(identity.folder),
        "inner": identity.inner,
        "origin": identity.origin,
    }
    body = msgspec.json.format(msgspec.json.encode(description), indent=2)
    try:
        if not path.exists() or path.read_bytes() != body:
            path.touch(PRIVATE_FILE)
            path.write_bytes(body)
        path.chmod(PRIVATE_FILE)  # earlier versions used the umask
    except OSError as error:
        log.warning("could not write %s: %s", path, error)
