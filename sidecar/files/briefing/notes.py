"""What a briefing says besides a file's outline: what was learned about it and what a model wrote about it."""

from __future__ import annotations

from typing import Literal

import msgspec

from sidecar.store.records import FacetRecord

Origin = Literal["structural", "model", "aggregated"]


class Note(msgspec.Struct, frozen=True):
    """What is known of one content. `text` is a model's, if any; `told`: it stands for the facets too.

    `facets` hold for the content. `former` ones were learned of earlier contents and may hold no more: they are for
    verification, and no briefing shows them.
    """

    origin: Origin
    text: str | None
    facets: tuple[FacetRecord, ...]
    former: tuple[FacetRecord, ...] = ()
    told: bool = False

    @property
    def facts(self) -> tuple[str, ...]:
        return () if self.told else tuple(facet.text for facet in self.facets)


NOTHING = Note("structural", None, ())
