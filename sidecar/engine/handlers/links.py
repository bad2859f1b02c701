"""`memory/link` and `memory/links`: links between memories."""

from __future__ import annotations

import contextlib

from protocol import links as api
from protocol.families import LinksFamily
from sidecar.engine import mapping
from sidecar.engine.components import Components
from sidecar.engine.enabled_components import EnabledComponents
from sidecar.engine.services import Services
from sidecar.runtime.cancellation import Call
from sidecar.runtime.errors import InvalidField, MemoryNotFound


class LinksHandler(LinksFamily[Components, EnabledComponents, Call]):
    def __init__(self, services: Services) -> None:
        self._source = services.source

    def memory_link(self, params: api.LinkParams, opened: EnabledComponents, call: Call) -> api.LinkResult:
        if params.remove:
            return api.LinkResult(status=opened.book.links.remove(params.from_, params.to, params.kind))
        link, status = opened.book.links.put(params.from_, params.to, params.kind, params.strength, self._source(call))
        return api.LinkResult(status=status, link=mapping.link(link))

    def memory_links(self, params: api.LinksParams, opened: Components, call: Call) -> api.LinksResult:
        if (params.id is None) == (params.ids is None):
            raise InvalidField("Links are asked for by an id or by ids, and not by both.", path="$.id")
        if params.id is not None:
            linked = opened.book.links.of(params.id, params.kinds)
            return api.LinksResult(items=[mapping.linked(link) for link in linked])
        items: list[api.LinkedMemory] = []
        for id in dict.fromkeys(params.ids or ()):
            with contextlib.suppress(MemoryNotFound):
                items += [mapping.linked(link) for link in opened.book.links.of(id, params.kinds)]
        return api.LinksResult(items=items)
