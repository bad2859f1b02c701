"""The corpus of failures and what made them pass: `corpus/fixes.jsonl`, as params of events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus" / "fixes.jsonl"


@dataclass(frozen=True)
class Shape:
    """One case: its steps, and the words that its lesson has and lacks; no words where there must be none."""

    id: str
    part: str
    steps: list[dict[str, Any]]
    says: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    once: bool = True

    def events(self, folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """(kind, params) of each event, in a workspace."""
        for step in self.steps:
            if "edit" in step:
                yield "toolCall", {"tool": "Edit", "input": {"file_path": f"{folder}/{step['edit']}"}}
                continue
            at = {"workdir": step["in"].replace("/w", folder)} if "in" in step else {}
            params = {"tool": step.get("tool", "Bash"), "input": {"command": step["run"], **at}}
            output = step["out"].replace("/w/", f"{folder}/")
            yield "toolResult", {**params, "output": output, "exitCode": step["exit"]}

    def fits(self, content: str) -> bool:
        """Whether a lesson is the one that is wanted."""
        has = all(word in content for word in self.says)
        return bool(self.says) and has and not any(word in content for word in self.lacks)


def shapes() -> list[Shape]:
    """Every case."""
    return [Shape(**json.loads(line)) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
