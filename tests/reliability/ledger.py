"""What was acknowledged, by marker: a word that stands in one memory's text and in no other's."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from tests.client.json_value import Json
from tests.reliability.outcome import Outcome

MARKER = re.compile(r"\bmark\d+x\d+\b")


@dataclass
class PossibleTexts:
    """The texts that one memory may have by now; `sure` that it is there, `gone` that it is not."""

    texts: set[str]
    sure: bool = True
    gone: bool = False


@dataclass
class Ledger:
    """`together`: markers that are all there, or none of them."""

    kept: dict[str, PossibleTexts] = field(default_factory=dict)
    together: list[list[str]] = field(default_factory=list)
    _next: int = 0

    def marker(self, who: int = 0) -> str:
        """A word that was never used."""
        self._next += 1
        return f"mark{who}x{self._next:06d}"

    def put(self, marker: str, text: str, *, sure: bool) -> None:
        """It was written so, or may have been."""
        known = self.kept.get(marker)
        if known is None:
            self.kept[marker] = PossibleTexts({text}, sure)
        elif sure:
            self.kept[marker] = PossibleTexts({text})
        else:
            known.texts.add(text)

    def drop(self, marker: str, *, sure: bool) -> None:
        """It was deleted, or may have been."""
        known = self.kept[marker]
        known.sure, known.gone = False, sure

    def missing(self, memories: list[Json]) -> set[str]:
        """Markers that must be there and are not."""
        found = {marker for memory in memories for marker in MARKER.findall(str(memory["content"]))}
        return {marker for marker, kept in self.kept.items() if kept.sure} - found

    def check(self, memories: list[Json], outcome: Outcome) -> None:
        """Compare with what a server lists, and know more from now on."""
        found: dict[str, list[Json]] = {}
        for memory in memories:
            for marker in set(MARKER.findall(str(memory["content"]))):
                found.setdefault(marker, []).append(memory)
        for group in self.together:
            there = sum(marker in found for marker in group)
            if there not in (0, len(group)):
                outcome.wrong.append(f"{there} of {len(group)} that belong together are there: {group[0]}")
        self.together = []
        for marker, kept in list(self.kept.items()):
            there_now = found.get(marker, [])
            active = [memory for memory in there_now if memory["status"] != "archived"]
            if not there_now:
                if kept.sure:
                    outcome.lost.append(f"{marker} was acknowledged and is gone")
                del self.kept[marker]
                continue
            if kept.gone:
                outcome.wrong.append(f"{marker} was deleted and is there")
            if len(active) > 1:
                outcome.wrong.append(f"{marker} is there {len(active)} times")
            if not any(memory["content"].strip() in kept.texts for memory in there_now):
                outcome.lost.append(
                    f"{marker} says {there_now[0]['content'][:80]!r}, not {str(sorted(kept.texts))[:200]}"
                )
            self.kept[marker] = PossibleTexts({(active or there_now)[0]["content"].strip()})

    def check_file(self, path: Path, outcome: Outcome) -> None:
        """No entry of MEMORY.md is cut off: what begins like a text of ours is all of one."""
        if not path.exists():
            return
        text = path.read_text(encoding="utf-8")
        if text and not text.endswith("\n"):
            outcome.wrong.append(f"{path.name} ends in the middle of a line: {text[-80:]!r}")
