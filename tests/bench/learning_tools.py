"""Precision and recall of learning from what tools do, per rule: `python tests/bench/learning_tools.py`.

Plays the sequences of tests/learning/corpus/tools.jsonl through a session each, with `/w` as the workspace.
`--failures` shows what is wrong in the development part, and there alone.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sidecar.learning.lesson import Lesson
from sidecar.learning.session import LearningSession
from sidecar.learning.workspace_paths import WorkspacePaths

CORPUS = Path(__file__).resolve().parents[1] / "learning" / "corpus" / "tools.jsonl"
KINDS = {"repeated-command": "procedure", "error-fix": "errorFix", "compaction": "candidate"}
Case = dict[str, Any]


def cases() -> list[Case]:
    """Every case of the corpus."""
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def held_out(case: Case) -> bool:
    """Whether the case was set aside when the rules were written."""
    return int.from_bytes(blake2b(case["id"].encode(), digest_size=4).digest(), "big") % 3 == 0


def learned(case: Case) -> list[Lesson]:
    """What the sessions of a case learn."""
    sessions: dict[str, LearningSession] = {}
    found: list[Lesson] = []
    now = 1_700_000_000_000
    for step in case["steps"]:
        now += step.get("wait", 0)
        id = step.get("sessionId", "s1")
        session = sessions.setdefault(id, LearningSession(id, WorkspacePaths(["/w"])))
        given, call = step.get("input"), step.get("callId")
        match step["event"]:
            case "toolCall":
                session.tool_call(step["tool"], given, call)
            case "toolResult":
                status = step.get("exitCode", step.get("exit_code"))
                output, metadata = step.get("output"), step.get("metadata")
                found += session.tool_result(step["tool"], given, output, status, metadata, call, now)
            case "userMessage":
                found += session.user_message(step["text"], now)
            case "reasoning":
                session.reasoning(step["text"])
            case "compaction":
                found += session.compaction(step["summary"], now)
            case "sessionEnd":
                session.end()
    return found


def fits(lesson: Lesson, want: Case) -> bool:
    """Whether a lesson is what an expectation asks for."""
    text = lesson.content.lower()
    return (
        KINDS.get(lesson.rule, lesson.rule) == want["kind"]
        and all(word.lower() in text for word in want["contains"])
        and not any(word.lower() in text for word in want.get("lacks", ()))
        and want.get("type", lesson.type) == lesson.type
        and want.get("scope", lesson.scope) == lesson.scope
    )


def measure(chosen: list[Case]) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Counts of (kind, right|wrong|missed) over cases, and what is wrong in words."""
    counts: Counter[tuple[str, str]] = Counter()
    failures: list[str] = []
    for case in chosen:
        left = list(case["expect"])
        for lesson in learned(case):
            want = next((each for each in left if fits(lesson, each)), None)
            kind = KINDS.get(lesson.rule, lesson.rule)
            if want is None:
                counts[kind, "wrong"] += 1
                failures.append(f"{case['id']} + {kind}: {lesson.content!r}")
            else:
                left.remove(want)
                counts[kind, "right"] += 1
        for want in left:
            counts[want["kind"], "missed"] += 1
            failures.append(f"{case['id']} - {want['kind']} {want['contains']}")
    return counts, failures


def main() -> None:
    """Print the table."""
    for part, chosen in (
        ("dev", [case for case in cases() if not held_out(case)]),
        ("heldout", [case for case in cases() if held_out(case)]),
    ):
        counts, failures = measure(chosen)
        print(f"{part}: {len(chosen)} sequences, {sum(not case['expect'] for case in chosen)} with nothing to learn")
        kinds = sorted({kind for kind, _ in counts})
        for name, members in [*((kind, [kind]) for kind in kinds), ("all", kinds)]:
            right, wrong, missed = (sum(counts[k, what] for k in members) for what in ("right", "wrong", "missed"))
            precision = right / (right + wrong) if right + wrong else 1.0
            recall = right / (right + missed) if right + missed else 1.0
            print(
                f"  {name:16} right {right:3}  wrong {wrong:3}  missed {missed:3}"
                f"  precision {precision:.3f}  recall {recall:.3f}"
            )
        if part == "dev" and "--failures" in sys.argv:
            print("\n".join(failures))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
