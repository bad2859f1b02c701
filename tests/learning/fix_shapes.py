"""The corpus of failures and their fixes: `corpus/fixes.jsonl`, as params of events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus" / "fixes.jsonl"


@dataclass(frozen=True)
class Shape:
    """One case: its steps, and the words that its lesson has and lacks; no words where there must be no lesson."""

    id: str
    part: str
    steps: list[dict[str, Any]]
    says: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    once: bool = True

    def events(self, folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (kind, params) of each event in a workspace."""
        for step in self.steps:
            if "edit" in step:
                yield "toolCall", {"tool": "Edit", "input": {"file_path": f"{folder}/{step['edit']}"}}
                continue
            at = {"workdir": step["in"].replace("/w", folder)} if "in" in step else {}
            params = {"tool": step.get("tool", "Bash"), "input": {"command": step["run"], **at}}
            output = step["out"].replace("/w/", f"{folder}/")
            yield "toolResult", {**params, "output": output, "exitCode": step["exit"]}

    def fits(self, content: str) -> bool:
        """Tell whether a lesson is the expected one."""
        has = all(word in content for word in self.says)
        return bool(self.says) and has and not any(word in content for word in self.lacks)


def shapes() -> list[Shape]:
    return [Shape(**json.loads(line)) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
