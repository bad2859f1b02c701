"""The note about one content that a briefing adds to the outline: learned facts and a model's summary."""

from __future__ import annotations

from typing import Literal

import msgspec

from sidecar.store.records import FacetRecord

NoteOrigin = Literal["structural", "model", "aggregated"]


class Note(msgspec.Struct, frozen=True):
    """What is known about one content."""

    origin: NoteOrigin
    text: str | None  # a model's summary, if any
    facets: tuple[FacetRecord, ...]  # they hold for this content
    # Learned from earlier contents. They may no longer hold: no briefing shows them, an agent may verify them.
    former: tuple[FacetRecord, ...] = ()
    replaces_facets: bool = False  # `text` covers the facets as well

    @property
    def facts(self) -> tuple[str, ...]:
        return () if self.replaces_facets else tuple(facet.text for facet in self.facets)


NOTHING = Note("structural", None, ())
