"""The row of one workspace in `sidecar/status`."""

from __future__ import annotations

from protocol import status as api
from sidecar.embedding.workspace_embedding import EMBED_OPERATION
from sidecar.engine.background_reading import WARM_UP_OPERATION
from sidecar.engine.mapping import to_wire
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.runtime.errors import SidecarError
from sidecar.store.salvage import describe_set_aside


def workspace_status(handle: WorkspaceHandle) -> api.WorkspaceStatus:
    """Return a workspace's row; if the store cannot be opened, the row has the error."""
    state, detail = handle.watcher_state()
    watcher = to_wire(api.WatcherStatus, state=state, detail=detail)
    warmup = to_wire(api.WarmupStatus, handle.operations.get(WARM_UP_OPERATION))
    try:
        opened = handle.open()
    except SidecarError as error:
        failed = api.StoreStatus(path="", bytes=0, schema_version=0, notice=error.message)
        return api.WorkspaceStatus(
            uri=handle.uri,
            id="",
            memories={},
            files=0,
            facets=0,
            watcher=watcher,
            warmup=warmup,
            stores=[failed],
            enabled=handle.settings.memory.enabled,
        )
    is_enabled = opened.is_enabled
    memory_file = opened.memory_file_status() if is_enabled else None  # first, since edits change the counts
    return api.WorkspaceStatus(
        uri=handle.uri,
        id=opened.place.identity.id,
        alone=opened.place.identity.alone,
        enabled=handle.settings.memory.enabled,
        memories=opened.book.searcher.counts(),
        candidates=len(opened.book.candidacy.list_candidates()),
        files=len(opened.files.pointers.current()),
        facets=opened.knowledge.count_facets() if is_enabled else 0,
        watcher=watcher,
        warmup=warmup,
        stores=_store_rows(opened),
        embedding=to_wire(
            api.EmbeddingStatus,
            opened.embedding.status(),
            operation=handle.operations.get(EMBED_OPERATION).state,
            bytes=opened.embedding.size(),
        ),
        tokens_saved=opened.saved_tokens.total() if is_enabled else 0,
        memory_file=memory_file,
        model=to_wire(api.ModelStatus, opened.questions.status()) if is_enabled else None,
        trackers=opened.enrichment.status() if is_enabled else None,
        team=None if opened.team is None else opened.team.status(),
        code=to_wire(api.CodeStatus, opened.index.state()) if is_enabled else None,
    )


def _store_rows(opened: OpenWorkspace) -> list[api.StoreStatus]:
    """Return the rows of the workspace's stores, and of the user's if something is to be said of it."""
    user = opened.user_store
    stores = (
        opened.memory_store if opened.throwaway is None else None,
        user if user.repair_message or describe_set_aside(user.directory) else None,
        opened.file_store,
        opened.knowledge if opened.is_enabled else None,
    )
    return [
        api.StoreStatus(
            path=str(store.directory),
            bytes=store.size(),
            schema_version=store.schema_version,
            notice=store.repair_message or describe_set_aside(store.directory),
        )
        for store in stores
        if store is not None
    ]
