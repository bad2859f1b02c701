"""What a briefing says besides a file's outline: learned facts and a model's summary."""

from __future__ import annotations

from typing import Literal

import msgspec

from sidecar.store.records import FacetRecord

NoteOrigin = Literal["structural", "model", "aggregated"]


class Note(msgspec.Struct, frozen=True):
    """What is known about one content. `text` is a model's summary, if any; if `told`, it replaces the facets too.

    `facets` hold for the content. `former` ones were learned from earlier contents and may no longer hold: they are
    there to be verified, and no briefing shows them.
    """

    origin: NoteOrigin
    text: str | None
    facets: tuple[FacetRecord, ...]
    former: tuple[FacetRecord, ...] = ()
    told: bool = False

    @property
    def facts(self) -> tuple[str, ...]:
        return () if self.told else tuple(facet.text for facet in self.facets)


NOTHING = Note("structural", None, ())
