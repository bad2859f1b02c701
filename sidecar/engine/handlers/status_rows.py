"""The row of one workspace in `sidecar/status`."""

from __future__ import annotations

from collections.abc import Callable

from protocol import status as api
from sidecar.embedding.workspace_embedding import EMBED_OPERATION
from sidecar.engine.enabled_workspace import WARM_UP, EnabledWorkspace
from sidecar.engine.mapping import to_wire
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.runtime.errors import SidecarError
from sidecar.store.salvage import describe_set_aside


def workspace_status(handle: WorkspaceHandle) -> api.WorkspaceStatus:
    """Return a workspace's row; if the store cannot be opened, the row has the error."""
    state, detail = handle.watcher_state()
    watcher = to_wire(api.WatcherStatus, state=state, detail=detail)
    warmup = to_wire(api.WarmupStatus, handle.operations.get(WARM_UP))
    row: Callable[..., api.WorkspaceStatus] = api.WorkspaceStatus
    try:
        opened = handle.open()
    except SidecarError as error:
        failed = api.StoreStatus(path="", bytes=0, schema_version=0, notice=error.message)
        return row(
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
    enabled = opened.enabled
    if enabled is not None:
        enabled.memory_file.take_in_edits()
    return row(
        uri=handle.uri,
        id=opened.place.identity.id,
        alone=opened.place.identity.alone,
        enabled=handle.settings.memory.enabled,
        memories=opened.book.searcher.counts(),
        candidates=len(opened.book.candidacy.list_candidates()),
        files=len(opened.files.current()),
        facets=enabled.knowledge.count_facets() if enabled is not None else 0,
        watcher=watcher,
        warmup=warmup,
        stores=[
            api.StoreStatus(
                path=str(store.directory),
                bytes=store.size(),
                schema_version=store.schema_version,
                notice=store.repair_notice or describe_set_aside(store.directory),
            )
            for store in (
                opened.memory_store if opened.throwaway is None else None,
                opened.user_store
                if opened.user_store.repair_notice or describe_set_aside(opened.user_store.directory)
                else None,
                opened.file_store,
                enabled.knowledge if enabled is not None else None,
            )
            if store is not None
        ],
        embedding=to_wire(
            api.EmbeddingStatus,
            opened.embedding.status(),
            operation=handle.operations.get(EMBED_OPERATION).state,
            bytes=opened.embedding.size(),
        ),
        **_fields_while_on(enabled) if enabled is not None else {},
    )


def _fields_while_on(enabled: EnabledWorkspace) -> dict[str, object]:
    """Return the fields of a workspace whose memory is on."""
    return {
        "tokens_saved": enabled.saved_tokens.total(),
        "memory_file": enabled.memory_file.status,
        "model": to_wire(api.ModelStatus, enabled.questions.status()),
        "trackers": enabled.enrichment.status(),
        "team": None if enabled.team is None else enabled.team.status(),
        "code": to_wire(api.CodeStatus, enabled.index.state()),
    }
