"""`memory/link` and `memory/links`: links between memories."""

from __future__ import annotations

import contextlib

from protocol import links as api
from sidecar.engine import mapping
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.options import SourceOf
from sidecar.runtime.cancellation import Context
from sidecar.runtime.errors import InvalidField, MemoryNotFound


class LinksHandler:
    def __init__(self, source: SourceOf) -> None:
        self._source = source

    def memory_link(self, params: api.LinkParams, workspace: OpenWorkspace, context: Context) -> api.LinkResult:
        if params.remove:
            return api.LinkResult(status=workspace.book.links.remove(params.from_, params.to, params.kind))
        link, status = workspace.book.links.put(
            params.from_, params.to, params.kind, params.strength, self._source(context)
        )
        return api.LinkResult(status=status, link=mapping.link(link))

    def memory_links(self, params: api.LinksParams, workspace: OpenWorkspace, context: Context) -> api.LinksResult:
        if (params.id is None) == (params.ids is None):
            raise InvalidField("Links are asked for by an id or by ids, and not by both.", path="$.id")
        if params.id is not None:
            linked = workspace.book.links.links_of(params.id, params.kinds)
            return api.LinksResult(items=[mapping.linked(link) for link in linked])
        items: list[api.LinkedMemory] = []
        for id in dict.fromkeys(params.ids or ()):
            with contextlib.suppress(MemoryNotFound):
                items += [mapping.linked(link) for link in workspace.book.links.links_of(id, params.kinds)]
        return api.LinksResult(items=items)
