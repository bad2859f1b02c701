"""What came of an attack: counted, and judged."""

from __future__ import annotations

from dataclasses import dataclass, field


class Skipped(Exception):
    """This machine cannot carry the attack out; the text says why."""


@dataclass
class Outcome:
    """`lost`: acknowledged and gone without a word. `told`: refused, or lost, with one. `wrong`: anything else."""

    tries: int = 0
    acknowledged: int = 0
    told: int = 0
    lost: list[str] = field(default_factory=list)
    crashed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Take another's into this one."""
        for name in ("tries", "acknowledged", "told", "lost", "crashed", "wrong", "notes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def faults(self) -> list[str]:
        """Everything that must never be."""
        return [
            f"{kind}: {text}"
            for kind, texts in (("lost", self.lost), ("crashed", self.crashed), ("wrong", self.wrong))
            for text in texts
        ]

    def row(self, name: str) -> str:
        """One line of the table."""
        verdict = f"FELL ({len(self.faults)})" if self.faults else "held"
        figures = (self.tries, self.acknowledged, len(self.lost), self.told, len(self.crashed))
        return f"{name:<26}" + "".join(f"{number:>13,}" for number in figures) + f"  {verdict}"


HEAD = f"{'attack':<26}" + "".join(
    f"{word:>13}" for word in ("tries", "acknowledged", "lost silently", "told", "crashed")
)
