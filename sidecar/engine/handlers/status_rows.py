"""The row of one workspace in `sidecar/status`."""

from __future__ import annotations

from collections.abc import Callable

from protocol import status as api
from sidecar.embedding.workspace_embedding import EMBED
from sidecar.engine.mapping import struct
from sidecar.engine.workspace import WARM_UP, Workspace
from sidecar.runtime.errors import SidecarError
from sidecar.store.salvage import left_aside


def workspace_status(workspace: Workspace) -> api.WorkspaceStatus:
    """Return a workspace's row; if its store cannot be opened, the row says so."""
    state, detail = workspace.watcher_state()
    watcher = struct(api.WatcherStatus, state=state, detail=detail)
    warmup = struct(api.WarmupStatus, workspace.operations.get(WARM_UP))
    row: Callable[..., api.WorkspaceStatus] = api.WorkspaceStatus
    try:
        opened = workspace.open()
    except SidecarError as error:
        failed = api.StoreStatus(path="", bytes=0, schema_version=0, notice=error.message)
        return row(
            uri=workspace.uri,
            id="",
            memories={},
            files=0,
            facets=0,
            watcher=watcher,
            warmup=warmup,
            stores=[failed],
            enabled=workspace.settings.memory.enabled,
        )
    if opened.memory_file is not None:
        opened.memory_file.take_in_edits()
    return row(
        uri=workspace.uri,
        id=opened.identity.id,
        alone=opened.identity.alone,
        enabled=workspace.settings.memory.enabled,
        memories=opened.book.counts(),
        candidates=len(opened.book.candidacy.listed()),
        files=len(opened.files.current()),
        facets=opened.enabled.knowledge.count_facets() if opened.enabled is not None else 0,
        tokens_saved=opened.enabled.saved_tokens.total() if opened.enabled is not None else 0,
        watcher=watcher,
        warmup=warmup,
        stores=[
            api.StoreStatus(
                path=str(store.directory),
                bytes=store.size(),
                schema_version=store.schema_version,
                notice=store.notice or left_aside(store.directory),
            )
            for store in (
                opened.memories if opened.throwaway is None else None,
                opened.user if opened.user.notice or left_aside(opened.user.directory) else None,
                opened.files_store,
                opened.enabled.knowledge if opened.enabled else None,
            )
            if store is not None
        ],
        memory_file=None if opened.memory_file is None else struct(api.MemoryFileStatus, opened.memory_file.status),
        model=None if opened.enabled is None else struct(api.ModelStatus, opened.enabled.questions.status()),
        trackers=None if opened.enabled is None else struct(api.TrackerStatus, opened.enabled.enrichment.status()),
        team=None if opened.sharing is None else struct(api.TeamStatus, opened.sharing.status()),
        code=None if opened.enabled is None else struct(api.CodeStatus, opened.enabled.code.state()),
        embedding=struct(
            api.EmbeddingStatus,
            opened.embedding.status(),
            operation=workspace.operations.get(EMBED).state,
            bytes=opened.embedding.size(),
        ),
    )
