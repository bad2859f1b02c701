"""A clock in the hands of the tests."""

from __future__ import annotations

from dataclasses import dataclass

MINUTE = 60_000
DAY = 86_400_000
SATURDAY = 1_795_251_600_000  # 2026-11-21 09:00 UTC


@dataclass
class Clock:
    """Milliseconds that stand still until a test moves them; each reading takes `step` of them."""

    now: int = SATURDAY
    step: int = 0

    def __call__(self) -> int:
        self.now += self.step
        return self.now

    def forward(self, *, days: float = 0, ms: int = 0) -> None:
        self.now += int(days * DAY) + ms
