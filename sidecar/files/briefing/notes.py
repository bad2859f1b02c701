"""The note of a briefing about one content: learned facts and a model's summary."""

from __future__ import annotations

from typing import Literal

import msgspec

from sidecar.store.records import FacetRecord

NoteOrigin = Literal["structural", "model", "aggregated"]


class Note(msgspec.Struct, frozen=True):
    """What is known about one content. `text` is a model's summary, if any; with `replaces_facets`, also of the facets.

    `facets` hold for the content. `former` ones were learned from earlier contents and may no longer hold: they are
    there to be verified, and no briefing shows them.
    """

    origin: NoteOrigin
    text: str | None
    facets: tuple[FacetRecord, ...]
    former: tuple[FacetRecord, ...] = ()
    replaces_facets: bool = False

    @property
    def facts(self) -> tuple[str, ...]:
        return () if self.replaces_facets else tuple(facet.text for facet in self.facets)


NOTHING = Note("structural", None, ())
