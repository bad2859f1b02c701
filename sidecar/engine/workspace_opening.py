"""Open the stores of a workspace and connect its parts.

This starts no thread; `WorkspaceHandle` decides when to open, what runs in the background and when to close.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from sidecar.checkout.identity import identify
from sidecar.checkout.repository_key import mark_of
from sidecar.checkout.tree import Tree
from sidecar.embedding.model_loader import NO_EMBEDDINGS
from sidecar.embedding.workspace_embedding import BackgroundEmbedding, WorkspaceEmbedding
from sidecar.engine.client_notifier import ClientNotifier
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.services import Services
from sidecar.engine.workspace_place import ThrowawayStores, WorkspacePlace
from sidecar.files.present import PresentFiles
from sidecar.files.referenced import ReferencedFiles
from sidecar.files.symbols.cache import SymbolCache
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.memories.book import MemoryBook
from sidecar.runtime.operations import Operations
from sidecar.settings import Settings
from sidecar.store.file_store import FileStore
from sidecar.store.location import PRIVATE_FILE, data_home
from sidecar.store.memory_store import MemoryStore

log = logging.getLogger(__name__)


class _Stores(NamedTuple):
    """The stores of a workspace. While memory is off there is none of files, and the others may be thrown away."""

    place: WorkspacePlace
    memories: MemoryStore
    user: MemoryStore
    files: FileStore | None
    throwaway: ThrowawayStores | None


def open_workspace(
    folder: Path, uri: str, settings: Settings, operations: Operations, services: Services
) -> OpenWorkspace:
    """Open the stores of a workspace and connect its parts. Raises `StoreUnavailable` and its subclasses."""
    with ExitStack() as opened_parts:  # closed again if a later one cannot be opened
        place, memories, user, file_store, throwaway = _open_stores(folder, settings, services, opened_parts)
        file_settings, short_lived = settings.files, services.options.short_lived
        written_by_us = (f"/{settings.memory_file.path}", f"/{settings.memory_file.folder}/")
        ignored = (*file_settings.ignore, *written_by_us)
        tree = Tree(folder, max_file_bytes=file_settings.max_file_bytes, extra_ignores=ignored)
        files = WorkspaceFiles(file_store, tree, place.identity.checkout, keep_per_path=file_settings.keep_per_path)
        symbols = SymbolCache(file_store)
        present = PresentFiles(tree, files, symbols)

        def defining(name: str) -> Sequence[str]:
            index = OpenWorkspace.index.ready(workspace)
            return () if index is None else index.defining(name)

        references = ReferencedFiles(tree, files, present, defining)
        model = services.models.loader_of(settings.embeddings if settings.memory.enabled else NO_EMBEDDINGS)
        embedding = WorkspaceEmbedding(model, (memories, user), services.clock, patient=short_lived)
        opened_parts.callback(embedding.close)
        book = MemoryBook(memories, user, services.clock, services.new_id, present, references, embedding)
        background_embedding = BackgroundEmbedding(embedding, book.catalogue.embed_missing, operations)
        opened_parts.callback(background_embedding.stop)
        opened_parts.callback(book.catalogue.save)
        if settings.memory.enabled:
            kept = memories.reminders, memories.candidates
            opened_parts.callback(
                place.keep_identity_if, lambda: bool(memories.seq() or any(part.all() for part in kept))
            )
        workspace = OpenWorkspace(
            folder=folder,
            uri=uri,
            settings=settings,
            short_lived=short_lived,
            operations=operations,
            clock=services.clock,
            priority=services.priority,
            chat_models=services.chat_models,
            spending=services.spending,
            place=place,
            tree=tree,
            memory_store=memories,
            user_store=user,
            book=book,
            files=files,
            file_store=file_store,
            symbols=symbols,
            references=references,
            embedding=embedding,
            background_embedding=background_embedding,
            throwaway=throwaway,
            closing=opened_parts.pop_all(),
        )
        _subscribe(workspace, present, services.notifier)
        return workspace


def _open_stores(folder: Path, settings: Settings, services: Services, opened: ExitStack) -> _Stores:
    """Open the stores, and put those of this workspace on `opened`; the user's are closed with the engine."""
    is_enabled = settings.memory.enabled
    home = data_home(settings.store.folder, make=is_enabled)
    place = WorkspacePlace(identify(folder, home, settings.workspace.id), home)
    if not is_enabled and not (place.stores / "memory").exists():
        throwaway = opened.enter_context(closing(ThrowawayStores()))
        return _Stores(place, throwaway.memory_store, throwaway.user_store, None, throwaway)
    memories = opened.enter_context(closing(MemoryStore.open(place.stores / "memory")))
    files = opened.enter_context(closing(FileStore.open(place.stores / "files"))) if is_enabled else None
    if is_enabled:
        place.record_identity(keep=bool(memories.seq()))
        _describe(place)
    return _Stores(place, memories, services.user_store(), files, None)


def _subscribe(workspace: OpenWorkspace, present: PresentFiles, notifier: ClientNotifier) -> None:
    """Connect the parts that change memories, candidates or files with those that react to changes."""
    book, files, uri = workspace.book, workspace.files, workspace.uri

    def judge_again(paths: Sequence[str]) -> None:
        present.forget(paths)  # first, so that memories are judged by the new contents
        book.catalogue.judge_memories_about(paths)

    files.paths_changed.subscribe(judge_again)
    files.invalidated.subscribe(partial(notifier.files_invalidated, uri))
    book.waiting_changed.subscribe(partial(notifier.candidates_changed, uri))
    embed = workspace.background_embedding.memories_changed
    book.changed.subscribe(partial(notifier.memories_changed, uri), workspace.place.keep_identity_once, embed)
    if workspace.is_enabled:
        book.view.change_noticed.subscribe(partial(workspace.verify_later, "files changed"))
        book.changed.subscribe(lambda _: workspace.memory_file.request_write())
        book.changed.subscribe(lambda _: workspace.push_to_team())


def _describe(place: WorkspacePlace) -> None:
    """Write a file beside the stores that says which workspace they belong to."""
    path, identity = place.stores / "workspace.json", place.identity
    description = {
        "kind": identity.kind,
        "folder": str(identity.folder),
        "inner": identity.inner,
        "origin": identity.origin,
        "mark": mark_of(identity.folder),
    }
    body = msgspec.json.format(msgspec.json.encode(description), indent=2)
    try:
        if not path.exists() or path.read_bytes() != body:
            path.touch(PRIVATE_FILE)
            path.write_bytes(body)
        path.chmod(PRIVATE_FILE)  # earlier versions used the umask
    except OSError as error:
        log.warning("%s cannot be written: %s", path, error)
