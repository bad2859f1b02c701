"""`memory/link`, `memory/links` and `memory/verify`: links between memories, and whether a memory still holds."""

from __future__ import annotations

import contextlib

from protocol import links as wire
from protocol import memories
from sidecar.engine import wire_mapping
from sidecar.engine.services import Services
from sidecar.runtime.errors import InvalidField, MemoryNotFound


class LinkRequests:
    def __init__(self, services: Services) -> None:
        self._services = services

    def memory_link(self, params: wire.LinkParams) -> wire.LinkResult:
        """Link two memories, or unlink them."""
        workspace, opened = self._services.find_current(params.workspace_uri)
        self._services.require_enabled(workspace)
        if params.remove:
            return wire.LinkResult(status=opened.book.unlink(params.from_, params.to, params.kind))
        link, status = opened.book.link(params.from_, params.to, params.kind, params.strength, self._services.source)
        return wire.LinkResult(status=status, link=wire_mapping.link(link))

    def memory_links(self, params: wire.LinksParams) -> wire.LinksResult:
        """Return the links of one memory or of several."""
        if (params.id is None) == (params.ids is None):
            raise InvalidField("Links are asked for by an id or by ids, and not by both.", path="$.id")
        _, opened = self._services.find_current(params.workspace_uri)
        if params.id is not None:
            found = opened.book.links(params.id, params.kinds)
            return wire.LinksResult(items=[wire_mapping.linked(one) for one in found])
        items: list[wire.LinkedMemory] = []
        for id in dict.fromkeys(params.ids or ()):
            with contextlib.suppress(MemoryNotFound):
                items += [wire_mapping.linked(one) for one in opened.book.links(id, params.kinds)]
        return wire.LinksResult(items=items)

    def memory_verify(self, params: memories.IdParams) -> memories.Memory:
        """Confirm that a memory still holds."""
        workspace, opened = self._services.find_current(params.workspace_uri)
        self._services.require_enabled(workspace)
        updated = opened.book.confirm(params.id)
        return wire_mapping.updated(updated)
