"""A tour as data: the steps with their claims."""

from __future__ import annotations

from typing import Any

import msgspec


class Claim(msgspec.Struct, rename="camel"):
    """One thing that a step claims happened; `held` says whether it did, `detail` what was observed."""

    text: str
    held: bool
    detail: str | None = None


class TourStep(msgspec.Struct, rename="camel"):
    """One step of the tour; `data` holds what it shows, under names that `draw` and readers of the JSON use."""

    name: str
    title: str
    claims: list[Claim] = []
    data: dict[str, Any] = {}

    def claim(self, text: str, holds: bool, detail: str | None = None) -> None:
        self.claims.append(Claim(text, bool(holds), detail))

    @property
    def ok(self) -> bool:
        return all(claim.held for claim in self.claims)


class TourTranscript(msgspec.Struct, rename="camel"):
    """The whole tour; `ok` if every claim of every step held, else `log` holds the end of the server's log."""

    version: str
    folder: str
    ok: bool
    seconds: float
    steps: list[TourStep]
    log: list[str] = []
