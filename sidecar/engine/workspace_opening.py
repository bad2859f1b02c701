"""Open the stores of a workspace and connect its parts.

This starts no thread; `WorkspaceHandle` decides when to open, what runs in the background and when to close.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import msgspec

from sidecar.checkout.identity import identify
from sidecar.checkout.repository_key import mark_of
from sidecar.checkout.tree import Tree
from sidecar.embedding.model_choice import NO_EMBEDDINGS
from sidecar.embedding.workspace_embedding import BackgroundEmbedding, WorkspaceEmbedding
from sidecar.engine.client_notices import ClientNotices
from sidecar.engine.enabled_workspace import EnabledWorkspace, ShortLivedWorkspace
from sidecar.engine.open_workspace import OpenWorkspace, ThrowawayStores, WorkspacePlace
from sidecar.engine.services import Services
from sidecar.files.index.lazy_index import IndexOptions, LazyIndex
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


def open_workspace(
    folder: Path, uri: str, settings: Settings, operations: Operations, services: Services
) -> OpenWorkspace:
    """Open the stores of a workspace and connect its parts. Raises `StoreUnavailable` and its subclasses."""
    with ExitStack() as opened_parts:  # closed again if a later one cannot be opened
        is_enabled = settings.memory.enabled
        home = data_home(settings.store.folder, make=is_enabled)
        place = WorkspacePlace(identify(folder, home, settings.workspace.id), home)
        throwaway = None if is_enabled or (place.stores / "memory").exists() else ThrowawayStores()
        memories = MemoryStore.open(place.stores / "memory") if throwaway is None else throwaway.memory_store
        keep = opened_parts.enter_context
        keep(closing(memories if throwaway is None else throwaway))
        file_store = keep(closing(FileStore.open(place.stores / "files"))) if is_enabled else None
        if is_enabled:
            place.record(keep=bool(memories.seq()))
            _describe(place)
        ours = (f"/{settings.memory_file.path}", f"/{settings.memory_file.folder}/")  # files that this program writes
        tree = Tree(folder, max_file_bytes=settings.files.max_file_bytes, extra_ignores=(*settings.files.ignore, *ours))
        own, short_lived = settings.files, services.options.short_lived
        files = WorkspaceFiles(file_store, tree, place.identity.checkout, keep_per_path=own.keep_per_path)
        options = IndexOptions(own.history_commits if own.history else 0, own.warm_up_workers, save_at_once=short_lived)
        index = LazyIndex(files, tree, file_store, options) if file_store is not None else None
        symbols = SymbolCache(file_store)
        present = PresentFiles(tree, files, symbols)
        references = ReferencedFiles(tree, files, present, index)
        user = services.user_store() if throwaway is None else throwaway.user_store
        model = services.models.choose(settings.embeddings if is_enabled else NO_EMBEDDINGS)
        embedding = keep(closing(WorkspaceEmbedding(model, (memories, user), services.clock, patient=short_lived)))
        book = MemoryBook(memories, user, services.clock, services.new_id, present, references, embedding)
        background_embedding = BackgroundEmbedding(embedding, book.saved_index.embed_missing, operations)
        opened_parts.callback(background_embedding.stop)
        opened_parts.callback(book.saved_index.save)
        workspace = _kind(is_enabled, short_lived)(
            folder=folder,
            uri=uri,
            settings=settings,
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
            lazy_index=index,
            symbols=symbols,
            references=references,
            embedding=embedding,
            background_embedding=background_embedding,
            throwaway=throwaway,
            closing=opened_parts.pop_all(),
        )
        if workspace.enabled is not None:
            workspace.closing.callback(workspace.enabled.keep_if_irreplaceable)
        _subscribe(workspace, present, services.notices)
        return workspace


def _kind(is_enabled: bool, short_lived: bool) -> type[OpenWorkspace]:
    if not is_enabled:
        return OpenWorkspace
    return ShortLivedWorkspace if short_lived else EnabledWorkspace


def _subscribe(workspace: OpenWorkspace, present: PresentFiles, notices: ClientNotices) -> None:
    """Connect the parts that change memories, candidates or files with those that react to changes."""
    book, files, enabled, uri = workspace.book, workspace.files, workspace.enabled, workspace.uri
    files.paths_changed.subscribe(present.forget, book.catalogue.judge_memories_about)  # judged by the new contents
    files.invalidated.subscribe(partial(notices.files_invalidated, uri))
    book.waiting_changed.subscribe(partial(notices.candidates_changed, uri))
    embed = workspace.background_embedding.memories_changed
    book.changed.subscribe(partial(notices.memories_changed, uri), workspace.place.record_as_kept, embed)
    if enabled is not None:
        book.view.change_noticed.subscribe(partial(enabled.verify_later, "files changed"))
        book.changed.subscribe(enabled.pass_on_changes)


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
